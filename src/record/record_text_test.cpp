#include "record/record_text.h"

#include "support/sample_records.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera {
namespace {

TEST(RecordText, IsOneLineThatReadsBackExactly) {
  for (const Record& record : {sample_record(1, 0.1), failed_record(1)}) {
    const std::string line = to_json_line(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Result<Record> got = parse_record(line);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, record) << line;
  }
}

TEST(RecordText, KeepsEveryBitOfNumbers) {
  using Limits = std::numeric_limits<double>;
  Record record = sample_record(1, 0.1);
  record.measurement.seconds = {0.1 + 0.2,
                                1.0 / 3,
                                Limits::denorm_min(),
                                Limits::min(),
                                Limits::max(),
                                1e22,
                                1e23,
                                123456789012345678.0,
                                0};
  record.time = std::numeric_limits<std::int64_t>::min();
  const Result<Record> got = parse_record(to_json_line(record));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, record);
}

TEST(RecordText, LeavesOutWhatIsAbsent) {
  EXPECT_EQ(to_json_line(failed_record(1)),
            "{\"task\":\"" + sample_task(1).fingerprint +
                "\",\"target\":\"x86-avx2\",\"schedule\":\"split i [6]\\nvector j \\\"µ\\\"\\n\","
                "\"choices\":\"tile=6x2 order=cols_outer\",\"origin\":\"random\","
                "\"outcome\":\"crashed\",\"reason\":\"signal 11\",\"seconds\":[],\"clock\":\"cpu\","
                "\"compile_seconds\":0.1,\"load\":0.3,\"celsius\":51.5,\"version\":\"0.1.0\","
                "\"time\":1700000000}");
}

/// `from` in the line of a record, or of a task, is replaced by `to`.
template <typename T, typename Parse>
void expect_refused(const T& value, const Parse& parse, const std::string& from,
                    const std::string& to, const std::string& message) {
  std::string line = to_json_line(value);
  ASSERT_NE(line.find(from), std::string::npos) << from;
  line.replace(line.find(from), from.size(), to);
  const auto got = parse(line);
  ASSERT_FALSE(got) << line;
  EXPECT_EQ(got.error().message, message);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  expect_refused(sample_record(1, 0.25), parse_record, from, to, message);
}

TEST(RecordText, RefusesWhatIsNotExactlyARecord) {
  expect_refused("}", "", "not JSON, or nested too deeply");
  expect_refused("\"time\":1700000000", "\"time\":" + std::string(100, '['),
                 "not JSON, or nested too deeply");
  expect_refused("\"origin\":\"random\",", "", "no field \"origin\"");
  expect_refused("\"origin\":", "\"owner\":\"\",\"origin\":", "unknown field \"owner\"");
  expect_refused("\"random\"", "7", "field \"origin\": expected text");
  expect_refused("\"ok\"", "\"fine\"", "outcome \"fine\": no such outcome");
  expect_refused("\"cpu\"", "\"sun\"", "clock \"sun\": no such clock");
  expect_refused("[0.5,0.25,0.75]", "[0.5,null]", "field \"seconds\": expected a list of numbers");
  expect_refused("[0.5,0.25,0.75]", "1", "field \"seconds\": expected a list of numbers");
  expect_refused("[0.5,0.25,0.75]", "[]",
                 "outcome ok with 0 timings, expected some if and only if ok");
  expect_refused("0.1,", "1e999,", "not JSON, or nested too deeply");
  expect_refused("1700000000", "0.5", "field \"time\": expected an integer of 64 bits");
  expect_refused("1700000000", "18446744073709551615",
                 "field \"time\": expected an integer of 64 bits");
  EXPECT_EQ(parse_record("[]").error().message, "not an object of JSON");
  EXPECT_EQ(parse_record("").error().message, "not JSON, or nested too deeply");
}

TEST(TaskText, ReadsBackAndRefusesTheRest) {
  const TaskEntry task = sample_task(7);
  const Result<TaskEntry> got = parse_task_entry(to_json_line(task));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, task);
  const auto refuses = [&](const std::string& from, const std::string& to,
                           const std::string& message) {
    expect_refused(task, parse_task_entry, from, to, message);
  };
  refuses("[7,64,3]", "[7,0.5]", "field \"sizes\": expected a list of integers of 64 bits");
  refuses(task.fingerprint, "7", "task \"7\": expected a fingerprint of 32 hexadecimal digits");
}

}  // namespace
}  // namespace tessera
