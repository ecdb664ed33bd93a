// Binds C++ bodies to a signature: names and counts, checks of the text, and detection of calls and
// branches.
#include "numpy_plugin/cpp_body/cpp_body.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/kernel/inferred_type.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {
namespace {

using Kind = CppToken::Kind;
using Names = std::vector<std::string>;
using Tokens = std::vector<CppToken>;

LabelledText names_text(const std::string& label, const Names& names) {
  return {label, base::join(names, ", ")};
}

// Position of names[index] in names_text.
TextRange name_range(const Names& names, std::size_t index) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < index; ++i) begin += names[i].size() + 2;
  return {begin, begin + names[index].size()};
}

// Names reserved for compilers and the generated code.
bool is_reserved(const std::string& name) {
  const bool starts_upper =
      name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  return starts_upper || name.find("__") != std::string::npos || name == "npp" ||
         name.starts_with("NPP_");
}

std::string name_problem(const std::string& name) {
  if (name.empty()) return "a name is missing";
  if (!is_cpp_name(name)) return format("'{}' is not a valid C++ name", name);
  if (is_cpp_keyword(name)) return format("'{}' is a C++ keyword", name);
  if (is_reserved(name)) return format("'{}' is a reserved name", name);
  if (is_compiler_macro(name)) return format("'{}' is a macro of CUDA's compiler", name);
  return "";
}

// `seen`: earlier names.
void check_names(const std::string& label, const Names& names, Names seen) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string problem = name_problem(names[i]);
    if (std::find(seen.begin(), seen.end(), names[i]) != seen.end()) {
      problem = format("'{}' is duplicated", names[i]);
    }
    if (!problem.empty()) fail_at(names_text(label, names), name_range(names, i), problem);
    seen.push_back(names[i]);
  }
}

// Suggested names: those of `few`, or "x1" to "x9".
std::string names_hint(const std::string& label, std::size_t count, Names few,
                       const std::string& many) {
  if (count > few.size()) few.clear();
  for (std::size_t i = few.size(); i < count; ++i) few.push_back(many + std::to_string(i + 1));
  few.resize(count);
  return format("{}=\"{}\"", label, base::join(few, ", "));
}

std::string args_hint(std::size_t count) {
  return names_hint("args", count, {"x", "y", "z", "w"}, "x");
}

std::string outs_hint(std::size_t count) {
  const Names few = count == 1 ? Names{"out"} : Names{"q", "r", "s"};
  return names_hint("outs", count, few, "out");
}

[[noreturn]] void fail_unnamed(const std::string& label, std::size_t count, const std::string& noun,
                               const std::string& hint) {
  fail_at({label, ""}, kWholeArgument,
          base::counted(count, noun) + (count == 1 ? " needs a name" : " need names"), hint);
}

void check_counts(const CppBody& body, const TypeSignature& signature, bool is_generalized) {
  const Names& inputs = body.input_names;
  if (inputs.empty()) {
    const std::size_t n_inputs = signature.inputs.size();
    fail_unnamed("args", n_inputs, "operand", args_hint(n_inputs));
  }
  if (inputs.size() != signature.inputs.size()) {
    const LabelledText source = names_text("args", inputs);
    fail_at(source, kWholeArgument,
            format("args names {}, the signature has {}", base::counted(inputs.size(), "operand"),
                   signature.inputs.size()));
  }
  const Names& outputs = body.output_names;
  const std::size_t n_outputs = signature.outputs.size();
  if (outputs.empty() && (n_outputs > 1 || (is_generalized && n_outputs > 0))) {
    fail_unnamed("outs", n_outputs, "result", outs_hint(n_outputs));
  }
  if (!outputs.empty() && outputs.size() != n_outputs) {
    const LabelledText source = names_text("outs", outputs);
    fail_at(source, kWholeArgument,
            format("outs names {}, the signature has {}", base::counted(outputs.size(), "result"),
                   n_outputs));
  }
}

void fail_where_wrong(const std::string& label, const std::string& text,
                      const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) return;
  const std::vector<SourceText> sources = {{label, "", 1, base::split_lines(text)}};
  throw DiagnosedError(base::ErrorKind::kCompiler, render(diagnostics, sources), "", diagnostics,
                       sources);
}

// Whether '>' at `index` closes the type of static_cast<...>(x).
bool closes_cast(const Tokens& tokens, std::size_t index) {
  int depth = 0;
  for (std::size_t i = index + 1; i-- > 0;) {
    if (tokens[i].text == ">") ++depth;
    if (tokens[i].text != "<" || --depth > 0) continue;
    return i > 0 && tokens[i - 1].text.ends_with("_cast");
  }
  return false;
}

// Whether the '(' after tokens[index] begins the arguments of an expensive call.
bool is_costly_call(const Tokens& tokens, std::size_t index) {
  constexpr std::string_view kCheap[] = {"sqrt", "fabs", "abs", "min", "max", "floor", "ceil"};
  const CppToken& before = tokens[index];
  if (before.kind == Kind::kName) {
    const bool is_type = before.text == "T" || before.text.ends_with("_t");
    return !is_type && !is_cpp_keyword(before.text) && !base::contains(kCheap, before.text);
  }
  if (before.text == ">") return !closes_cast(tokens, index);
  return before.text == ")" || before.text == "]" || before.text == "}";
}

bool has_directive(const Tokens& tokens) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const CppToken& token) { return token.kind == Kind::kDirective; });
}

std::vector<TypeAlias> aliases_of(const CppBody& body, const TypeSignature& signature) {
  std::vector<TypeAlias> aliases = body.aliases;
  std::vector<OperandType> operands = signature.inputs;
  operands.insert(operands.end(), signature.outputs.begin(), signature.outputs.end());
  for (std::size_t i = 0; i < body.patterns.size(); ++i) {
    const std::string& name = body.patterns[i].placeholder;
    const bool is_known = std::any_of(aliases.begin(), aliases.end(),
                                      [&](const TypeAlias& alias) { return alias.name == name; });
    if (!name.empty() && !is_known) aliases.push_back({name, operands[i].dtype});
  }
  return aliases;
}

}  // namespace

bool calls_functions(std::string_view body) {
  const Tokens tokens = tokenize_cpp(body).tokens;
  if (has_directive(tokens)) return true;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].text == "(" && is_costly_call(tokens, i - 1)) return true;
  }
  return false;
}

bool has_control_flow(std::string_view body) {
  constexpr std::string_view kBranches[] = {"if", "for", "while", "do", "switch", "goto", "?",
                                            "&&", "||",  "and",   "or", "try",    "asm"};
  const Tokens tokens = tokenize_cpp(body).tokens;
  return has_directive(tokens) ||
         std::any_of(tokens.begin(), tokens.end(), [&](const CppToken& token) {
           return token.kind != Kind::kText && base::contains(kBranches, token.text);
         });
}

void check_operand_names(const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs) {
  check_names("args", inputs, {});
  check_names("outs", outputs, inputs);
}

void check_preamble(const std::string& name, const std::string& preamble) {
  if (preamble.empty()) return;
  fail_where_wrong(format("<preamble of '{}'>", name), preamble, check_cpp_preamble(preamble));
}

TypedKernel type_cpp_kernel(const CppBody& body, const TypeSignature& signature,
                            const std::optional<CoreSignature>& layout) {
  const bool is_generalized = layout.has_value();
  check_operand_names(body.input_names, body.output_names);
  check_counts(body, signature, is_generalized);
  const bool is_indexed = !body.before.empty();
  fail_where_wrong(format("<body of '{}'>", body.name), body.body,
                   check_cpp_body(body, is_generalized || is_indexed));

  CppKernel kernel{body.body,   body.input_names, body.output_names, aliases_of(body, signature),
                   body.before, body.after};
  kernel.calls_functions = calls_functions(body.body);
  kernel.has_control_flow = has_control_flow(body.body);
  return {body.name, signature, layout, std::move(kernel)};
}

PatternedOperands patterned_operands(const CppBody& body) {
  Names names = body.input_names;
  names.insert(names.end(), body.output_names.begin(), body.output_names.end());
  return {body.name, std::move(names), body.patterns, body.input_names.size()};
}

TypeSignature body_signature(const CppBody& body, const std::vector<base::DType>& inputs,
                             std::size_t n_outputs) {
  if (body.patterns.empty()) return promoted_signature(inputs, n_outputs);
  std::vector<GivenType> given(body.patterns.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) given[i].dtype = inputs[i];
  TypeSignature signature;
  for (const base::DType dtype : resolve_pattern(patterned_operands(body), given)) {
    const bool is_input = signature.inputs.size() < body.input_names.size();
    (is_input ? signature.inputs : signature.outputs).push_back({dtype, 0});
  }
  return signature;
}

TypeSignature promoted_signature(const std::vector<base::DType>& inputs, std::size_t n_outputs) {
  TypeSignature signature;
  base::DType common = inputs.front();
  for (const base::DType dtype : inputs) {
    signature.inputs.push_back({dtype, 0});
    common = promote(common, dtype);
  }
  signature.outputs.assign(n_outputs, {common, 0});
  return signature;
}

}  // namespace numpy_plugin::declare
