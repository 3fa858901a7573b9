#include "ops/nodes/test_node.h"

#include <cmath>

namespace tessera {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Weights of one unit that reads one element: each gate has weight 0.5 and recurrence 0.25.
TestNode cell(const char* op, std::int64_t gates, const Shape& shape, const std::vector<double>& x,
              std::int64_t directions = 1) {
  const auto count = static_cast<std::size_t>(gates * directions);
  return TestNode(op)
      .input(shape, x)
      .input({directions, gates, 1}, std::vector<double>(count, 0.5))
      .input({directions, gates, 1}, std::vector<double>(count, 0.25))
      .outputs(op == std::string("LSTM") ? 3 : 2);
}

double rnn(double x, double h) { return std::tanh(0.5 * x + 0.25 * h); }

TEST(RecurrentNodes, StepForwards) {
  const double first = rnn(1, 0), second = rnn(2, first);
  const TestNode node = cell("RNN", 1, {2, 1, 1}, {1, 2});
  node.expect(0, {2, 1, 1, 1}, {first, second});
  node.expect(1, {1, 1, 1}, {second});
}

TEST(RecurrentNodes, StepBothWays) {
  const double first = rnn(1, 0), second = rnn(2, first);
  const double last = rnn(2, 0), before = rnn(1, last);
  const TestNode node =
      cell("RNN", 1, {2, 1, 1}, {1, 2}, 2).attribute("direction", std::string("bidirectional"));
  node.expect(0, {2, 2, 1, 1}, {first, before, second, last});
  node.expect(1, {2, 1, 1}, {second, before});
  cell("RNN", 1, {2, 1, 1}, {1, 2})
      .attribute("direction", std::string("reverse"))
      .expect(0, {2, 1, 1, 1}, {before, last});
}

TEST(RecurrentNodes, PutBatchesFirst) {
  const TestNode node = cell("RNN", 1, {1, 2, 1}, {1, 2}).attribute("layout", 1);
  node.expect(0, {1, 2, 1, 1}, {rnn(1, 0), rnn(2, rnn(1, 0))});
  node.expect(1, {1, 1, 1}, {rnn(2, rnn(1, 0))});
}

TEST(RecurrentNodes, EndSequencesEarly) {
  const double first = rnn(1, 0);
  const TestNode node =
      cell("RNN", 1, {2, 1, 1}, {1, 2}).absent_input().input({1}, {1}, ElementType::Int32);
  node.expect(0, {2, 1, 1, 1}, {first, 0});
  node.expect(1, {1, 1, 1}, {first});
}

TEST(RecurrentNodes, AddBiasesAndStartFromAState) {
  const double h = std::tanh(0.5 * 1 + 0.25 * 8 + 0.1 + 0.2);
  cell("RNN", 1, {1, 1, 1}, {1})
      .input({1, 2}, {0.1, 0.2})
      .absent_input()
      .input({1, 1, 1}, {8})
      .expect(1, {1, 1, 1}, {h});
}

TEST(RecurrentNodes, TakeGivenFunctions) {
  const auto rnn_with = [](const char* function) {
    return cell("RNN", 1, {1, 1, 1}, {-4})
        .attribute("activations", std::vector<std::string>{function});
  };
  rnn_with("Relu").expect(1, {1, 1, 1}, {0});
  rnn_with("LeakyRelu")
      .attribute("activation_alpha", std::vector<double>{0.5})
      .expect(1, {1, 1, 1}, {-1});
  rnn_with("Affine")
      .attribute("activation_alpha", std::vector<double>{3})
      .attribute("activation_beta", std::vector<double>{1})
      .expect(1, {1, 1, 1}, {-5});
  rnn_with("ScaledTanh").expect(1, {1, 1, 1}, {std::tanh(-2)});
  rnn_with("Affine").attribute("clip", 0.5).expect(1, {1, 1, 1}, {-0.5});
  EXPECT_EQ(rnn_with("Cube").refusal(), "no known activation Cube");
}

TEST(RecurrentNodes, ResetAndUpdate) {
  const auto gru = [](bool is_before_reset) {
    const double first_gate = sigmoid(0.5 * 1 + 0.25 * 2);
    const double recurrent = is_before_reset ? first_gate * (0.25 * 2) : 0.25 * (first_gate * 2);
    return (1 - first_gate) * std::tanh(0.5 + recurrent) + first_gate * 2;
  };
  const auto node = [] {
    return cell("GRU", 3, {1, 1, 1}, {1}).absent_input().absent_input().input({1, 1, 1}, {2});
  };
  node().expect(1, {1, 1, 1}, {gru(false)});
  node().attribute("linear_before_reset", 1).expect(1, {1, 1, 1}, {gru(true)});
  const double gate = sigmoid(0.5);  // the bias of the recurrence is reset when it comes before
  cell("GRU", 3, {1, 1, 1}, {1})
      .input({1, 6}, {0, 0, 0, 0, 0, 3})
      .attribute("linear_before_reset", 1)
      .expect(1, {1, 1, 1}, {(1 - gate) * std::tanh(0.5 + gate * 3)});
}

TEST(RecurrentNodes, KeepACell) {
  const double gate = sigmoid(0.5), fresh = std::tanh(0.5), c = gate * fresh;
  const TestNode lstm = cell("LSTM", 4, {1, 1, 1}, {1});
  lstm.expect(1, {1, 1, 1}, {gate * std::tanh(c)});
  lstm.expect(2, {1, 1, 1}, {c});
  const double last = 3, next = (1 - gate) * last + gate * fresh;
  cell("LSTM", 4, {1, 1, 1}, {1})
      .absent_input()
      .absent_input()
      .absent_input()
      .input({1, 1, 1}, {last})
      .attribute("input_forget", 1)
      .expect(2, {1, 1, 1}, {next});
}

TEST(RecurrentNodes, SeeTheCellThroughPeepholes) {
  const double last = 2;
  const double in = sigmoid(0.5 + 0.1 * last), forget = sigmoid(0.5 + 0.3 * last);
  const double c = forget * last + in * std::tanh(0.5), out = sigmoid(0.5 + 0.2 * c);
  cell("LSTM", 4, {1, 1, 1}, {1})
      .absent_input()
      .absent_input()
      .absent_input()
      .input({1, 1, 1}, {last})
      .input({1, 3}, {0.1, 0.2, 0.3})
      .expect(1, {1, 1, 1}, {out * std::tanh(c)});
}

TEST(RecurrentNodes, RefuseWhatDoesNotFit) {
  EXPECT_EQ(cell("RNN", 2, {1, 1, 1}, {1}).refusal(),
            "input 1 of shape [1, 2, 1], expected [1, 1, 1]");
  EXPECT_EQ(cell("LSTM", 4, {1, 1}, {1}).refusal(),
            "X [1, 1] and R [1, 4, 1], expected three dimensions each");
  EXPECT_EQ(cell("RNN", 1, {1, 1, 1}, {1}).attribute("direction", std::string("up")).refusal(),
            "direction up, expected forward, reverse or bidirectional");
  EXPECT_EQ(cell("GRU", 3, {1, 1, 1}, {1})
                .attribute("activations", std::vector<std::string>{"Tanh"})
                .refusal(),
            "1 activations, expected 2 per direction");
  EXPECT_EQ(TestNode("RNN")
                .unknown_input({4096, 1, 1})
                .input({1, 1, 1}, {1})
                .input({1, 1, 1}, {1})
                .refusal(),
            "4096 steps, expected at most 2048");
}

}  // namespace
}  // namespace tessera
