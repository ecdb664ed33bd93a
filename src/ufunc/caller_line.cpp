#include "numpy_plugin/ufunc/caller_line.hpp"

#include <nanobind/nanobind.h>

#include <frameobject.h>

#include <string_view>

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

bool is_of_this_package(PyFrameObject* frame) {
  const nb::object globals = nb::steal(PyFrame_GetGlobals(frame));
  PyObject* const package = PyDict_GetItemString(globals.ptr(), "__package__");
  return package != nullptr && PyUnicode_Check(package) &&
         PyUnicode_CompareWithASCIIString(package, "numpy_plugin") == 0;
}

std::string file_and_line(PyFrameObject* frame) {
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const std::string path = nb::str(code.attr("co_filename")).c_str();
  return path.substr(path.rfind('/') + 1) + ':' + std::to_string(PyFrame_GetLineNumber(frame));
}

}  // namespace

std::string at_caller_line(const std::string& what) {
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame.is_valid() && frame.ptr() != nullptr) {
    auto* const current = reinterpret_cast<PyFrameObject*>(frame.ptr());
    if (!is_of_this_package(current)) return what + " at " + file_and_line(current);
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(current)));
  }
  return what;
}

}  // namespace numpy_plugin::ufunc
