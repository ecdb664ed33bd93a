#include "numpy_plugin/ufunc/api/hooks.hpp"

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Leaked on purpose: destructors of static objects run after the interpreter has ended.
const Hooks* kept = nullptr;

}  // namespace

const Hooks& hooks() {
  if (kept == nullptr) nb::module_::import_("numpy_plugin._hooks");
  NPP_ASSERT(kept != nullptr, "numpy_plugin._hooks sets the hooks");
  return *kept;
}

void set_hooks(const nb::kwargs& given) {
  if (kept != nullptr) return;
  const auto lazy = [&](const char* name) { return LazyFunction(given[name]); };
  kept = new Hooks{.exceptions = nb::cast<nb::dict>(given["exceptions"]),
                   .diagnostic = given["diagnostic"],
                   .mistake = given["mistake"],
                   .issue_warning = given["issue_warning"],
                   .warn_of_mistake = given["warn_of_mistake"],
                   .show_in_call = given["show_in_call"],
                   .show_in_file = lazy("show_in_file"),
                   .raised_exception = lazy("raised_exception"),
                   .show_line = lazy("show_line"),
                   .tell_lost_lines = lazy("tell_lost_lines"),
                   .log_event = lazy("log_event"),
                   .is_logged = lazy("is_logged"),
                   .show_progress = lazy("show_progress"),
                   .warn_of_changes = lazy("warn_of_changes"),
                   .call_ufunc = lazy("call_ufunc"),
                   .call_function = lazy("call_function"),
                   .call_method = lazy("call_method"),
                   .call_on_dask = lazy("call_on_dask"),
                   .call_on_pandas = lazy("call_on_pandas"),
                   .call_on_polars = lazy("call_on_polars"),
                   .outer_on_dask = lazy("outer_on_dask"),
                   .to_library = lazy("to_library"),
                   .stream_of = lazy("stream_of"),
                   .stream_object = lazy("stream_object")};
}

}  // namespace numpy_plugin::ufunc
