#include "numpy_plugin/ufunc/loops/promotion.hpp"

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/kernel/inferred_type.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

// Input dtypes of candidate loops, best first.
using Candidates = std::vector<DTypes>;

nb::object common_class(std::vector<PyArray_DTypeMeta*> classes) {
  nb::object common = nb::steal(reinterpret_cast<PyObject*>(
      PyArray_PromoteDTypeSequence(static_cast<npy_intp>(classes.size()), classes.data())));
  if (!common.is_valid()) PyErr_Clear();  // strings, dates: no kernel has them
  return common;
}

bool is_time_class(PyArray_DTypeMeta* dtype) { return PyTypeNum_ISDATETIME(dtype->type_num); }

// The dtype that Python numbers take from the other operands. NumPy's promotion gives float32 for a
// float with bfloat16, a type of another package: here it is as weak as with all other floats.
std::optional<DType> dtype_of_numbers(std::vector<PyArray_DTypeMeta*> given) {
  std::vector<PyArray_DTypeMeta*> concrete;
  bool is_complex = false;
  for (PyArray_DTypeMeta* dtype : given) {
    if (dtype_of_class(dtype))
      concrete.push_back(dtype);
    else
      is_complex |= dtype_of_number_class(dtype) == DType::kComplex128;
  }
  // Dates have no common class with numbers, which are then of their own types.
  std::erase_if(concrete, is_time_class);
  std::erase_if(given, is_time_class);
  if (given.empty()) return std::nullopt;
  if (!concrete.empty() && !is_complex) {
    const nb::object common = common_class(concrete);
    if (common.is_valid() && dtype_of_class(as_class(common)) == DType::kBFloat16) {
      return DType::kBFloat16;
    }
  }
  const nb::object common = common_class(given);
  if (!common.is_valid()) return std::nullopt;
  const auto shared = dtype_of_class(as_class(common));
  return shared ? shared : dtype_of_number_class(as_class(common));
}

// The operands' own types, or those the signature names; nullopt when no kernel has one of them.
std::optional<DTypes> own_dtypes(const LoopQuery& question) {
  std::vector<PyArray_DTypeMeta*> given;
  for (std::size_t i = 0; i < question.n_inputs; ++i) {
    given.push_back(question.is_named(i) ? question.signature[i] : question.operands[i]);
    if (given.back() == nullptr) return std::nullopt;
  }
  const auto of_numbers = dtype_of_numbers(given);
  DTypes dtypes;
  for (PyArray_DTypeMeta* dtype : given) {
    const auto own = dtype_of_class(dtype);
    if (!own && (!of_numbers || !dtype_of_number_class(dtype))) return std::nullopt;
    dtypes.push_back(own ? *own : *of_numbers);
  }
  return dtypes;
}

// Dtypes of a loop's operands, without compiling it; nullopt where the kernel does not accept such
// inputs.
std::optional<DTypes> loop_dtypes(const UfuncState& state, const DTypes& inputs) {
  try {
    DTypes dtypes = inputs;
    const DTypes results = state.library->result_dtypes(inputs);
    dtypes.insert(dtypes.end(), results.begin(), results.end());
    return dtypes;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

// reduce, accumulate and reduceat without dtype= and out=: all operands of the loop have the
// array's dtype, else that of its result where casting to it is lossless, as np.true_divide of
// integers.
Candidates reduction_candidates(const UfuncState& state, DType array) {
  Candidates candidates = {{array, array}};
  const auto dtypes = loop_dtypes(state, candidates.front());
  if (!dtypes || dtypes->back() == array) return candidates;
  const DType result = dtypes->back();
  if (can_cast(array, result, NPY_SAFE_CASTING)) candidates.push_back({result, result});
  if (has_initial(state)) candidates.push_back({result, array});
  return candidates;
}

// Likewise with dtype=, which names the dtype of the whole computation. Elements for which that
// cast would be lossy are read uncast where the reduction has an initial value.
Candidates reduction_candidates(const UfuncState& state, DType named, DType array) {
  const Candidates candidates = {{named, named}, {named, array}};
  const bool fits = can_cast(array, named, NPY_SAME_KIND_CASTING);
  return fits || !has_initial(state) ? candidates
                                     : Candidates(candidates.rbegin(), candidates.rend());
}

// A call with dtype=, which NumPy passes as the outputs' dtypes: the dtype of the whole computation
// where the inputs fit it, as objects and strings may, else any loop with such an output.
Candidates named_candidates(const LoopQuery& question, const std::optional<DTypes>& own) {
  PyArray_DTypeMeta* const output = question.signature[question.n_inputs];
  const auto named = dtype_of_class(output);
  if (!named) return own ? Candidates{*own} : Candidates();
  const DTypes uniform(question.n_inputs, *named);
  if (!own) return {uniform};
  std::vector<PyArray_DTypeMeta*> all(question.operands, question.operands + question.n_inputs);
  all.push_back(output);
  const nb::object common = common_class(all);
  const bool fits = common.is_valid() && dtype_of_class(as_class(common)) == named;
  return fits ? Candidates{uniform, *own} : Candidates{*own, uniform};
}

bool is_reduction(const LoopQuery& question) { return question.operands[0] == nullptr; }

bool is_reduction_with_dtype(const LoopQuery& question) {
  return question.n_inputs == 2 && question.n_operands == 3 && question.is_named(0) &&
         !question.is_named(1) && question.signature[0] == question.signature[2];
}

Candidates candidates_for(const UfuncState& state, const LoopQuery& question) {
  if (is_reduction(question)) {
    const auto array = dtype_of_class(question.operands[1]);
    return array ? reduction_candidates(state, *array) : Candidates();
  }
  const auto own = own_dtypes(question);
  const bool has_outputs = question.n_operands > question.n_inputs;
  if (has_outputs && !question.names_inputs() && question.is_named(question.n_inputs)) {
    return named_candidates(question, own);
  }
  if (!own) return {};
  if (is_reduction_with_dtype(question)) return reduction_candidates(state, (*own)[0], (*own)[1]);
  return {*own};
}

// The type that a call gives a patterned operand; a reduction gives the array's to its first one.
declare::GivenType given_type(const LoopQuery& question, std::size_t operand) {
  const bool is_left = is_reduction(question) && operand == 0;
  PyArray_DTypeMeta* const given = question.is_named(operand)
                                       ? question.signature[operand]
                                       : question.operands[is_left ? 1 : operand];
  if (given == nullptr) return {};
  const auto dtype = dtype_of_class(given);
  return {dtype, dtype ? std::nullopt : dtype_of_number_class(given)};
}

// Input dtypes of a body whose operands have type placeholders; nullopt where an operand has a type
// that no kernel has.
std::optional<DTypes> resolved_inputs(const declare::CppBody& body, const LoopQuery& question) {
  std::vector<declare::GivenType> given(question.n_operands);
  for (std::size_t i = 0; i < question.n_operands; ++i) {
    if (i < question.n_inputs || question.is_named(i)) given[i] = given_type(question, i);
    if (i < question.n_inputs && !given[i].dtype && !given[i].number) return std::nullopt;
  }
  DTypes dtypes = declare::resolve_pattern(declare::patterned_operands(body), given);
  dtypes.resize(question.n_inputs);
  return dtypes;
}

// Inputs whose Python ints are integers although the others are floats; nullopt where there are
// none such, and where the query names dtypes.
std::optional<LoopInputs> with_python_ints(const UfuncState& state, const LoopQuery& question,
                                           const DTypes& own) {
  const bool is_function =
      std::holds_alternative<declare::FunctionSyntax>(state.library->declaration().body);
  const auto* const named = question.signature + question.n_operands;
  if (!is_function || is_reduction(question) ||
      std::any_of(question.signature, named, [](auto* dtype) { return dtype != nullptr; })) {
    return std::nullopt;
  }
  LoopInputs inputs = {own, std::vector<bool>(own.size())};
  bool has_ints = false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool is_int = !dtype_of_class(question.operands[i]) &&
                        dtype_of_number_class(question.operands[i]) == DType::kInt64;
    if (!is_int || base::is_integer(own[i])) continue;
    inputs.dtypes[i] = DType::kInt64;
    inputs.plain[i] = has_ints = true;
  }
  return has_ints ? std::optional(std::move(inputs)) : std::nullopt;
}

// Inputs whose Python floats are real although the others are complex; nullopt where the kernel
// does not accept these either.
std::optional<LoopInputs> with_python_floats(const UfuncState& state, const LoopQuery& question,
                                             DTypes dtypes) {
  bool has_floats = false;
  for (std::size_t i = 0; i < question.n_inputs; ++i) {
    PyArray_DTypeMeta* const given = question.operands[i];
    const bool is_float = given != nullptr && !question.is_named(i) && !dtype_of_class(given) &&
                          dtype_of_number_class(given) == DType::kFloat64;
    if (!is_float || !base::is_complex(dtypes[i])) continue;
    dtypes[i] = declare::real_dtype(dtypes[i]);
    has_floats = true;
  }
  return has_floats && loop_dtypes(state, dtypes) ? std::optional(LoopInputs{std::move(dtypes)})
                                                  : std::nullopt;
}

}  // namespace

std::optional<DType> dtype_of_number_class(PyArray_DTypeMeta* abstract) {
  const nb::object name = nb::handle(reinterpret_cast<PyObject*>(abstract)).attr("__name__");
  const std::string text = nb::str(name).c_str();
  if (text == "_PyLongDType") return DType::kInt64;
  if (text == "_PyFloatDType") return DType::kFloat64;
  if (text == "_PyComplexDType") return DType::kComplex128;
  return std::nullopt;
}

bool can_cast(DType from, DType to, NPY_CASTING casting) {
  const nb::object source =
      nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type_number(from))));
  const nb::object target =
      nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type_number(to))));
  return PyArray_CanCastTypeTo(as_descriptor(source), as_descriptor(target), casting) != 0;
}

bool has_initial(const UfuncState& state) {
  return !state.identity.is_none() && !nb::isinstance<nb::str>(state.identity);
}

bool satisfies(const LoopQuery& question, const DTypes& dtypes) {
  for (std::size_t i = 0; i < question.n_operands; ++i) {
    if (question.is_named(i) && dtype_of_class(question.signature[i]) != dtypes[i]) return false;
  }
  return !is_reduction(question) || dtypes.front() == dtypes.back();
}

std::optional<LoopInputs> choose_inputs(const UfuncState& state, const LoopQuery& question) {
  const auto* const body = std::get_if<declare::CppBody>(&state.library->declaration().body);
  if (body != nullptr && !body->patterns.empty()) {
    auto inputs = resolved_inputs(*body, question);
    return inputs ? std::optional(LoopInputs{std::move(*inputs)}) : std::nullopt;
  }
  const Candidates candidates = candidates_for(state, question);
  if (candidates.empty()) return std::nullopt;
  if (candidates.size() == 1) {
    const DTypes& own = candidates.front();
    if (loop_dtypes(state, own)) return LoopInputs{own};
    if (auto with_ints = with_python_ints(state, question, own)) return with_ints;
    if (auto with_floats = with_python_floats(state, question, own)) return with_floats;
    return LoopInputs{own};
  }
  bool has_loop = false;
  for (const DTypes& inputs : candidates) {
    const auto dtypes = loop_dtypes(state, inputs);
    if (dtypes && satisfies(question, *dtypes)) return LoopInputs{inputs};
    has_loop |= dtypes.has_value();
  }
  return has_loop ? std::nullopt : std::optional(LoopInputs{candidates.front()});
}

}  // namespace numpy_plugin::ufunc
