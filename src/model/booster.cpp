#include "model/booster.h"

#include "base/check.h"

#include <limits>
#include <utility>
#include <xgboost/c_api.h>

namespace tessera {
namespace {

void must(int status) { check(status == 0, std::string("xgboost: ") + XGBGetLastError()); }

BoosterHandle created(const BoosterRows& rows, const Booster::Parameters& parameters) {
  const DMatrixHandle matrices[] = {rows.handle()};
  BoosterHandle handle = nullptr;
  must(XGBoosterCreate(matrices, 1, &handle));
  for (const auto& [key, value] : parameters)
    must(XGBoosterSetParam(handle, key.c_str(), value.c_str()));
  return handle;
}

}  // namespace

BoosterRows::BoosterRows(std::span<const float> values, std::size_t rows) : size_(rows) {
  must(XGDMatrixCreateFromMat(values.data(), rows, values.size() / rows,
                              std::numeric_limits<float>::quiet_NaN(), &handle_));
}

BoosterRows::~BoosterRows() { XGDMatrixFree(handle_); }

void BoosterRows::set_labels(std::span<const float> labels) {
  must(XGDMatrixSetFloatInfo(handle_, "label", labels.data(), labels.size()));
}

void BoosterRows::set_weights(std::span<const float> weights) {
  must(XGDMatrixSetFloatInfo(handle_, "weight", weights.data(), weights.size()));
}

Booster::Booster(const BoosterRows& rows, const Parameters& parameters, int trees)
    : handle_(created(rows, parameters)) {
  for (int n = 0; n < trees; ++n) must(XGBoosterUpdateOneIter(handle_, n, rows.handle()));
}

Booster::Booster(const BoosterRows& rows, const Parameters& parameters, int trees,
                 const Slopes& slopes)
    : handle_(created(rows, parameters)) {
  std::vector<float> first(rows.size()), second(rows.size());
  for (int n = 0; n < trees; ++n) {
    slopes(predict(rows), first, second);
    must(XGBoosterBoostOneIter(handle_, rows.handle(), first.data(), second.data(), rows.size()));
  }
}

Booster::Booster(Booster&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Booster& Booster::operator=(Booster&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Booster::~Booster() {
  if (handle_ != nullptr) XGBoosterFree(handle_);
}

std::vector<float> Booster::predict(const BoosterRows& rows) const {
  bst_ulong count = 0;
  const float* values = nullptr;
  must(XGBoosterPredict(handle_, rows.handle(), 0, 0, 0, &count, &values));
  return {values, values + count};
}

void Booster::set_fact(const std::string& name, const std::string& value) {
  must(XGBoosterSetAttr(handle_, name.c_str(), value.c_str()));
}

std::string Booster::fact(const std::string& name) const {
  const char* value = nullptr;
  int is_known = 0;
  must(XGBoosterGetAttr(handle_, name.c_str(), &value, &is_known));
  return is_known != 0 ? value : "";
}

std::string Booster::to_bytes() const {
  bst_ulong size = 0;
  const char* bytes = nullptr;
  must(XGBoosterSaveModelToBuffer(handle_, R"({"format": "ubj"})", &size, &bytes));
  return {bytes, size};
}

Result<Booster> Booster::parse(std::string_view bytes) {
  Booster booster;
  must(XGBoosterCreate(nullptr, 0, &booster.handle_));
  if (XGBoosterLoadModelFromBuffer(booster.handle_, bytes.data(), bytes.size()) != 0)
    return Error{"not trees that XGBoost has grown"};
  return booster;
}

}  // namespace tessera
