#include "numpy_plugin/ufunc/api/events.hpp"

#include <nanobind/nanobind.h>

#include <frameobject.h>

#include "numpy_plugin/base/format.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

bool is_of_this_package(PyFrameObject* frame) {
  const nb::object globals = nb::steal(PyFrame_GetGlobals(frame));
  PyObject* const package = PyDict_GetItemString(globals.ptr(), "__package__");
  if (package == nullptr || !PyUnicode_Check(package)) return false;
  const std::string name = nb::borrow<nb::str>(package).c_str();
  return name == "numpy_plugin" || name.starts_with("numpy_plugin.");
}

std::string file_and_line(PyCodeObject* code, int instruction) {
  const std::string path = nb::str(nb::handle(code->co_filename)).c_str();
  return path.substr(path.rfind('/') + 1) + ':' +
         std::to_string(PyCode_Addr2Line(code, instruction));
}

struct Caller {
  nb::object frame;  // null outside of Python frames
  int level = 1;     // as for warnings: the innermost frame is 1
};

// Finds the innermost frame outside of this package.
Caller find_caller() {
  Caller caller{nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()))};
  while (caller.frame.is_valid()) {
    auto* const current = reinterpret_cast<PyFrameObject*>(caller.frame.ptr());
    if (!is_of_this_package(current)) break;
    caller.frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(current)));
    ++caller.level;
  }
  return caller;
}

}  // namespace

std::string at_caller_line(const std::string& what) {
  const Caller caller = find_caller();
  if (!caller.frame.is_valid()) return what;
  auto* const frame = reinterpret_cast<PyFrameObject*>(caller.frame.ptr());
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return format(
      "{} at {}", what,
      file_and_line(reinterpret_cast<PyCodeObject*>(code.ptr()), PyFrame_GetLasti(frame)));
}

int caller_stack_level() { return find_caller().level; }

std::shared_ptr<const run::LaunchPlace> place_of_call(const std::string& kernel) {
  const Caller caller = find_caller();
  if (!caller.frame.is_valid()) {
    return std::make_shared<const run::LaunchPlace>(run::LaunchPlace{kernel, nullptr});
  }
  auto* const frame = reinterpret_cast<PyFrameObject*>(caller.frame.ptr());
  const std::shared_ptr<PyCodeObject> code(PyFrame_GetCode(frame), [](PyCodeObject* kept) {
    free_with_python([kept] { Py_DECREF(kept); });
  });
  const int instruction = PyFrame_GetLasti(frame);
  return std::make_shared<const run::LaunchPlace>(run::LaunchPlace{kernel, [code, instruction] {
                                                                     const AcquiredGil acquired;
                                                                     return file_and_line(
                                                                         code.get(), instruction);
                                                                   }});
}

}  // namespace numpy_plugin::ufunc
