#include "numpy_plugin/ufunc/api/python_error.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/signature/signature_text.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/process_end.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// The exception class, of the package or builtin, for an error kind.
const char* class_name(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::kSignature:
      return "SignatureError";
    case base::ErrorKind::kKernel:
      return "KernelError";
    case base::ErrorKind::kCompiler:
      return "CompilerError";
    case base::ErrorKind::kCuda:
      return "CudaError";
    case base::ErrorKind::kDeviceMemory:
      return "DeviceMemoryError";
    case base::ErrorKind::kSimulator:
      return "SimulatorError";
    case base::ErrorKind::kType:
      return "TypeError";
    case base::ErrorKind::kValue:
      return "ValueError";
    case base::ErrorKind::kRuntime:
      return "RuntimeError";
    case base::ErrorKind::kInternal:
      return "SystemError";
  }
  return "SystemError";
}

nb::object error_class(const char* name) {
  const nb::dict& classes = hooks().exceptions;
  if (classes.contains(name)) return classes[name];
  return nb::module_::import_("builtins").attr(name);
}

nb::list diagnostic_list(const declare::DiagnosedError& error) {
  const nb::object& make = hooks().diagnostic;
  nb::list result;
  for (const declare::Diagnostic& diagnostic : error.diagnostics()) {
    const declare::SourceSpan& place = diagnostic.place;
    const auto index = static_cast<std::size_t>(place.source);
    const std::string file = index < error.sources().size() ? error.sources()[index].file : "";
    const int column = place.line > 0 ? declare::character_column(place, error.sources()) : 0;
    result.append(make(file, place.line, column, shown_text(diagnostic.message),
                       shown_text(diagnostic.hint)));
  }
  return result;
}

// Defers adding the position to an exception until the call that raised it is known.
nb::object later(const nb::object& show, const nb::object& data) {
  return nb::module_::import_("functools").attr("partial")(show, data);
}

nb::object make_exception(const nb::object& type, const base::Error& error) {
  const auto* const diagnosed = dynamic_cast<const declare::DiagnosedError*>(&error);
  const std::string message = shown_text(error.what());
  if (diagnosed == nullptr) return type(message);
  nb::object exception = type(message, diagnostic_list(*diagnosed));
  if (error.kind() == base::ErrorKind::kCompiler && !diagnosed->diagnostics().empty()) {
    exception.attr("_show") = later(hooks().show_in_file.get(), nb::cast(error_data(*diagnosed)));
  }
  return exception;
}

bool is_late_fault(const load::CudaError& error) {
  return load::is_fault_of_kernel(error.code()) && error.kind() == base::ErrorKind::kCuda;
}

void raise_error(const base::Error& error) {
  if (const auto* const late = dynamic_cast<const run::LateRaise*>(&error)) {
    return set_late_exception(*late);
  }
  const nb::object type = error_class(class_name(error.kind()));
  const nb::object exception = make_exception(type, error);
  if (!error.log().empty() && error.kind() == base::ErrorKind::kCompiler) {
    exception.attr("log") = shown_text(error.log());
  }
  if (const auto* const declared = dynamic_cast<const declare::DeclarationError*>(&error)) {
    exception.attr("_show") = later(hooks().show_in_call, mistake_object(declared->mistake()));
  }
  if (const auto* const cuda = dynamic_cast<const load::CudaError*>(&error)) {
    exception.attr("code") = static_cast<int>(cuda->code());
    exception.attr("name") = cuda->name();
    const std::string launches = is_late_fault(*cuda) ? run::last_launches() : "";
    if (!launches.empty()) {
      exception.attr("add_note")("the last launches, newest first: " + launches);
    }
  }
  PyErr_SetObject(type.ptr(), exception.ptr());
}

// `catch (...)` also catches forced unwinding of a thread by Python, which is no C++ exception.
void wait_if_thread_is_ended(const std::exception_ptr& error) {
  if (error == nullptr) system::wait_for_process_end();
}

}  // namespace

nb::object mistake_object(const declare::ArgumentMistake& mistake) {
  const declare::LabelledText& source = mistake.source;
  const bool is_whole = mistake.range.end == declare::kWholeArgument.end;
  const nb::object range =
      is_whole ? nb::none() : nb::object(nb::make_tuple(mistake.range.begin, mistake.range.end));
  return hooks().mistake(shown_text(mistake.message), shown_text(mistake.hint), source.argument(),
                         source.item, source.text, range);
}

void register_exceptions() {
  nb::register_exception_translator(
      [](const std::exception_ptr& error, void*) {
        wait_if_thread_is_ended(error);
        try {
          std::rethrow_exception(error);
        } catch (const system::Interruption&) {
          raise_interruption();
        } catch (const base::Error& other) {
          raise_error(other);
        }
      },
      nullptr);
}

void set_python_error(const std::exception_ptr& error) {
  wait_if_thread_is_ended(error);
  try {
    try {
      std::rethrow_exception(error);
    } catch (const system::Interruption&) {
      raise_interruption();
    } catch (nb::python_error& python_error) {
      python_error.restore();
    } catch (const base::Error& other) {
      raise_error(other);
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    } catch (const std::exception& other) {
      PyErr_SetString(PyExc_SystemError, shown_text(other.what()).c_str());
    }
  } catch (nb::python_error& nested) {  // creating the exception failed
    nested.restore();
  }
}

void issue_warnings(const std::vector<declare::KernelWarning>& warnings) {
  if (warnings.empty()) return;
  for (const declare::KernelWarning& warning : warnings) {
    hooks().issue_warning(shown_text(warning.text), warning.file, warning.line);
  }
}

}  // namespace numpy_plugin::ufunc
