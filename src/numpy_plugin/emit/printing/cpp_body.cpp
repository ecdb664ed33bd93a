// C++ bodies and preambles between #line directives; named outputs become references.
#include "numpy_plugin/emit/printing/user_code.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"

namespace numpy_plugin::emit {

using declare::CppKernel;
using declare::TypedKernel;

namespace {

using Texts = std::vector<std::string>;

std::string label(std::string_view what, const std::string& name) {
  return base::source_label(format("<{} of '{}'>", what, name));
}

Texts operand_names(const CppKernel& body) {
  Texts names = body.input_names;
  names.insert(names.end(), body.output_names.begin(), body.output_names.end());
  return names;
}

// "using x_t = float;" for each named operand; the body's own names of types, or T where all
// operands have one type.
std::string aliases(const TypedKernel& kernel, const Texts& names) {
  Texts types = element_types(kernel.signature.inputs);
  for (const std::string& type : element_types(kernel.signature.outputs)) types.push_back(type);
  const auto is_free = [&](const std::string& alias) {
    return std::find(names.begin(), names.end(), alias) == names.end();
  };
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_free(names[i] + "_t"))
      text += format("    using {}_t [[maybe_unused]] = {};\n", names[i], types[i]);
  const auto& body = std::get<CppKernel>(kernel.body);
  for (const declare::TypeAlias& alias : body.aliases) {
    text += format("    using {} [[maybe_unused]] = {};\n", alias.name,
                   base::info(alias.dtype).cpp_name);
  }
  if (!body.aliases.empty() || !body.before.empty()) return text;
  const bool has_one_type = std::all_of(types.begin(), types.end(),
                                        [&](const std::string& type) { return type == types[0]; });
  if (has_one_type && is_free("T"))
    text += format("    using T [[maybe_unused]] = {};\n", types[0]);
  return text;
}

}  // namespace

std::string body_label(const std::string& name) { return label("body", name); }

std::string preamble_label(const std::string& name) { return label("preamble", name); }

std::string print_user_text(const std::string& file, const std::string& text) {
  return line_directive(1, file) + text + (text.ends_with('\n') ? "" : "\n") +
         line_directive(1, "npp-generated");
}

namespace {

// Wraps the user's text in a function.
std::string function(const TypedKernel& kernel, const std::string& head, const Texts& parameters) {
  const auto& body = std::get<CppKernel>(kernel.body);
  return format(
      "  NPP_FUNCTION static {}({}) {\n"
      "{}    using namespace npp::cmath;\n"
      "{}{}{}  }\n",
      head, base::join(parameters, ", "), aliases(kernel, operand_names(body)), body.before,
      print_user_text(body_label(kernel.name),
                      declare::with_last_semicolon(declare::with_plain_parts(body.body))),
      body.after);
}

Texts declare_each(const Texts& types, const std::string& between, const Texts& names) {
  Texts result;
  for (std::size_t i = 0; i < names.size(); ++i) result.push_back(types[i] + between + names[i]);
  return result;
}

Texts numbered(const std::string& name, std::size_t count) {
  Texts result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(name + std::to_string(i));
  return result;
}

Texts joined(Texts left, const Texts& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Texts constant(Texts types) {
  for (std::string& type : types) type.insert(0, "const ");
  return types;
}

// Named results are assigned in a separate function, which may return early.
std::string named_outputs(const TypedKernel& kernel) {
  const auto& body = std::get<CppKernel>(kernel.body);
  const Texts inputs = constant(element_types(kernel.signature.inputs));
  const Texts outputs = element_types(kernel.signature.outputs);
  const std::string result =
      outputs.size() == 1 ? outputs[0] : format("npp::Tuple<{}>", base::join(outputs, ", "));
  const Texts input_names = numbered("input", inputs.size());
  const Texts output_names = numbered("output", outputs.size());
  std::string text = function(kernel, "void body",
                              joined(declare_each(inputs, " ", body.input_names),
                                     declare_each(outputs, "& ", body.output_names)));
  text += format("\n  NPP_FUNCTION static {} call({}) {\n", result,
                 base::join(declare_each(inputs, " ", input_names), ", "));
  for (const std::string& output : declare_each(outputs, " ", output_names))
    text += "    " + output + "{};\n";
  text += format("    body({});\n", base::join(joined(input_names, output_names), ", "));
  return format("{}    return {};\n  }\n", text,
                outputs.size() == 1 ? output_names[0]
                                    : format("{}{{}}", result, base::join(output_names, ", ")));
}

}  // namespace

std::string print_cpp_body(const TypedKernel& kernel) {
  const auto& body = std::get<CppKernel>(kernel.body);
  if (kernel.layout)
    return function(kernel, "void call",
                    declare_each(generalized_types(kernel), " ", operand_names(body)));
  if (!body.output_names.empty()) return named_outputs(kernel);
  const std::string result = element_types(kernel.signature.outputs)[0];
  return function(
      kernel, result + " call",
      declare_each(constant(element_types(kernel.signature.inputs)), " ", body.input_names));
}

std::string print_launched_body(const TypedKernel& kernel, const std::string& name) {
  const Texts types = view_types(kernel.signature.inputs);
  const Texts names = numbered("operand", types.size());
  const auto& body = std::get<CppKernel>(kernel.body);
  return format(
      "struct Body {\n"
      "{}};\n\n"
      "__global__ void {}({}) {\n"
      "  Body::call({});\n"
      "}\n",
      function(kernel, "void call", declare_each(types, " ", body.input_names)), name,
      base::join(declare_each(types, " ", names), ", "), base::join(names, ", "));
}

std::string print_body_include(const Program& program, Target target) {
  if (user_text(program, target).label.empty()) return "";
  const auto* const body = std::get_if<CppKernel>(&program.kernels.front().body);
  const bool is_indexed = body != nullptr && !body->before.empty();
  return std::string("#include \"npp/body/names.hpp\"\n") +
         (is_indexed ? "#include \"npp/body/indexed.hpp\"\n" : "");
}

std::string print_preamble(const std::string& name, const std::string& preamble) {
  if (preamble.empty()) return "";
  return print_user_text(preamble_label(name), declare::with_plain_parts(preamble)) + "\n";
}

UserText user_text(const Program& program, Target target) {
  for (const TypedKernel& kernel : program.kernels) {
    const auto* python = std::get_if<declare::PythonKernel>(&kernel.body);
    if (python == nullptr) return {body_label(program.name), true};
    if (python->external_functions.empty()) continue;
    const declare::ExternalFunction& first = python->external_functions.front();
    if (first.declared == nullptr) return {body_label(first.name), true};
    return {target == Target::kCpu ? first.declared->cpu_label : first.declared->cuda_label, false};
  }
  return {};
}

}  // namespace numpy_plugin::emit
