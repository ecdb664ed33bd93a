#include "numpy_plugin/ufunc/refusals/refused_call.hpp"

#include <exception>
#include <string>

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

bool has_name(const declare::CoreSignature& layout, std::size_t operand, const std::string& name) {
  for (const declare::CoreDimension& dimension : layout.operands[operand]) {
    if (layout.names[static_cast<std::size_t>(dimension.name_index)].name == name) return true;
  }
  return false;
}

bool is_sized(const declare::CoreSignature& layout, const std::string& name,
              const CallArguments& call) {
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    if (call.output(i).is_valid() && has_name(layout, call.n_inputs + i, name)) return true;
  }
  return false;
}

}  // namespace

void note_unsized_output(PyObject* ufunc, const UfuncState& state, const GivenArguments& given) {
  if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) return;
  nb::python_error error;
  try {
    const declare::CoreSignature& layout = *state.library->declaration().layout;
    const std::string& name = state.output_only_name;
    if (!is_sized(layout, name, read_call(ufunc, state, given))) {
      const std::string note = format(
          "  hint: pass out=, whose shape has the size of '{}', or declare a fixed size or an "
          "input with ({})",
          name, name);
      error.value().attr("add_note")(note.c_str());
    }
  } catch (const std::exception&) {
    // Best effort: NumPy's error remains without the note.
  }
  error.restore();
}

}  // namespace numpy_plugin::ufunc
