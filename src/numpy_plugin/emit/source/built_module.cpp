// A table of constants; the pointers of loops are in the order of the module's levels.
#include "numpy_plugin/emit/source/emit.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {
namespace {

// Any bytes as a C++ string literal. Octal escapes end after three digits.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < ' ' || byte > '~' || character == '"' || character == '\\' || character == '?') {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\%03o", byte);
      result += escape;
    } else {
      result += character;
    }
    if (character == '\n') result += "\"\n\"";
  }
  return result + '"';
}

std::string literal_or_null(const std::string& text) {
  return text.empty() ? "nullptr" : literal(text);
}

std::string braced(const std::vector<std::string>& items) {
  return format("{{}}", base::join(items, ", "));
}

std::vector<base::DType> dtypes_of(const declare::TypedKernel& kernel) {
  std::vector<base::DType> dtypes;
  for (const auto& operand : kernel.signature.inputs) dtypes.push_back(operand.dtype);
  for (const auto& operand : kernel.signature.outputs) dtypes.push_back(operand.dtype);
  return dtypes;
}

std::string print_dtypes(const declare::TypedKernel& kernel) {
  std::vector<std::string> names;
  for (const base::DType dtype : dtypes_of(kernel)) names.push_back(literal(base::name(dtype)));
  return braced(names);
}

std::size_t n_element_bytes(const declare::TypedKernel& kernel) {
  std::size_t n_bytes = 0;
  for (const base::DType dtype : dtypes_of(kernel)) n_bytes += base::info(dtype).n_bytes;
  return kernel.layout ? 0 : n_bytes;
}

// One ufunc's part of the table.
class UfuncPrinter {
 public:
  UfuncPrinter(const BuiltModule& module, std::size_t number)
      : module_(module), ufunc_(module.ufuncs[number]), number_(number) {}

  std::string declarations() const {
    std::string text;
    for (std::size_t level = 0; level < module_.levels.size(); ++level) {
      const std::string suffix = built_suffix(number_, level);
      text += format("extern const npp::ElementwiseDriver* npp_driver{};\n", suffix);
      for (const std::string& name : ufunc_.entry_points)
        text += format("npp::LoopFunction {}{};\n", name, suffix);
    }
    return text;
  }

  std::vector<std::string> drivers() const {
    std::vector<std::string> addresses;
    for (std::size_t level = 0; level < module_.levels.size(); ++level)
      addresses.push_back("&npp_driver" + built_suffix(number_, level));
    return addresses;
  }

  std::string tables() const {
    std::string text;
    std::vector<std::string> loops;
    for (std::size_t i = 0; i < ufunc_.kernels.size(); ++i) {
      const declare::TypedKernel& kernel = ufunc_.kernels[i];
      const std::string at = format("{}_{}", own(""), i);
      text += format("npp::LoopFunction* const functions{}[] = {};\n", at, functions(i));
      text += format("const char* const dtypes{}[] = {};\n", at, print_dtypes(kernel));
      loops.push_back(
          braced({"functions" + at, "dtypes" + at, std::to_string(n_element_bytes(kernel)),
                  declare::can_raise(kernel) ? "true" : "false"}));
    }
    text += format("const npp::BuiltLoop {}[] = {};\n", own("loops"), braced(loops));
    if (!kept().empty()) text += format("const int {}[] = {};\n", own("kept"), braced(kept()));
    return text;
  }

  std::string row() const {
    const auto& [inputs, outputs] = ufunc_.kernels.front().signature;
    const auto& layout = ufunc_.kernels.front().layout;
    return braced({literal(ufunc_.name), literal(ufunc_.doc),
                   layout ? literal(layout->text) : "nullptr", literal_or_null(ufunc_.identity),
                   ufunc_.is_reorderable ? "true" : "false", std::to_string(inputs.size()),
                   std::to_string(outputs.size()), own("loops"),
                   std::to_string(ufunc_.kernels.size()), kept().empty() ? "nullptr" : own("kept"),
                   std::to_string(kept().size())});
  }

 private:
  std::string own(const std::string& name) const { return format("{}_{}", name, number_); }

  std::string functions(std::size_t kernel) const {
    std::vector<std::string> names;
    for (std::size_t level = 0; level < module_.levels.size(); ++level)
      names.push_back(ufunc_.entry_points[kernel] + built_suffix(number_, level));
    return braced(names);
  }

  // Written operands that come to the kernels with their elements.
  std::vector<std::string> kept() const {
    std::vector<std::string> operands;
    const auto& layout = ufunc_.kernels.front().layout;
    if (!layout) return operands;
    for (const std::size_t operand : layout->writable_inputs)
      operands.push_back(std::to_string(operand));
    for (std::size_t output = layout->n_inputs; output < layout->operands.size(); ++output) {
      const auto writes_all = [&](const declare::TypedKernel& kernel) {
        return analysis::is_wholly_written(kernel, static_cast<int>(output));
      };
      if (!std::ranges::all_of(ufunc_.kernels, writes_all))
        operands.push_back(std::to_string(output));
    }
    return operands;
  }

  const BuiltModule& module_;
  const BuiltUfunc& ufunc_;
  std::size_t number_;
};

// The assembler copies the file: compilers take long for large arrays.
std::string print_device_data(const std::string& file) {
  if (file.empty()) return "";
  return format(
      "asm(\".pushsection .rodata\\n\"\n"
      "    \".balign 16\\nnpp_device_data:\\n.incbin \" {}\n"
      "    \"\\nnpp_device_data_end:\\n.byte 0\\n.popsection\\n\");\n"
      "extern \"C\" {\n"
      "extern __attribute__((visibility(\"hidden\"))) const char npp_device_data[];\n"
      "extern __attribute__((visibility(\"hidden\"))) const char npp_device_data_end[];\n"
      "}\n",
      literal(literal(file)));
}

}  // namespace

std::string built_suffix(std::size_t ufunc, std::size_t level) {
  return format("_of_{}_{}", ufunc, level);
}

Source emit_built_module(const BuiltModule& module) {
  std::string declarations, tables;
  std::vector<std::string> drivers, rows, levels;
  for (std::size_t i = 0; i < module.ufuncs.size(); ++i) {
    const UfuncPrinter printer(module, i);
    declarations += printer.declarations();
    tables += printer.tables();
    rows.push_back("\n    " + printer.row());
    for (std::string& address : printer.drivers()) drivers.push_back(std::move(address));
  }
  for (const std::string& level : module.levels) levels.push_back(literal(level));
  const bool has_data = !module.device_file.empty();
  Source source;
  source.entry_points = {"PyInit_" + module.name};
  source.text = format(
      "#include \"npp/cpu/built_module.hpp\"\n\n"
      "extern \"C\" {\n"
      "{}}\n"
      "{}namespace {\n\n"
      "{}const npp::BuiltUfunc ufuncs[] = {};\n"
      "const npp::ElementwiseDriver** const drivers[] = {};\n"
      "const char* const levels[] = {};\n"
      "const npp::BuiltModule contents = {\n"
      "    {}, {},\n"
      "    levels, {}, drivers, {}, ufuncs, {},\n"
      "    {}, {},\n"
      "    {}};\n\n"
      "}  // namespace\n\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void* {}() {\n"
      "  return npp_start_built_module(contents);\n"
      "}\n",
      declarations, print_device_data(module.device_file), tables, braced(rows), braced(drivers),
      braced(levels), literal(module.name), literal(module.doc), levels.size(), drivers.size(),
      rows.size(), literal_or_null(module.raising), literal_or_null(module.exceptions),
      has_data ? "npp_device_data, npp_device_data_end" : "nullptr, nullptr",
      source.entry_points.front());
  return source;
}

}  // namespace numpy_plugin::emit
