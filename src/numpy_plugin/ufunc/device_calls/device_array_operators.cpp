// x + y is numpy.add(x, y), as for NumPy's arrays: NumPy consults __array_ufunc__ of both sides.
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

struct Operator {
  const char* name;
  const char* ufunc;
};

// With a reflected and, except for divmod, an in-place form.
constexpr Operator kArithmetic[] = {
    {"add", "add"},         {"sub", "subtract"},          {"mul", "multiply"},
    {"truediv", "divide"},  {"floordiv", "floor_divide"}, {"mod", "remainder"},
    {"matmul", "matmul"},   {"and", "bitwise_and"},       {"or", "bitwise_or"},
    {"xor", "bitwise_xor"}, {"lshift", "left_shift"},     {"rshift", "right_shift"},
    {"divmod", "divmod"},
};
constexpr Operator kComparisons[] = {{"lt", "less"},    {"le", "less_equal"},
                                     {"gt", "greater"}, {"ge", "greater_equal"},
                                     {"eq", "equal"},   {"ne", "not_equal"}};
constexpr Operator kUnary[] = {
    {"neg", "negative"}, {"pos", "positive"}, {"invert", "invert"}, {"abs", "absolute"}};

nb::object numpys(const char* ufunc) { return nb::module_::import_("numpy").attr(ufunc); }

// NumPy's rule for deferring an operator: to objects with __array_ufunc__ = None, and to those
// without __array_ufunc__ whose __array_priority__ is higher.
bool defers_to(nb::handle other, bool is_in_place = false) {
  const bool is_plain = PyArray_CheckExact(other.ptr()) ||
                        PyArray_CheckAnyScalarExact(other.ptr()) != 0 ||
                        find_device_array(other) != nullptr;
  if (is_plain) return false;
  const nb::object ufunc = nb::getattr(other.type(), "__array_ufunc__", nb::handle());
  if (ufunc.is_valid()) return !is_in_place && ufunc.is_none();
  return PyArray_GetPriority(other.ptr(), NPY_SCALAR_PRIORITY) > NPY_PRIORITY;
}

nb::object call(const char* ufunc, nb::handle left, nb::handle right) {
  return defers_to(right) ? not_implemented() : numpys(ufunc)(left, right);
}

// The left side was tried first and returned NotImplemented.
nb::object call_reflected(const char* ufunc, nb::handle left, nb::handle right) {
  return numpys(ufunc)(left, right);
}

nb::object call_in_place(const char* ufunc, nb::handle self, nb::handle other) {
  if (defers_to(other, /*is_in_place=*/true)) return not_implemented();
  return numpys(ufunc)(self, other, "out"_a = nb::make_tuple(self));
}

// nanobind does not copy names and signatures.
const char* lasting(std::string text) {
  static auto& texts = *new std::deque<std::string>;
  return texts.emplace_back(std::move(text)).c_str();
}

std::string special(const char* prefix, const Operator& row) {
  return format("__{}{}__", prefix, row.name);
}

// Signatures for type checkers, which require those of object for == and !=.
std::string result_type(std::string_view name) {
  if (name.ends_with("divmod__")) return "tuple[DeviceArray, DeviceArray]";
  return name == "__eq__" || name == "__ne__" ? "typing.Any" : "DeviceArray";
}

template <typename Function>
void define(nb::class_<DeviceArray>& type, const std::string& name, const Function& function) {
  const std::string signature =
      format("def {}(self, other: typing.Any, /) -> {}", name, result_type(name));
  type.def(lasting(name), function, "other"_a.none(), nb::sig(lasting(signature)));
}

void define_binary(nb::class_<DeviceArray>& type, const Operator& row) {
  const char* const ufunc = row.ufunc;
  define(type, special("", row),
         [ufunc](nb::handle self, nb::handle other) { return call(ufunc, self, other); });
}

void define_reflected(nb::class_<DeviceArray>& type, const Operator& row) {
  const char* const ufunc = row.ufunc;
  define(type, special("r", row),
         [ufunc](nb::handle self, nb::handle other) { return call_reflected(ufunc, other, self); });
}

void define_in_place(nb::class_<DeviceArray>& type, const Operator& row) {
  const char* const ufunc = row.ufunc;
  define(type, special("i", row),
         [ufunc](nb::handle self, nb::handle other) { return call_in_place(ufunc, self, other); });
}

void define_unary(nb::class_<DeviceArray>& type, const Operator& row) {
  const char* const ufunc = row.ufunc;
  const std::string name = special("", row);
  type.def(
      lasting(name), [ufunc](nb::handle self) -> nb::object { return numpys(ufunc)(self); },
      nb::sig(lasting(format("def {}(self) -> DeviceArray", name))));
}

// pow(x, y, modulus) has no array form, but Python's slots pass the argument.
template <typename Function>
void define_power(nb::class_<DeviceArray>& type, const char* name, const char* signature,
                  const Function& function) {
  type.def(
      name,
      [function](nb::handle self, nb::handle other, nb::handle modulus) {
        return modulus.is_none() ? function(self, other) : not_implemented();
      },
      "other"_a.none(), "modulus"_a.none() = nb::none(), nb::sig(signature));
}

void define_powers(nb::class_<DeviceArray>& type) {
  define_power(type, "__pow__",
               "def __pow__(self, other: typing.Any, modulus: None = None, /) -> DeviceArray",
               [](nb::handle self, nb::handle other) { return call("power", self, other); });
  define_power(
      type, "__rpow__",
      "def __rpow__(self, other: typing.Any, modulus: None = None, /) -> DeviceArray",
      [](nb::handle self, nb::handle other) { return call_reflected("power", other, self); });
  define_power(
      type, "__ipow__",
      "def __ipow__(self, other: typing.Any, modulus: None = None, /) -> DeviceArray",
      [](nb::handle self, nb::handle other) { return call_in_place("power", self, other); });
}

std::int64_t refuse_hash(const DeviceArray&) {
  throw base::Error(base::ErrorKind::kType, "unhashable type: 'DeviceArray'");
}

}  // namespace

void bind_operators(nb::class_<DeviceArray>& type) {
  for (const Operator& row : kArithmetic) {
    define_binary(type, row);
    define_reflected(type, row);
    if (std::string_view(row.name) != "divmod") define_in_place(type, row);
  }
  define_powers(type);
  for (const Operator& row : kComparisons) define_binary(type, row);
  for (const Operator& row : kUnary) define_unary(type, row);
  type.def("__hash__", &refuse_hash);  // as for every type with elementwise comparison
}

}  // namespace numpy_plugin::ufunc
