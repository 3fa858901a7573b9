#pragma once

#include <string>

namespace tessera {

/// Expects `text` to equal tests/golden/<Suite>/<Test>.txt of the running test. With
/// UPDATE_GOLDEN=1 in the environment the file is rewritten instead.
void expect_golden(const std::string& text);

/// The same with tests/golden/<name>.txt.
void expect_golden(const std::string& text, const std::string& name);

}  // namespace tessera
