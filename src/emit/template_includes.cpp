// A kernel uses a header where it has a local of its kind.
#include "numpy_plugin/emit/template_includes.hpp"

#include <algorithm>

namespace numpy_plugin::emit {
namespace {

bool has_array(const declare::Function& function) {
  return std::any_of(function.locals.begin(), function.locals.end(), [](const auto& local) {
    return local.type.kind == declare::ValueType::Kind::kArray;
  });
}

// The headers of generalized loops have arrays already.
bool needs_arrays(const declare::TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || kernel.layout) return false;
  return has_array(python->function) ||
         std::any_of(python->device_functions.begin(), python->device_functions.end(), has_array);
}

}  // namespace

std::string print_template_includes(const Program& program) {
  if (std::none_of(program.kernels.begin(), program.kernels.end(), needs_arrays)) return "";
  return "#include \"numpy_plugin/array.hpp\"\n";
}

}  // namespace numpy_plugin::emit
