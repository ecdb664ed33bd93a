#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <dlfcn.h>

#include "driver/counting_driver.hpp"
#include "simulator/api/simulator_interface.hpp"

namespace counting_driver {
namespace {

Settings read_settings() {
  Settings settings;
  const char* const text = std::getenv("COUNTING_DRIVER");
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    const unsigned long long value = std::strtoull(word.c_str() + sign + 1, nullptr, 10);
    if (name == "version") settings.version = static_cast<int>(value);
    if (name == "capability") settings.capability = static_cast<int>(value);
    if (name == "devices") settings.n_devices = static_cast<int>(value);
    if (name == "memory") settings.memory_bytes = value;
  }
  return settings;
}

// The devices of this driver, added to the one that the simulated driver always has.
void add_devices(void* simulator) {
  reinterpret_cast<decltype(cuInit)*>(dlsym(simulator, "cuInit"))(0);
  const auto add =
      reinterpret_cast<NppSimulatorAddDevice*>(dlsym(simulator, "npp_simulator_add_device"));
  const Settings& wanted = settings();
  const std::string arch = "sm_" + std::to_string(wanted.capability);
  for (int i = 0; i < wanted.n_devices; ++i) {
    NppSimulatorOptions options = {};
    options.arch = arch.c_str();
    options.memory_bytes = wanted.memory_bytes;
    options.checks = kNppCheckAll;
    options.max_steps = 1ull << 30;
    if (add(&options) >= 0) continue;
    options.arch = "sm_121";  // of a capability that the simulator does not know
    if (add(&options) < 0) std::abort();
  }
}

void* open_simulator() {
  void* const simulator = dlopen(NPP_SIMULATOR, RTLD_NOW | RTLD_LOCAL);
  if (simulator == nullptr) {
    std::fprintf(stderr, "counting driver: %s\n", dlerror());
    std::abort();
  }
  add_devices(simulator);
  return simulator;
}

}  // namespace

const Settings& settings() {
  static const Settings read = read_settings();
  return read;
}

void* simulated(const char* symbol) {
  static void* const simulator = open_simulator();
  void* const function = dlsym(simulator, symbol);
  if (function != nullptr) return function;
  std::fprintf(stderr, "counting driver: the simulator has no %s\n", symbol);
  std::abort();
}

}  // namespace counting_driver
