#include "numpy_plugin/ufunc/offload/offload.hpp"

#include <set>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/system/settings.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// As np.errstate: a new thread inherits no scopes.
PyObject* scope_variable() {
  static PyObject* const variable = PyContextVar_New("numpy_plugin.offload", Py_False);
  if (variable == nullptr) throw nb::python_error();
  return variable;
}

bool is_in_scope() {
  PyObject* value = nullptr;
  if (PyContextVar_Get(scope_variable(), nullptr, &value) < 0) throw nb::python_error();
  return nb::steal(value).is(nb::handle(Py_True));
}

// Failures in this process; guarded by the GIL.
struct Failures {
  bool is_without_device = false;
  std::set<std::weak_ptr<run::Device>, std::owner_less<>> devices;
};

Failures& failures() {
  static auto& failures = *new Failures;
  return failures;
}

void warn(const std::string& request, const std::string& reason) {
  const std::string text =
      shown_text(format("{}: {}; calls with host arrays run on the CPU", request, reason));
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

// The process's first device; null where there is none, with the reason in `reason`.
std::shared_ptr<run::Device> find_first_device(std::string& reason) {
  try {
    if (auto device = run::find_current_device()) return device;
    reason = run::missing_device_reason();
  } catch (const base::Error& error) {
    reason = error.what();
  }
  return nullptr;
}

}  // namespace

void warn_without_device() {
  static bool has_warned = false;
  if (has_warned) return;
  has_warned = true;
  const std::string text = shown_text(run::missing_device_notice());
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

nb::object enter_offload() { return checked(PyContextVar_Set(scope_variable(), Py_True)); }

void leave_offload(nb::handle token) {
  if (PyContextVar_Reset(scope_variable(), token.ptr()) < 0) throw nb::python_error();
}

std::string offload_request() {
  if (is_in_scope()) return "numpy_plugin.offload()";
  if (system::setting_text(system::Setting::kAuto) == "cpu") return {};
  return system::setting_in_words(system::Setting::kAuto);
}

std::shared_ptr<run::Device> find_offload_device(const std::string& request) {
  auto device = run::find_scope_device();
  if (device == nullptr && !failures().is_without_device) {
    std::string reason;
    device = find_first_device(reason);
    if (device == nullptr) {
      failures().is_without_device = true;
      warn(request, reason);
    }
  }
  return device != nullptr && failures().devices.contains(device) ? nullptr : device;
}

void note_device_failure(const std::string& request, const std::shared_ptr<run::Device>& device,
                         const std::string& reason) {
  std::erase_if(failures().devices, [](const auto& known) { return known.expired(); });
  if (failures().devices.insert(device).second) {
    warn(request, format("'{}' failed: {}", device->info().name, reason));
  }
}

}  // namespace numpy_plugin::ufunc
