// Names of dtypes: look-up, "did you mean", and types that kernels do not support.
#include "numpy_plugin/signature/signature_parse.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/base/time_type.hpp"

namespace numpy_plugin::declare {
namespace {

// Known to Python, NumPy or Numba, but not supported in kernels.
constexpr std::string_view kOtherTypes[] = {
    "str",        "bytes",      "object",       "object_",  "list",          "tuple",
    "dict",       "set",        "void",         "none",     "None",          "string",
    "str_",       "bytes_",     "float96",      "float128", "longdouble",    "clongdouble",
    "complex192", "complex256", "unicode_type", "pyobject", "float8_e4m3fn", "float8_e5m2",
    "int4",       "uint4"};
constexpr std::string_view kOtherLetters = "gGOSUVac";

std::optional<base::DType> find_type(std::string_view name) {
  if (name == "boolean") return base::DType::kBool;  // Numba's
  return base::find_dtype(name);
}

// Removes the module: "float32" for "np.float32".
std::string_view after_module(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::string hint_for(std::string_view name) {
  const std::string_view last = after_module(name);
  if (find_type(last)) return format("did you mean '{}'?", last);
  std::vector<std::string> names;
  for (const base::DTypeInfo& row : base::kDTypes) names.emplace_back(row.name);
  const std::string meant = base::nearest(last, names);
  return meant.empty() ? expected_kernel_types() : format("did you mean '{}'?", meant);
}

std::string expected_units() {
  std::string names;
  for (const base::TimeUnitInfo& row : base::kTimeUnits) {
    if (row.unit != base::TimeUnit::kGeneric) names += format(" {}", row.name);
  }
  return "expected one of" + names;
}

}  // namespace

bool is_time_name(std::string_view name) { return base::find_time_type(name).has_value(); }

base::DType dtype_of_time(const LabelledText& source, const std::string& name, const Token& unit) {
  const auto type = base::find_time_type(format("{}[{}]", name, unit.word));
  if (type) return base::time_dtype(*type);
  fail_at(source, unit.range, format("unknown unit of time {}", in_quotes(unit)), expected_units());
}

base::DType dtype_of_name(const LabelledText& source, const Token& token) {
  if (const auto dtype = find_type(token.word)) return *dtype;
  if (base::contains(kOtherTypes, after_module(token.word))) {
    fail_at(source, token.range, format("'{}' is not a kernel type", token.word),
            expected_kernel_types());
  }
  fail_at(source, token.range, format("unknown type '{}'", token.word), hint_for(token.word));
}

base::DType dtype_of_letter(const LabelledText& source, std::size_t at) {
  const char letter = source.text[at];
  if (const auto dtype = base::find_dtype(letter)) return *dtype;
  const TextRange range{at, at + 1};
  if (kOtherLetters.find(letter) != std::string_view::npos) {
    fail_at(source, range, format("'{}' is not a kernel type", letter), expected_kernel_types());
  }
  std::string letters;
  for (const base::DTypeInfo& row : base::kDTypes) {
    letters += letters.empty() ? "" : " ";
    letters += row.numpy_character;
  }
  fail_at(source, range, format("unknown type '{}'", letter), "expected one of " + letters);
}

}  // namespace numpy_plugin::declare
