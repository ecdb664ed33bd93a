#include "numpy_plugin/cpp_body/indexed_body.hpp"

#include <algorithm>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"

namespace numpy_plugin::declare {
namespace {

// The kernel's argument of an operand, whose own name means an element or an array.
std::string argument_name(const std::string& operand) { return "npp_" + operand; }

std::string size_name(int axis) { return format("npp_size{}", axis); }

std::string cpp_type(const IndexedOperand& operand) {
  return (operand.is_writable ? "" : "const ") + std::string(base::info(operand.dtype).cpp_name);
}

// "    const auto y = npp::as_raw<const float>(npp_y);"
std::string definition(const IndexedOperand& operand) {
  const std::string type = cpp_type(operand);
  const std::string argument = "(" + argument_name(operand.name);
  switch (operand.role) {
    case IndexedRole::kScalar:
      return format("    [[maybe_unused]] const auto {} = {};\n", operand.name,
                    argument_name(operand.name));
    case IndexedRole::kElement:
      return format("    [[maybe_unused]] const auto {} = npp::element_at<{}>{}, _ind.get());\n",
                    operand.name, type, argument);
    case IndexedRole::kOutput:
      return format("    [[maybe_unused]] auto& {} = npp::element_at<{}>{}, _ind.get());\n",
                    operand.name, type, argument);
    case IndexedRole::kRaw:
      return format("    [[maybe_unused]] const auto {} = npp::as_raw<{}>{});\n", operand.name,
                    type, argument);
    case IndexedRole::kPointer:
      return format("    [[maybe_unused]] {}* const {} = npp::address_of<{}>{});\n", type,
                    operand.name, type, argument);
  }
  NPP_ASSERT(false, operand.name);
}

bool is_per_index(const IndexedOperand& operand) {
  return operand.role == IndexedRole::kElement || operand.role == IndexedRole::kOutput;
}

std::string definitions(const IndexedOperation& operation, bool per_index) {
  std::string text;
  for (const IndexedOperand& operand : operation.operands) {
    if (is_per_index(operand) == per_index) text += definition(operand);
  }
  return text;
}

// CuPy's name for the array that has the element x: _raw_x.
std::string definitions_of_arrays(const IndexedOperation& operation) {
  std::string text;
  for (const IndexedOperand& operand : operation.operands) {
    const std::string name = "_raw_" + operand.name;
    if (!is_per_index(operand) || operation.text.find(name) == std::string::npos) continue;
    text += format("    [[maybe_unused]] const auto {} = npp::as_raw<{}>({});\n", name,
                   cpp_type(operand), argument_name(operand.name));
  }
  return text;
}

// With `return`, which leaves out the rest of an element, the text becomes a function.
bool has_return(const std::string& text) {
  const auto tokens = tokenize_cpp(text).tokens;
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const CppToken& token) { return token.text == "return"; });
}

// Braces may narrow, as in CuPy's and PyCUDA's kernels.
constexpr std::string_view kNarrowing =
    "#if NPP_DEVICE\n"
    "#pragma nv_diag_suppress 2361\n"
    "#elif defined(__clang__)\n"
    "#pragma clang diagnostic ignored \"-Wc++11-narrowing\"\n"
    "#else\n"
    "#pragma GCC diagnostic ignored \"-Wnarrowing\"\n"
    "#endif\n";

// The number of elements has the name n, unless an operand has it.
std::string definition_of_n(const IndexedOperation& operation) {
  const bool is_taken = std::ranges::any_of(
      operation.operands, [](const IndexedOperand& operand) { return operand.name == "n"; });
  return is_taken ? "" : "    [[maybe_unused]] const npp::intp n = _ind.size();\n";
}

std::string begin_of_loop(const IndexedOperation& operation) {
  std::vector<std::string> sizes;
  for (int axis = 0; axis < operation.n_dimensions; ++axis) sizes.push_back(size_name(axis));
  return format(
      "{}"
      "    npp::Indexer<{}> _ind({{}});\n"
      "{}{}{}{}\n"
      "    for (npp::intp i = npp::first_index(); i < _ind.size(); i += npp::index_step()) {\n"
      "    _ind.set(i);\n"
      "{}{}",
      kNarrowing, operation.n_dimensions, base::join(sizes, ", "), definition_of_n(operation),
      definitions(operation, false), definitions_of_arrays(operation), operation.before_loop,
      definitions(operation, true), operation.before_element);
}

}  // namespace

CppBody make_indexed_body(const IndexedOperation& operation) {
  const bool is_function = has_return(operation.text);
  CppBody body;
  body.name = operation.name;
  body.body = operation.text;
  body.aliases = operation.aliases;
  body.before = begin_of_loop(operation) + (is_function ? "    [&] {\n" : "    {\n");
  body.after =
      format("{}    }\n{}\n", is_function ? "    }();\n" : "    }\n", operation.after_loop);
  for (const IndexedOperand& operand : operation.operands) {
    body.input_names.push_back(argument_name(operand.name));
  }
  for (int axis = 0; axis < operation.n_dimensions; ++axis) {
    body.input_names.push_back(size_name(axis));
  }
  return body;
}

std::vector<OperandType> argument_types(const IndexedOperation& operation) {
  std::vector<OperandType> types;
  for (const IndexedOperand& operand : operation.operands) {
    types.push_back({operand.dtype, operand.n_dimensions});
  }
  types.resize(types.size() + static_cast<std::size_t>(operation.n_dimensions),
               {base::DType::kInt64, 0});
  return types;
}

std::string indexed_layout(const IndexedOperation& operation) {
  std::vector<std::string> operands;
  for (const OperandType& type : argument_types(operation)) {
    std::vector<std::string> names;
    for (int axis = 0; axis < type.n_dimensions; ++axis) {
      names.push_back(format("d{}_{}", operands.size(), axis));
    }
    operands.push_back(format("({})", base::join(names, ",")));
  }
  return base::join(operands, ",");
}

std::vector<std::string> writable_arguments(const IndexedOperation& operation) {
  std::vector<std::string> names;
  for (const IndexedOperand& operand : operation.operands) {
    if (operand.is_writable) names.push_back(argument_name(operand.name));
  }
  return names;
}

std::vector<TypeAlias> make_aliases(const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<TypeAlias> aliases;
  for (const auto& [name, dtype] : names) {
    const auto known = base::find_dtype(std::string_view(dtype));
    NPP_ASSERT(known.has_value(), dtype);
    aliases.push_back({name, *known});
  }
  return aliases;
}

}  // namespace numpy_plugin::declare
