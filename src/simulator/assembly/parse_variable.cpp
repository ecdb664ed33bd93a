// Variables: alignment, type, name, dimensions, initializers.
#include "simulator/assembly/module_parts.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

// Far above any GPU's, and low enough that sums over a module's text do not overflow.
constexpr std::uint64_t kLargestGlobal = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestOther = std::uint64_t{1} << 24;
constexpr std::uint64_t kLargestAlignment = 1 << 16;
constexpr std::uint32_t kMostVectorBytes = 16;

constexpr std::pair<std::string_view, Space> kSpaces[] = {
    {".global", Space::kGlobal}, {".shared", Space::kShared}, {".local", Space::kLocal},
    {".const", Space::kConst},   {".param", Space::kParam},
};

std::uint32_t parse_alignment(Lexer& lexer) {
  const int line = lexer.line();
  const std::uint64_t bytes = parse_count(lexer, "an alignment", kLargestAlignment);
  if (!std::has_single_bit(bytes)) {
    throw PtxError(line, format("found an alignment of {} bytes; expected a power of two", bytes));
  }
  return static_cast<std::uint32_t>(bytes);
}

// ".attribute(.managed)", ".attribute(.managed, .unified(1, 2))": no effect, as all of a module's
// variables are accessible to the host.
void parse_attribute(Lexer& lexer) {
  lexer.expect("(", "after '.attribute'");
  do {
    if (lexer.accept(".managed")) continue;
    if (!lexer.accept(".unified")) lexer.fail_expected("'.managed' or '.unified'");
    lexer.expect("(", "after '.unified'");
    parse_count(lexer, "half of an identifier", UINT64_MAX);
    lexer.expect(",", "between the halves of an identifier");
    parse_count(lexer, "half of an identifier", UINT64_MAX);
    lexer.expect(")", "after an identifier");
  } while (lexer.accept(","));
  lexer.expect(")", "or ',' after an attribute");
}

void refuse_textures(const Lexer& lexer) {
  for (const std::string_view type : {".texref", ".samplerref", ".surfref"}) {
    if (lexer.is(type))
      throw PtxError(
          lexer.line(),
          format("{} declares an object of textures, which the simulated GPU does not have",
                 quoted(type)));
  }
}

void parse_attributes(Lexer& lexer, Variable& variable) {
  while (true) {
    if (lexer.accept(".align")) {
      variable.alignment_bytes = parse_alignment(lexer);
    } else if (lexer.accept(".attribute")) {
      parse_attribute(lexer);
    } else {
      return;
    }
  }
}

void check_vector(const Variable& variable, int line) {
  check_vector_type(variable.type, variable.n_elements, line);
  if (variable.space == Space::kParam)
    throw PtxError(line, "found a vector in .param space; expected an array of elements");
}

// Space, .align, .attribute, .v2 or .v4, and type, shared by all variables of a declaration.
Variable parse_common_part(Lexer& lexer) {
  Variable variable;
  const std::optional<Space> space = find_space(lexer.token().text);
  if (!space) lexer.fail_expected("the space of a variable, such as '.global' or '.param'");
  variable.space = *space;
  lexer.take();
  variable.alignment_bytes = 0;
  parse_attributes(lexer, variable);
  variable.n_elements = parse_vector(lexer);
  refuse_textures(lexer);
  if (lexer.is(".pred")) lexer.fail_expected("a type with bytes for a variable");
  variable.type = parse_type(lexer);
  if (variable.n_elements > 1) check_vector(variable, lexer.line());
  if (variable.alignment_bytes == 0)
    variable.alignment_bytes = variable.n_elements * size_bytes(variable.type);
  return variable;
}

void multiply_bytes(Variable& variable, std::uint64_t n_elements) {
  const bool is_large = variable.space == Space::kGlobal || variable.space == Space::kConst;
  const std::uint64_t limit = is_large ? kLargestGlobal : kLargestOther;
  if (n_elements != 0 && variable.n_bytes > limit / n_elements) {
    throw PtxError(variable.line,
                   format("{} is larger than {} bytes", quoted(variable.name), limit));
  }
  variable.n_bytes *= n_elements;
}

// "x", "x[4]", "x[2][3]"; "x[]" has no size yet. Returns the dimensions, outermost first.
std::vector<std::uint64_t> parse_name_and_dimensions(Lexer& lexer, Variable& variable) {
  std::vector<std::uint64_t> dimensions;
  variable.line = lexer.line();
  variable.name = lexer.expect_name("the name of a variable");
  variable.n_bytes = std::uint64_t{variable.n_elements} * size_bytes(variable.type);
  while (lexer.accept("[")) {
    const bool is_open = dimensions.empty() && lexer.is("]");
    dimensions.push_back(is_open ? 0 : parse_count(lexer, "a number of elements", kLargestGlobal));
    multiply_bytes(variable, is_open ? 1 : dimensions.back());
    lexer.expect("]", "after the number of elements");
  }
  variable.is_array = !dimensions.empty();
  if (variable.is_array && dimensions.front() == 0) variable.n_bytes = 0;
  return dimensions;
}

[[noreturn]] void fail_no_size(const Variable& variable) {
  throw PtxError(variable.line, quoted(variable.name) + " has no size; expected '[n]' after it");
}

void check_size(const Variable& variable) {
  if (variable.n_bytes == 0 && !variable.is_extern) fail_no_size(variable);
}

void check_initializable(const Variable& variable, const std::vector<std::uint64_t>& dimensions) {
  const bool is_in_module = variable.space == Space::kGlobal || variable.space == Space::kConst;
  if (!is_in_module || variable.is_extern) {
    throw PtxError(variable.line, format("{} has values; expected them for .global and .const "
                                         "variables that are not .extern only",
                                         quoted(variable.name)));
  }
  if (std::count(dimensions.begin(), dimensions.end(), 0) >
      (!dimensions.empty() && dimensions.front() == 0 ? 1 : 0))
    fail_no_size(variable);
}

// ".ptr .global .align 8" describes a pointer parameter's target; ignored here.
void skip_pointee(Lexer& lexer) {
  if (!lexer.accept(".ptr")) return;
  if (find_space(lexer.token().text)) lexer.take();
  if (lexer.accept(".align")) parse_alignment(lexer);
}

// ".reg .v2 .f32 x"
Variable parse_register_parameter(Lexer& lexer) {
  Variable parameter;
  lexer.take();
  parameter.space = Space::kParam;
  parameter.is_register = true;
  parameter.n_elements = parse_vector(lexer);
  parameter.type = parse_type(lexer);
  parameter.line = lexer.line();
  check_vector_type(parameter.type, parameter.n_elements, parameter.line);
  if (parameter.type == Type::kPred)
    throw PtxError(parameter.line, "found a predicate as a parameter; expected a type with bytes");
  parameter.name = lexer.expect_name("the name of a register");
  parameter.n_bytes = std::uint64_t{parameter.n_elements} * size_bytes(parameter.type);
  parameter.alignment_bytes = static_cast<std::uint32_t>(parameter.n_bytes);
  return parameter;
}

Variable parse_parameter(Lexer& lexer, ParameterKinds kinds) {
  const bool may_be_register = kinds == ParameterKinds::kParamOrRegister;
  if (may_be_register && lexer.is(".reg")) return parse_register_parameter(lexer);
  if (!lexer.is(".param"))
    lexer.fail_expected(may_be_register ? "'.param' or '.reg' of a parameter"
                                        : "'.param' of a parameter");
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
  if (!can_be_declared(type)) lexer.fail_expected("a type such as '.b32' or '.f64'");
  lexer.take();
  return type;
}

std::uint32_t parse_vector(Lexer& lexer) {
  if (lexer.accept(".v2")) return 2;
  return lexer.accept(".v4") ? 4 : 1;
}

std::vector<Variable> parse_variables(Lexer& lexer, const Linkage& linkage, ModuleUse& use) {
  Variable common = parse_common_part(lexer);
  common.is_extern = linkage.is_extern;
  common.is_visible = linkage.is_visible;
  common.is_weak = linkage.is_weak;
  std::vector<Variable> variables;
  do {
    Variable variable = common;
    std::vector<std::uint64_t> dimensions = parse_name_and_dimensions(lexer, variable);
    if (variable.n_elements > 1) dimensions.push_back(variable.n_elements);
    if (lexer.is("=")) check_initializable(variable, dimensions);
    if (lexer.accept("=")) parse_initializers(lexer, variable, dimensions, use);
    check_size(variable);
    variables.push_back(std::move(variable));
  } while (lexer.accept(","));
  lexer.expect(";", "after a variable");
  return variables;
}

std::vector<Variable> parse_parameters(Lexer& lexer, ParameterKinds kinds) {
  std::vector<Variable> parameters;
  lexer.expect("(", "before the parameters");
  if (lexer.accept(")")) return parameters;
  do {
    parameters.push_back(parse_parameter(lexer, kinds));
  } while (lexer.accept(","));
  lexer.expect(")", "or ',' after a parameter");
  return parameters;
}

void check_vector_type(Type element, std::uint32_t n_elements, int line) {
  if (n_elements == 1) return;
  if (element == Type::kPred)
    throw PtxError(line, "found a vector of predicates; expected a type with bytes");
  if (n_elements * size_bytes(element) > kMostVectorBytes)
    throw PtxError(line, format("found a vector of {} .{}; expected at most {} bits", n_elements,
                                spelling(element), 8 * kMostVectorBytes));
}

}  // namespace numpy_plugin::sim
