// Values arrive as 64 bits and become NumPy scalars of their types in the kernel.
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"

#include <cstring>
#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using declare::MessagePart;
using declare::RaisedException;

thread_local bool is_open = false;

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

nb::object value_object(std::uint64_t bits, base::DType dtype) {
  nb::object number;
  if (base::is_floating(dtype)) {
    number = nb::float_(from_bits<double>(bits));
  } else if (dtype == base::DType::kUInt64) {
    number = nb::int_(bits);
  } else {
    number = nb::int_(from_bits<std::int64_t>(bits));
  }
  return scalar_of(dtype, number);
}

class Arguments {
 public:
  explicit Arguments(const npp::Errors& errors) : errors_(errors) {}

  nb::object next(const std::vector<MessagePart>& parts) {
    if (parts.size() == 1 && parts.front().is_value) return next_value(parts.front());
    std::string text;
    for (const MessagePart& part : parts) text += part.is_value ? next_text(part) : part.text;
    return nb::str(text.c_str(), text.size());
  }

 private:
  nb::object next_value(const MessagePart& part) {
    return value_object(errors_.values[n_used_++], part.dtype);
  }
  std::string next_text(const MessagePart& part) {
    nb::object value = next_value(part);
    if (part.text == "r" || part.text == "a") value = nb::repr(value);
    if (part.text == "s") value = nb::str(value);
    const nb::object format = nb::module_::import_("builtins").attr("format");
    return nb::cast<std::string>(format(value, part.format));
  }

  const npp::Errors& errors_;
  std::size_t n_used_ = 0;
};

nb::object exception_type(const RaisedException& exception) {
  if (exception.type) {
    return nb::borrow(static_cast<PyObject*>(const_cast<void*>(exception.type.get())));
  }
  return nb::module_::import_("builtins").attr(exception.type_name.c_str());
}

nb::object make_exception(const run::RaisedError& raised, const std::string& ufunc_name,
                          const nb::object& element) {
  const auto index = static_cast<std::size_t>(raised.errors.number) - 1;
  NPP_ASSERT(raised.kernel != nullptr && index < raised.kernel->exceptions.size(), ufunc_name);
  const RaisedException& exception = raised.kernel->exceptions[index];
  nb::list arguments;
  Arguments values(raised.errors);
  for (const auto& argument : exception.arguments) arguments.append(values.next(argument));
  return hooks().raised_exception(
      exception_type(exception), arguments, element, ufunc_name,
      nb::make_tuple(exception.file, exception.place.line, exception.function));
}

}  // namespace

RaiseScope::RaiseScope()
    : outer_(std::exchange(run::raised_error(), {})), was_open_(std::exchange(is_open, true)) {}

RaiseScope::~RaiseScope() {
  run::raised_error() = outer_;
  is_open = was_open_;
}

bool is_raise_scope_open() { return is_open; }

void set_raised_exception(const run::RaisedError& raised, const std::string& ufunc_name,
                          const nb::object& element) {
  try {
    const nb::object exception = make_exception(raised, ufunc_name, element);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error& error) {  // the exception class did not accept its arguments
    error.restore();
  }
}

void set_late_exception(const run::LateRaise& late) {
  const auto& place = late.place();
  try {
    const nb::object exception =
        make_exception(late.raised(), place == nullptr ? "a kernel" : place->kernel, nb::none());
    if (place != nullptr) exception.attr("add_note")("in the call of " + place->text());
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error& error) {  // the exception class did not accept its arguments
    error.restore();
  }
}

}  // namespace numpy_plugin::ufunc
