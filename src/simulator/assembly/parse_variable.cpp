// Variables: alignment, type, name, dimensions, initializers.
#include "simulator/assembly/parse_variable.hpp"

#include <bit>
#include <string>
#include <utility>

#include "simulator/assembly/initializer.hpp"
#include "simulator/assembly/literal.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

// Far above any GPU's, and low enough that sums over a module's text do not overflow.
constexpr std::uint64_t kLargestGlobal = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestOther = std::uint64_t{1} << 24;
constexpr std::uint64_t kLargestAlignment = 1 << 16;

constexpr std::pair<std::string_view, Space> kSpaces[] = {
    {".global", Space::kGlobal}, {".shared", Space::kShared}, {".local", Space::kLocal},
    {".const", Space::kConst},   {".param", Space::kParam},
};

std::uint32_t parse_alignment(Lexer& lexer) {
  const int line = lexer.line();
  const std::uint64_t bytes = parse_count(lexer, "an alignment", kLargestAlignment);
  if (!std::has_single_bit(bytes)) {
    throw PtxError(
        line, "found an alignment of " + std::to_string(bytes) + " bytes; expected a power of two");
  }
  return static_cast<std::uint32_t>(bytes);
}

// Space, .align, .attribute and type, shared by all variables of a declaration.
Variable parse_common_part(Lexer& lexer) {
  Variable variable;
  const std::optional<Space> space = find_space(lexer.token().text);
  if (!space) lexer.fail_expected("the space of a variable, such as '.global' or '.param'");
  variable.space = *space;
  lexer.take();
  std::uint32_t alignment_bytes = 0;
  while (true) {
    if (lexer.accept(".align")) {
      alignment_bytes = parse_alignment(lexer);
    } else if (lexer.accept(".attribute")) {
      lexer.expect("(", "after '.attribute'");
      lexer.skip_past(')');
    } else {
      break;
    }
  }
  if (lexer.is(".pred")) lexer.fail_expected("a type with bytes for a variable");
  variable.type = parse_type(lexer);
  variable.alignment_bytes = alignment_bytes ? alignment_bytes : size_bytes(variable.type);
  return variable;
}

void multiply_bytes(Variable& variable, std::uint64_t n_elements) {
  const bool is_large = variable.space == Space::kGlobal || variable.space == Space::kConst;
  const std::uint64_t limit = is_large ? kLargestGlobal : kLargestOther;
  if (n_elements != 0 && variable.n_bytes > limit / n_elements) {
    throw PtxError(variable.line,
                   quoted(variable.name) + " is larger than " + std::to_string(limit) + " bytes");
  }
  variable.n_bytes *= n_elements;
}

// "x", "x[4]", "x[2][3]"; "x[]" has no size yet.
void parse_name_and_dimensions(Lexer& lexer, Variable& variable) {
  variable.line = lexer.line();
  variable.name = lexer.expect_name("the name of a variable");
  variable.n_bytes = size_bytes(variable.type);
  while (lexer.accept("[")) {
    const bool is_first = !variable.is_array;
    variable.is_array = true;
    const bool is_open = is_first && lexer.is("]");
    multiply_bytes(variable,
                   is_open ? 0 : parse_count(lexer, "a number of elements", kLargestGlobal));
    lexer.expect("]", "after the number of elements");
  }
}

void check_size(const Variable& variable) {
  if (variable.n_bytes == 0 && !variable.is_extern) {
    throw PtxError(variable.line, quoted(variable.name) + " has no size; expected '[n]' after it");
  }
}

void check_initializable(const Variable& variable) {
  const bool is_in_module = variable.space == Space::kGlobal || variable.space == Space::kConst;
  if (!is_in_module || variable.is_extern) {
    throw PtxError(variable.line, quoted(variable.name) +
                                      " has values; expected them for .global "
                                      "and .const variables that are not .extern only");
  }
}

// ".ptr .global .align 8" describes a pointer parameter's target; ignored here.
void skip_pointee(Lexer& lexer) {
  if (!lexer.accept(".ptr")) return;
  if (find_space(lexer.token().text)) lexer.take();
  if (lexer.accept(".align")) parse_alignment(lexer);
}

Variable parse_parameter(Lexer& lexer) {
  if (!lexer.is(".param")) lexer.fail_expected("'.param' of a parameter");
  Variable parameter = parse_common_part(lexer);
  skip_pointee(lexer);
  parse_name_and_dimensions(lexer, parameter);
  check_size(parameter);
  return parameter;
}

}  // namespace

std::optional<Space> find_space(std::string_view directive) {
  for (const auto& [spelling, space] : kSpaces) {
    if (spelling == directive) return space;
  }
  return std::nullopt;
}

Type parse_type(Lexer& lexer) {
  const std::string_view text = lexer.token().text;
  const Type type = text.starts_with('.') ? find_type(text.substr(1)) : Type::kNone;
  if (type == Type::kNone) lexer.fail_expected("a type such as '.b32' or '.f64'");
  lexer.take();
  return type;
}

std::vector<Variable> parse_variables(Lexer& lexer, const Linkage& linkage, ModuleUse& use) {
  Variable common = parse_common_part(lexer);
  common.is_extern = linkage.is_extern;
  common.is_visible = linkage.is_visible;
  common.is_weak = linkage.is_weak;
  std::vector<Variable> variables;
  do {
    Variable variable = common;
    parse_name_and_dimensions(lexer, variable);
    if (lexer.is("=")) check_initializable(variable);
    if (lexer.accept("=")) parse_initializers(lexer, variable, use);
    check_size(variable);
    variables.push_back(std::move(variable));
  } while (lexer.accept(","));
  lexer.expect(";", "after a variable");
  return variables;
}

std::vector<Variable> parse_parameters(Lexer& lexer) {
  std::vector<Variable> parameters;
  lexer.expect("(", "before the parameters");
  if (lexer.accept(")")) return parameters;
  do {
    parameters.push_back(parse_parameter(lexer));
  } while (lexer.accept(","));
  lexer.expect(")", "or ',' after a parameter");
  return parameters;
}

}  // namespace numpy_plugin::sim
