#include "numpy_plugin/declaration/declaration.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/infer/statements/kernel_checks.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::ErrorKind;

[[noreturn]] void fail_word(const std::string& argument, const std::string& word,
                            const std::vector<std::string>& words) {
  fail_argument(ErrorKind::kValue, argument, format("unknown {} '{}'", argument, word),
                "expected one of " + base::join(words, ", "));
}

CallTarget parse_target(const std::string& word) {
  if (word == "auto") return CallTarget::kAuto;
  if (word == "cpu") return CallTarget::kCpu;
  if (word == "parallel") return CallTarget::kParallel;
  if (word == "cuda" || word == "gpu") return CallTarget::kCuda;
  fail_word("target", word, {"auto", "cpu", "parallel", "cuda"});
}

MathMode parse_math(const std::string& word) {
  if (word == "vector") return MathMode::kVector;
  if (word == "libm") return MathMode::kLibm;
  if (word == "reproducible") return MathMode::kReproducible;
  fail_word("math", word, {"vector", "libm", "reproducible"});
}

// The same bits everywhere are promised for what this package compiles alone, and in one way.
MathMode math_mode(const DeclarationText& text) {
  const MathMode mode = parse_math(text.math);
  if (mode != MathMode::kReproducible) return mode;
  if (!text.syntax && !text.body.empty()) {
    fail_argument(ErrorKind::kValue, "math",
                  "math='reproducible' is for kernels in Python, found a C++ body",
                  "math=\"libm\"");
  }
  if (!text.fastmath.empty()) {
    fail_argument(ErrorKind::kValue, "math", "math='reproducible' excludes fastmath",
                  "math=\"vector\"");
  }
  return mode;
}

// Number of values of the first `return` that has any; 0 when there is none in these nodes.
std::size_t returned_values(const std::vector<SyntaxNode>& nodes) {
  for (const SyntaxNode& node : nodes) {
    if (node.kind == SyntaxKind::kReturn) {
      const SyntaxNode* value = node.child("value");
      if (value == nullptr) continue;
      return value->kind == SyntaxKind::kTuple ? value->children("elts").size() : 1;
    }
    for (const char* block : {"body", "orelse"}) {
      if (const std::size_t count = returned_values(node.children(block))) return count;
    }
  }
  return 0;
}

using Layout = std::optional<CoreSignature>;

TypedKernel type_for_all_operands(const FunctionSyntax& function, const Layout& layout,
                                  DType dtype) {
  TypeSignature signature;
  signature.inputs.assign(layout ? layout->n_inputs : function.parameters.size(), {dtype, 0});
  if (layout) take_dimensions(signature, *layout);
  return type_python_kernel(function, signature, layout).kernel;
}

// Errors that do not depend on the operands' types are reported at the declaration, not at a call.
void throw_errors_of_all_types(const FunctionSyntax& function, const Layout& layout,
                               const KernelError& error) {
  std::vector<Diagnostic> common = error.diagnostics();
  for (const base::DTypeInfo& info : base::kDTypes) {
    try {
      type_for_all_operands(function, layout, info.dtype);
      return;
    } catch (const KernelError& other) {
      std::erase_if(common, [&other](const Diagnostic& item) {
        return std::ranges::none_of(other.diagnostics(), [&item](const auto& found) {
          return found.message == item.message && found.place == item.place;
        });
      });
    }
  }
  if (!common.empty()) throw KernelError(std::move(common), error.sources());
}

// Without signatures, a kernel is checked and its results are counted by typing it for operands of
// one type. Where that fails for both types (the kernel mixes them), they are counted in its syntax
// tree.
std::size_t count_outputs(const FunctionSyntax& function, const Layout& layout) {
  std::optional<KernelError> error;
  for (const DType dtype : {DType::kFloat64, DType::kInt64}) {
    try {
      return type_for_all_operands(function, layout, dtype).signature.outputs.size();
    } catch (const KernelError& found) {
      error = found;
    }
  }
  throw_errors_of_all_types(function, layout, *error);
  if (!function.derivatives.empty()) return function.derivatives.back().parts.size();
  return layout ? layout->n_outputs() : std::max<std::size_t>(returned_values(function.body), 1);
}

// Counts operands from the kernel itself, for signatures that are a bare type.
OperandCounts kernel_counts(const DeclarationText& text) {
  if (text.syntax) {
    return {text.syntax->parameters.size(),
            std::max<std::size_t>(returned_values(text.syntax->body), 1)};
  }
  return {text.input_names.size(), std::max<std::size_t>(text.output_names.size(), 1)};
}

std::vector<std::string> argument_names(const DeclarationText& text) {
  std::vector<std::string> names = text.input_names;
  if (text.syntax) {
    for (const SyntaxNode& parameter : text.syntax->parameters) names.push_back(parameter.text);
  }
  names.insert(names.end(), text.output_names.begin(), text.output_names.end());
  return names;
}

// By name, or by 0-based index as in Numba.
std::size_t find_argument(const std::vector<std::string>& names, const std::string& word,
                          const std::string& kernel) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == word || std::to_string(i) == word) return i;
  }
  const std::string near = base::nearest(word, names);
  fail_argument(
      ErrorKind::kSignature, "writable_args",
      format("writable_args: '{}' has no argument '{}'", kernel, word),
      near.empty() ? "it has " + base::join(names, ", ") : format("did you mean '{}'?", near));
}

CoreSignature parse_layout(const DeclarationText& text) {
  return parse_core_signature(*text.layout, !text.writable_args.empty());
}

// Whether a layout, and the signatures with it, are right but for the missing '->'.
bool lacks_only_outputs(const DeclarationText& text) {
  if (text.layout->find("->") != std::string::npos) return false;
  try {
    const CoreSignature layout = parse_core_signature(*text.layout, true);
    if (text.signatures) check_type_signatures(*text.signatures, layout);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// The layout before the kernel of a decorator is known, which may change its inputs.
CoreSignature parse_layout_alone(const DeclarationText& text) {
  const bool may_lack_outputs = text.body.empty() && lacks_only_outputs(text);
  return may_lack_outputs ? parse_core_signature(*text.layout, true) : parse_layout(text);
}

// Outputs are always writable.
void mark_writable(CoreSignature& layout, const DeclarationText& text) {
  const std::vector<std::string> names = argument_names(text);
  for (const std::string& word : text.writable_args) {
    const std::size_t index = find_argument(names, word, text.name);
    if (index < layout.n_inputs) layout.writable_inputs.push_back(index);
  }
}

// A generalized kernel has its results among its arguments; a C++ body names them separately.
void check_arguments(const CoreSignature& layout, const DeclarationText& text) {
  const std::size_t n_found = text.syntax ? text.syntax->parameters.size()
                                          : text.input_names.size() + text.output_names.size();
  if (n_found == layout.operands.size()) return;
  const LabelledText source{"layout", *text.layout};
  fail_at(source, whole(source),
          format("'{}' takes {}, the layout has {}", text.name, base::counted(n_found, "argument"),
                 layout.operands.size()));
}

// Results that a signature leaves out are what the kernel returns.
void infer_results(TypeSignature& signature, const DeclarationText& text) {
  if (!signature.outputs.empty() || text.layout) return;
  if (!text.syntax) {
    const std::string operands = signature.text().substr(std::string_view("void").size());
    fail_argument(ErrorKind::kSignature, "signatures",
                  format("a signature for a C++ body names its result, found '{}'", operands),
                  format("\"{}{}\"", signature.inputs.front().text(), operands));
  }
  const FrontEndResult typed = type_python_kernel(*text.syntax, signature, std::nullopt);
  signature.outputs = typed.kernel.signature.outputs;
}

std::vector<TypeSignature> parse_signatures(const DeclarationText& text,
                                            const std::optional<CoreSignature>& layout) {
  std::vector<TypeSignature> signatures =
      parse_type_signatures(*text.signatures, layout, kernel_counts(text));
  std::vector<TypeSignature> distinct;
  for (TypeSignature& signature : signatures) {
    infer_results(signature, text);
    const bool is_new = std::find(distinct.begin(), distinct.end(), signature) == distinct.end();
    if (is_new) distinct.push_back(std::move(signature));
  }
  return sort_by_casting(std::move(distinct));
}

void count_operands(Declaration& declaration, const DeclarationText& text) {
  if (!declaration.signatures.empty()) {
    declaration.n_inputs = declaration.signatures.front().inputs.size();
    declaration.n_outputs = declaration.signatures.front().outputs.size();
  } else if (declaration.layout) {
    declaration.n_inputs = declaration.layout->n_inputs;
    declaration.n_outputs = declaration.layout->n_outputs();
    check_arguments(*declaration.layout, text);
    if (text.syntax) count_outputs(*text.syntax, declaration.layout);
  } else if (text.syntax) {
    declaration.n_inputs = text.syntax->parameters.size();
    declaration.n_outputs = count_outputs(*text.syntax, std::nullopt);
  } else {
    declaration.n_inputs = text.input_names.size();
    declaration.n_outputs = std::max<std::size_t>(text.output_names.size(), 1);
  }
}

// NumPy's limit is the size of its operand table.
void check_operands(const Declaration& declaration) {
  constexpr std::size_t kMaximum = 64;
  const std::size_t n_operands = declaration.n_inputs + declaration.n_outputs;
  if (n_operands > kMaximum) {
    throw base::Error(ErrorKind::kSignature, format("'{}' has {} operands; NumPy takes at most 64",
                                                    declaration.name, n_operands));
  }
  if (declaration.n_inputs == 0) {
    throw base::Error(ErrorKind::kSignature,
                      format("'{}' has no operands; a ufunc takes at least 1", declaration.name));
  }
}

// For a C++ body without signatures, whose operands are counted by name.
void check_has_operands(const DeclarationText& text, const std::optional<CoreSignature>& layout) {
  if (text.body.empty() || layout || !text.input_names.empty()) return;
  fail_argument(ErrorKind::kSignature, "args", "the operands of a body need names",
                "args=\"x, y\"");
}

// Normalizes line ends, which compilers and diagnostics would count differently.
std::string with_line_feeds(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      result += '\n';
    }
  }
  return result;
}

CppBody make_body(DeclarationText text) {
  std::vector<OperandPattern> patterns;
  for (const std::string& type : text.operand_types) {
    patterns.push_back(OperandPattern::parse(type));
  }
  return {text.name,
          with_line_feeds(text.body),
          std::move(text.input_names),
          std::move(text.output_names),
          std::move(patterns),
          std::move(text.aliases),
          std::move(text.before),
          std::move(text.after)};
}

}  // namespace

std::vector<ArgumentMistake> check_declaration(const DeclarationText& text) {
  parse_target(text.target);
  math_mode(text);
  check_operand_names(text.input_names, text.output_names);
  std::optional<CoreSignature> layout;
  if (text.layout) layout = parse_layout_alone(text);
  if (!text.signatures) {
    check_has_operands(text, layout);
    return {};
  }
  return check_type_signatures(*text.signatures, layout);
}

// Declared signatures are those of the function whose derivatives are made.
std::vector<TypeSignature> declared_signatures(DeclarationText& text,
                                               const std::optional<CoreSignature>& layout) {
  std::vector<derive::Differentiation> derivatives;
  if (text.syntax) derivatives.swap(text.syntax->derivatives);
  std::vector<TypeSignature> signatures = parse_signatures(text, layout);
  for (const derive::Differentiation& wanted : derivatives) {
    for (TypeSignature& signature : signatures)
      signature.outputs = derive::parts_of(wanted, signature.outputs);
  }
  if (text.syntax) derivatives.swap(text.syntax->derivatives);
  return signatures;
}

Declaration make_declaration(DeclarationText text) {
  Declaration declaration;
  static_cast<DeclarationOptions&>(declaration) = text;
  declaration.call_target = parse_target(text.target);
  declaration.math_mode = math_mode(text);
  if (text.is_fused) check_elementwise(*text.syntax);
  if (text.layout) {
    if (text.syntax && text.writable_args.empty() && lacks_only_outputs(text))
      text.writable_args = written_arguments(*text.syntax);
    declaration.layout = parse_layout(text);
    mark_writable(*declaration.layout, text);
  }
  if (text.signatures) {
    declaration.signatures = declared_signatures(text, declaration.layout);
  }
  count_operands(declaration, text);
  check_operands(declaration);
  declaration.preamble = with_line_feeds(text.preamble);
  check_preamble(text.name, declaration.preamble);
  declaration.linked = std::move(text.linked);
  if (text.syntax) {
    declaration.body = std::move(*text.syntax);
  } else {
    declaration.body = make_body(std::move(text));
  }
  return declaration;
}

}  // namespace numpy_plugin::declare
