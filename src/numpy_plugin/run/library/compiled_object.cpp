#include "numpy_plugin/run/library/compiled_code.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"
#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::run {
namespace {

// Cached code may fail to load here, for instance where the C library lacks a function: then it is
// compiled again, and the entry replaced.
std::shared_ptr<load::SharedObject> load_or_recompile(const std::string& name,
                                                      const emit::Source& source,
                                                      jit::HostOptions options) {
  const jit::SharedObjectCode code = jit::compile_for_host(source, options);
  try {
    return std::make_shared<load::SharedObject>(code, name);
  } catch (const base::Error&) {
    if (!code.from_cache) throw;
  }
  options.replaces_entry = true;
  return std::make_shared<load::SharedObject>(jit::compile_for_host(source, options), name);
}

}  // namespace

std::shared_ptr<const load::SharedObject> load_compiled(const std::string& name,
                                                        const emit::Source& source,
                                                        const jit::HostOptions& options) {
  std::shared_ptr<load::SharedObject> object = load_or_recompile(name, source, options);
  system::record_load(source.subject, "on the host");
  object->set_pointer("npp_driver", &elementwise_driver());
  for (const emit::LibraryFunction& function : source.library_functions) {
    object->connect(function.pointer, std::make_shared<const load::SharedObject>(function.library),
                    function.name);
  }
  return object;
}

}  // namespace numpy_plugin::run
