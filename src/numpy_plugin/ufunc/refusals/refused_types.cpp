#include "numpy_plugin/ufunc/refusals/refused_call.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Texts = std::vector<std::string>;

constexpr std::size_t kMostLoops = 8;

std::string text_of(nb::handle object) { return nb::str(object).c_str(); }

// "float64(float64, int32)".
std::string loop_text(const Texts& dtypes, std::size_t n_inputs) {
  const auto outputs = dtypes.begin() + static_cast<std::ptrdiff_t>(n_inputs);
  return format("{}({})", base::join({outputs, dtypes.end()}, ", "),
                base::join({dtypes.begin(), outputs}, ", "));
}

std::string loop_text(const std::vector<nb::object>& dtypes, std::size_t n_inputs) {
  Texts names;
  for (const nb::object& dtype : dtypes) names.push_back(text_of(dtype));
  return loop_text(names, n_inputs);
}

std::string declared_loops_text(const run::KernelLibrary& library) {
  const auto& signatures = library.declaration().signatures;
  Texts texts;
  for (const declare::TypeSignature& signature : signatures) {
    if (texts.size() == kMostLoops) break;
    Texts names;
    for (const auto& operand : signature.inputs) names.emplace_back(base::name(operand.dtype));
    for (const auto& operand : signature.outputs) names.emplace_back(base::name(operand.dtype));
    texts.push_back(loop_text(names, signature.inputs.size()));
  }
  const std::size_t n_more = signatures.size() - texts.size();
  return base::join(texts, "; ") + (n_more > 0 ? format(" and {} more", n_more) : "");
}

// "float64, int32", with " -> int64" where an output was given.
std::string operands_text(const RefusedCall& call) {
  Texts inputs, outputs;
  bool has_output = false;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    has_output |= i >= call.n_inputs() && call.operand(i).is_valid();
    (i < call.n_inputs() ? inputs : outputs).push_back(text_of(call.dtype(i)));
  }
  return base::join(inputs, ", ") + (has_output ? " -> " + base::join(outputs, ", ") : "");
}

// Code that replaces an operand; empty where a loop of the dtype accepts it unchanged.
std::string operand_conversion(const RefusedCall& call, const UfuncState& state, std::size_t index,
                               nb::handle wanted, NPY_CASTING casting) {
  const bool is_weak = call.has_arrays();
  const nb::object type = is_weak ? nb::borrow(call.type(index)) : call.dtype(index);
  if (takes(type, wanted, casting)) return "";
  const bool has_name = index < state.parameters.size();
  const std::string name = call.is_reduction() ? "array"
                           : has_name          ? state.parameters[index]
                                               : format("x{}", index + 1);
  const std::string text =
      conversion(call.operand(index), call.dtype(index), wanted, name, is_weak);
  // `at` modifies its array in place: a converted array needs a name.
  const bool is_changed = call.called_as() == CalledAs::kAt && index == 0;
  return is_changed && text.find('(') != std::string::npos ? format("{} = {}", name, text) : text;
}

void add_once(Texts& texts, std::string text) {
  const bool is_there = std::find(texts.begin(), texts.end(), text) != texts.end();
  if (!text.empty() && !is_there) texts.push_back(std::move(text));
}

nb::object descriptor_of(base::DType dtype) {
  return checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type_number(dtype))));
}

// The fewest conversions that make a declared loop accept the operands: among equals the last,
// which is the widest.
Texts fewest_conversions(const RefusedCall& call, const UfuncState& state) {
  std::optional<Texts> fewest;
  for (const run::Loop& loop : state.library->declared_loops()) {
    const DTypes dtypes = operand_dtypes(loop);
    Texts needed;
    for (std::size_t i = 0; i < call.n_inputs(); ++i) {
      const nb::object wanted = descriptor_of(dtypes[i]);
      add_once(needed, operand_conversion(call, state, i, wanted, NPY_SAFE_CASTING));
    }
    if (!fewest || needed.size() <= fewest->size()) fewest = std::move(needed);
  }
  return fewest.value_or(Texts());
}

// Conversions of all operands to kernel dtypes, where a loop is compiled for any of these.
Texts kernel_conversions(const RefusedCall& call, const UfuncState& state) {
  Texts texts;
  for (std::size_t i = 0; i < call.n_inputs(); ++i) {
    const nb::object wanted = nearest_kernel_dtype(call.dtype(i));
    if (wanted.is_valid()) {
      add_once(texts, operand_conversion(call, state, i, wanted, NPY_NO_CASTING));
    }
  }
  return texts;
}

std::string hint_text(const std::string& text) { return text.empty() ? "" : "\n  hint: " + text; }

bool is_kernel_dtype(const nb::object& dtype) {
  return dtype_of_number(as_descriptor(dtype)->type_num).has_value();
}

std::string declared_note(const RefusedCall& call, const UfuncState& state) {
  const std::string loops = "\n  loops: " + declared_loops_text(*state.library);
  if (call.name_of_types() != nullptr) {
    return loops + hint_text("dtype= and signature= take the types of a loop");
  }
  std::string hint = base::join(fewest_conversions(call, state), " and ");
  bool is_declarable = !hint.empty();
  for (std::size_t i = 0; i < call.n_inputs(); ++i) is_declarable &= is_kernel_dtype(call.dtype(i));
  if (is_declarable) hint += ", or declare a loop of these types";
  return loops + hint_text(hint);
}

std::string lazy_note(const RefusedCall& call, const UfuncState& state) {
  if (call.name_of_types() != nullptr) {
    if (const auto loop = call.find_loop(/*with_named_types=*/false)) {
      return "\n  loop: " + loop_text(*loop, call.n_inputs()) +
             hint_text(format("leave {}= out", call.name_of_types()));
    }
  }
  return format("\n  loops: compiled for a call's types, each of {}{}", declare::kKernelTypes,
                hint_text(base::join(kernel_conversions(call, state), " and ")));
}

NPY_CASTING casting_named(const std::string& name) {
  NPY_CASTING casting = NPY_SAME_KIND_CASTING;
  const nb::str text(name.c_str());
  if (PyArray_CastingConverter(text.ptr(), &casting) != NPY_SUCCEED) throw nb::python_error();
  return casting;
}

// Code that allows all casts to and from a loop's dtypes.
Texts cast_hints(const RefusedCall& call, const UfuncState& state,
                 const std::vector<nb::object>& loop, NPY_CASTING casting) {
  Texts texts;
  for (std::size_t i = 0; i < call.n_inputs(); ++i) {
    add_once(texts, operand_conversion(call, state, i, loop[i], casting));
  }
  const std::size_t n_outputs = call.n_operands() - call.n_inputs();
  for (std::size_t i = call.n_inputs(); i < call.n_operands(); ++i) {
    if (!call.operand(i).is_valid() || takes(loop[i], call.type(i), casting)) continue;
    const std::string output =
        n_outputs == 1 ? "out=" : format("output {}", i - call.n_inputs() + 1);
    add_once(texts, format("{} of dtype {}", output, text_of(loop[i])));
  }
  return texts;
}

std::string cast_note(const RefusedCall& call, const UfuncState& state, nb::handle error) {
  const auto loop = call.find_loop();
  if (!loop) return "";
  const NPY_CASTING casting = casting_named(text_of(error.attr("casting")));
  const bool is_usual_enough =
      call.casting().is_valid() && cast_hints(call, state, *loop, NPY_SAME_KIND_CASTING).empty();
  Texts hints = {base::join(cast_hints(call, state, *loop, casting), " and ")};
  if (hints.front().empty()) hints.clear();
  hints.emplace_back(is_usual_enough ? "leave casting= out" : "casting=\"unsafe\"");
  return "\n  loop: " + loop_text(*loop, call.n_inputs()) + hint_text(base::join(hints, ", or "));
}

bool is_lazy(const UfuncState& state) { return state.library->declaration().signatures.empty(); }

// NumPy's exception carries the casting rule where a cast is rejected, and the dtypes where there
// is no loop; the latter may also be a plain TypeError, as for an invalid argument.
std::string note_text(nb::handle ufunc, const UfuncState& state, CalledAs called_as,
                      const GivenArguments& given, nb::handle error) {
  const bool is_cast = nb::hasattr(error, "casting");
  const bool is_surely_types = is_cast || nb::hasattr(error, "dtypes");
  if (is_lazy(state) && !is_surely_types) return "";
  const RefusedCall call(ufunc.ptr(), state, called_as, given);
  if (!call.has_all_operands() || (!is_surely_types && call.find_loop())) return "";
  const std::string rest = is_cast          ? cast_note(call, state, error)
                           : is_lazy(state) ? lazy_note(call, state)
                                            : declared_note(call, state);
  return rest.empty() ? "" : "  operands: " + operands_text(call) + rest;
}

}  // namespace

void note_refused_types(PyObject* ufunc, CalledAs called_as, const GivenArguments& given) {
  if (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  nb::python_error error;
  try {
    if (!nb::hasattr(error.value(), "__notes__") &&
        !classify_method_operands(given).has_foreign_dispatch()) {
      const std::string text =
          note_text(ufunc, *find_state(ufunc), called_as, given, error.value());
      if (!text.empty()) error.value().attr("add_note")(text.c_str());
    }
  } catch (const std::exception&) {
    // Best effort: NumPy's error remains without the note.
  }
  error.restore();
}

}  // namespace numpy_plugin::ufunc
