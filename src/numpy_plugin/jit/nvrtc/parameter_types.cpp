#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::string_view kVariable = "npp_kernel_type";

struct NamedType {
  std::string_view name;  // as demangled
  ScalarType type;
};

constexpr NamedType kScalarTypes[] = {
    {"bool", {'b', 1}},          {"char", {'i', 1}},         {"signed char", {'i', 1}},
    {"unsigned char", {'u', 1}}, {"short", {'i', 2}},        {"unsigned short", {'u', 2}},
    {"int", {'i', 4}},           {"unsigned int", {'u', 4}}, {"long", {'i', 8}},
    {"unsigned long", {'u', 8}}, {"long long", {'i', 8}},    {"unsigned long long", {'u', 8}},
    {"float", {'f', 4}},         {"double", {'f', 8}},
};

// "npp_kernel_type<void (float*)>" → "void (float*)"
std::string_view template_argument(std::string_view text) {
  const std::size_t begin = text.find(kVariable);
  if (begin == std::string_view::npos || !text.ends_with('>')) return {};
  text.remove_prefix(begin + kVariable.size());
  if (!text.starts_with('<')) return {};
  return text.substr(1, text.size() - 2);
}

}  // namespace

std::string type_variable_text() {
  return format(
      "\n#line 1 \"npp-generated\"\n"
      "template <class Function> __device__ unsigned char {};\n",
      kVariable);
}

std::string type_variable_name(const std::string& kernel) {
  return format("&{}<decltype({})>", kVariable, kernel);
}

std::vector<std::string> split_parameter_types(std::string_view function_type) {
  std::size_t begin = function_type.find('(');
  if (begin == std::string_view::npos || !function_type.ends_with(')')) return {};
  if (function_type.substr(begin).starts_with("(*)(")) begin += 3;
  const std::string_view list = function_type.substr(begin + 1, function_type.size() - begin - 2);
  std::vector<std::string> types;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c != ',' || depth > 0) continue;
    const std::string_view type = base::strip(list.substr(start, at - start));
    if (!type.empty() && type != "void") types.emplace_back(type);
    start = at + 1;
  }
  return types;
}

void set_parameter_types(KernelSignature& kernel, const std::string& lowered_name) {
  const std::string name = demangled(lowered_name);
  const std::vector<std::string> types = split_parameter_types(template_argument(name));
  if (types.size() != kernel.parameters.size()) return;
  for (std::size_t i = 0; i < types.size(); ++i) {
    kernel.parameters[i].cpp_type = types[i];
    kernel.parameters[i].is_pointer = types[i].ends_with('*');
  }
}

std::optional<ScalarType> scalar_type(std::string_view cpp_type) {
  for (const NamedType& row : kScalarTypes) {
    if (row.name == cpp_type) return row.type;
  }
  return std::nullopt;
}

std::optional<ScalarType> pointed_type(std::string_view cpp_type) {
  if (!cpp_type.ends_with('*')) return std::nullopt;
  cpp_type.remove_suffix(1);
  for (bool is_stripped = true; is_stripped;) {
    is_stripped = false;
    for (const std::string_view qualifier : {" const", " volatile"}) {
      if (!cpp_type.ends_with(qualifier)) continue;
      cpp_type.remove_suffix(qualifier.size());
      is_stripped = true;
    }
  }
  return scalar_type(cpp_type);
}

}  // namespace numpy_plugin::jit
