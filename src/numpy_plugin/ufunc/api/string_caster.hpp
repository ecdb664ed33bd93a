// Conversion of text between Python and C++ as UTF-8, replacing nanobind/stl/string.h. Paths and
// compilers' messages may contain invalid bytes; each becomes a lone surrogate, as in Python's own
// paths, where nanobind's caster would reject the whole text.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace numpy_plugin::ufunc {

// Whether an object is a str with a byte representation; otherwise sets a Python error.
inline bool read_text(PyObject* object, std::string& text) noexcept {
  Py_ssize_t size = 0;
  if (const char* const bytes = PyUnicode_AsUTF8AndSize(object, &size)) {
    text.assign(bytes, static_cast<std::size_t>(size));
    return true;
  }
  if (!PyUnicode_Check(object)) return false;
  PyErr_Clear();
  const nanobind::object bytes =
      nanobind::steal(PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) return false;
  text.assign(PyBytes_AS_STRING(bytes.ptr()),
              static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
  return true;
}

// Text that any stream can print: invalid UTF-8 is escaped, as "\xff".
inline std::string shown_text(const std::string& text) {
  const nanobind::object shown = nanobind::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  std::string result;
  if (!shown.is_valid() || !read_text(shown.ptr(), result)) throw nanobind::python_error();
  return result;
}

}  // namespace numpy_plugin::ufunc

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    const bool is_read = numpy_plugin::ufunc::read_text(source.ptr(), value);
    if (!is_read) PyErr_Clear();
    return is_read;
  }

  static handle from_cpp(const std::string& value, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()),
                                "surrogateescape");
  }
};

}  // namespace nanobind::detail
