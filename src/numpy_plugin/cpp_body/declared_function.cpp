#include "numpy_plugin/cpp_body/cpp_body.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::Error;
using base::ErrorKind;

void check_name(const std::string& name) {
  const bool is_reserved = name == "npp" || name.starts_with("NPP_") || name.starts_with("npp_");
  if (is_cpp_name(name) && !is_cpp_keyword(name) && !is_reserved) return;
  fail_argument(
      ErrorKind::kSignature, "name",
      format("'{}' is not a valid C function name; expected letters, digits and '_'", name));
}

// Numbers that C passes by value.
bool is_c_number(DType dtype) {
  return !base::is_complex(dtype) && dtype != DType::kFloat16 && dtype != DType::kBFloat16;
}

TypeSignature parse_signature(const std::string& name, const std::string& text) {
  const TypeSignature signature = parse_type_signatures({text}, std::nullopt).front();
  if (signature.outputs.size() != 1) {
    fail_argument(ErrorKind::kSignature, "signature",
                  format("'{}' is declared with {} results; an external function has 1", name,
                         signature.outputs.size()));
  }
  std::vector<OperandType> types = signature.inputs;
  types.push_back(signature.outputs.front());
  for (const OperandType& type : types) {
    if (is_c_number(type.dtype)) continue;
    fail_argument(ErrorKind::kSignature, "signature",
                  format("'{}' is declared with {}; an external function takes and returns C types",
                         name, base::name(type.dtype)),
                  "expected one of bool, int8 to int64, uint8 to uint64, float32, float64");
  }
  return signature;
}

void check_source(const std::string& name, const std::string& label, const std::string& source) {
  if (source.empty()) return;
  const std::vector<CppToken> tokens = tokenize_cpp(source).tokens;
  const bool is_there = std::any_of(tokens.begin(), tokens.end(), [&name](const CppToken& token) {
    const bool is_name = token.kind == CppToken::Kind::kName && token.text == name;
    const bool is_in_macro = token.kind == CppToken::Kind::kDirective &&
                             (token.text.find("include") != std::string::npos ||
                              token.text.find("define") != std::string::npos);
    return is_name || is_in_macro;
  });
  if (is_there) return;
  std::vector<std::string> names;
  for (const CppToken& token : tokens) {
    if (token.kind == CppToken::Kind::kName) names.push_back(token.text);
  }
  const std::string near = base::nearest(name, names);
  throw Error(ErrorKind::kValue,
              format("{} has no function '{}'{}", label, name,
                     near.empty() ? "" : format("\n  hint: did you mean '{}'?", near)));
}

}  // namespace

std::shared_ptr<const ExternalFunction> declare_external_function(const std::string& name,
                                                                  const std::string& signature,
                                                                  DeclaredCode code,
                                                                  DeviceCodes linked) {
  check_name(name);
  ExternalFunction function;
  function.name = name;
  function.signature = parse_signature(name, signature);
  code.cuda_label = base::source_label(std::move(code.cuda_label));
  code.cpu_label = base::source_label(std::move(code.cpu_label));
  check_source(name, code.cuda_label, code.cuda_source);
  check_source(name, code.cpu_label, code.cpu_source);
  function.declared = std::make_shared<const DeclaredCode>(std::move(code));
  function.linked = std::move(linked);
  return std::make_shared<const ExternalFunction>(std::move(function));
}

}  // namespace numpy_plugin::declare
