#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

struct Parameter {
  const char* name;
  nb::handle MethodArguments::*place;
};

constexpr Parameter kArray = {"array", &MethodArguments::array};
constexpr Parameter kIndices = {"indices", &MethodArguments::indices};
constexpr Parameter kAxis = {"axis", &MethodArguments::axis};
constexpr Parameter kDtype = {"dtype", &MethodArguments::dtype};
constexpr Parameter kOut = {"out", &MethodArguments::out};

// Each method's parameters in NumPy's order, all but the first two optional.
constexpr Parameter kOfReduce[] = {kArray,
                                   kAxis,
                                   kDtype,
                                   kOut,
                                   {"keepdims", &MethodArguments::keepdims},
                                   {"initial", &MethodArguments::initial},
                                   {"where", &MethodArguments::where}};
constexpr Parameter kOfAccumulate[] = {kArray, kAxis, kDtype, kOut};
constexpr Parameter kOfReduceAt[] = {kArray, kIndices, kAxis, kDtype, kOut};

std::span<const Parameter> parameters_of(Reduction method) {
  switch (method) {
    case Reduction::kReduce:
      return kOfReduce;
    case Reduction::kAccumulate:
      return kOfAccumulate;
    case Reduction::kReduceAt:
      return kOfReduceAt;
  }
  NPP_ASSERT(false, std::to_string(static_cast<int>(method)));
  return {};
}

// Null for unknown names.
nb::handle MethodArguments::*parameter_place(std::span<const Parameter> parameters,
                                             PyObject* name) {
  if (is_name(name, "stream")) return &MethodArguments::stream;
  for (const Parameter& parameter : parameters) {
    if (is_name(name, parameter.name)) return parameter.place;
  }
  return nullptr;
}

// False for arguments that NumPy rejects.
bool take_arguments(const GivenArguments& given, MethodArguments& call) {
  const auto parameters = parameters_of(call.method);
  if (given.n_positional > parameters.size()) return false;
  for (std::size_t i = 0; i < given.n_positional; ++i) {
    call.*parameters[i].place = given.values[i];
  }
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    const auto place = parameter_place(parameters, given.name(i));
    if (place == nullptr || (call.*place).is_valid()) return false;
    call.*place = given.values[given.n_positional + i];
  }
  return call.array.is_valid() && (call.method != Reduction::kReduceAt || call.indices.is_valid());
}

// The array in out=(array,).
nb::handle only_item(nb::handle out) {
  const bool is_pair = PyTuple_CheckExact(out.ptr()) && PyTuple_GET_SIZE(out.ptr()) == 1;
  return is_pair ? nb::handle(PyTuple_GET_ITEM(out.ptr(), 0)) : out;
}

}  // namespace

const char* name_of(Reduction method) {
  constexpr std::array kNames = {"reduce", "accumulate", "reduceat"};
  return kNames[static_cast<std::size_t>(method)];
}

MethodArguments read_method(PyObject* ufunc, Reduction method, const GivenArguments& given) {
  MethodArguments call;
  call.method = method;
  call.given = given;
  if (!take_arguments(given, call))
    raise_numpys_error(ufunc, name_of(method), given, "its arguments are not the method's");
  if (call.out.is_valid()) call.out = only_item(call.out);
  const bool is_default = call.out.is_valid() && (call.out.is_none() ||  //
                                                  call.out.ptr() == Py_Ellipsis);
  if (is_default) call.out = nb::handle();
  if (call.dtype.is_valid() && call.dtype.is_none()) call.dtype = nb::handle();
  if (call.where.is_valid() && call.where.ptr() == Py_True) call.where = nb::handle();
  if (call.stream.is_valid() && call.stream.is_none()) call.stream = nb::handle();
  return call;
}

void raise_numpys_error(PyObject* ufunc, const char* method, const GivenArguments& given,
                        const char* reason) {
  const TypesOnly types_only;
  const ArgumentsWithoutStream others(given);
  nb::list positional;
  nb::dict named;
  const GivenArguments& numpys = others.given();
  for (std::size_t i = 0; i < numpys.n_positional; ++i) {
    positional.append(with_stand_ins(numpys.values[i]));
  }
  for (std::size_t i = 0; i < numpys.n_named(); ++i) {
    named[nb::handle(numpys.name(i))] = with_stand_ins(numpys.values[numpys.n_positional + i]);
  }
  nb::handle(ufunc).attr(method)(*positional, **named);
  NPP_ASSERT(false, format("NumPy takes a call of {} that was refused: {}", method, reason));
  throw nb::python_error();  // unreachable
}

}  // namespace numpy_plugin::ufunc
