// Looks up the simulated driver's own functions in its library.
#include "numpy_plugin/load/driver.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::load {
namespace {

struct Path {
  system::Mutex mutex;
  std::string text = "libnumpy_plugin_simulator.so";
};

// Leaked on purpose, like the drivers.
Path& the_path() { return system::the_only<Path>(); }

template <typename Function>
void find(const system::DynamicLibrary& library, const char* symbol, Function*& function) {
  const bool is_found = library.find(symbol, function);
  NPP_ASSERT(is_found, symbol);
}

}  // namespace

void set_simulator_path(const std::string& path) {
  const std::lock_guard lock(the_path().mutex);
  the_path().text = path;
}

Simulator find_simulator() {
  std::string path;
  {
    const std::lock_guard lock(the_path().mutex);
    path = the_path().text;
  }
  const FoundDriver found = find_driver_of(path);
  Simulator simulator;
  if (found.driver == nullptr) {
    simulator.reason = "the simulated CUDA driver can't be used: " + found.reason;
    return simulator;
  }
  simulator.driver = found.driver;
  const system::DynamicLibrary library(path);
  find(library, "npp_simulator_count_devices", simulator.count_devices);
  find(library, "npp_simulator_add_device", simulator.add_device);
  find(library, "npp_simulator_remove_device", simulator.remove_device);
  find(library, "npp_simulator_set_origin", simulator.set_origin);
  find(library, "npp_simulator_read_counters", simulator.read_counters);
  find(library, "npp_simulator_class_name", simulator.class_name);
  find(library, "npp_simulator_set_profiled", simulator.set_profiled);
  find(library, "npp_simulator_read_profile", simulator.read_profile);
  NppSimulatorSetInterruptionTest* set_interruption_test = nullptr;
  find(library, "npp_simulator_set_interruption_test", set_interruption_test);
  set_interruption_test(system::is_interrupted);
  return simulator;
}

}  // namespace numpy_plugin::load
