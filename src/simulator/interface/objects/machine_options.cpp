#include "simulator/interface/objects/device.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::sim {
namespace {

// Options as they are read.
struct Draft {
  std::string arch = "sm_90";
  NppSimulatorOptions options = {.arch = nullptr,
                                 .memory_bytes = DeviceOptions().memory_bytes,
                                 .checks = kNppCheckAll,
                                 .max_steps = DeviceOptions().max_steps,
                                 .failing_allocation = 0,
                                 .failing_launch = 0,
                                 .lost_at_launch = 0,
                                 .copy_delay_seconds = 0,
                                 .n_multiprocessors = 0};
  std::vector<Finding> reported;
};

[[noreturn]] void refuse(const std::string& what) {
  throw CallError(CUDA_ERROR_INVALID_VALUE, "NUMPY_PLUGIN_SIMULATOR_OPTIONS: " + what);
}

template <typename Number>
void read_number(std::string_view text, Number& to) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, to);
  if (error != std::errc() || stop != end) refuse(format("'{}' is not a number", text));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

// The value of a name in a table; what: "check".
template <typename Value, std::size_t n>
Value find_named(const Named<Value> (&table)[n], std::string_view name, const char* what) {
  for (const Named<Value>& row : table) {
    if (row.name == name) return row.value;
  }
  std::vector<std::string> names;
  for (const Named<Value>& row : table) names.emplace_back(row.name);
  refuse(format("unknown {} '{}'; expected one of {}", what, name, base::join(names, ", ")));
}

constexpr Named<std::uint32_t> kChecks[] = {{"bounds", kNppCheckBounds},
                                            {"alignment", kNppCheckAlignment},
                                            {"uninitialized", kNppCheckUninitialized},
                                            {"races", kNppCheckRaces},
                                            {"barriers", kNppCheckBarriers},
                                            {"all", kNppCheckAll},
                                            {"none", 0}};

constexpr Named<Finding> kFindings[] = {
    {"faults", Finding::kFault}, {"errors", Finding::kError}, {"leaks", Finding::kLeak}};

using Read = void (*)(Draft&, std::string_view);
constexpr Named<Read> kOptions[] = {
    {"arch", [](Draft& draft, std::string_view text) { draft.arch = text; }},
    {"memory",
     [](Draft& draft, std::string_view text) { read_number(text, draft.options.memory_bytes); }},
    {"checks",
     [](Draft& draft, std::string_view text) {
       draft.options.checks = 0;
       for (const auto name : split(text, ',')) {
         draft.options.checks |= find_named(kChecks, name, "check");
       }
     }},
    {"max_steps",
     [](Draft& draft, std::string_view text) { read_number(text, draft.options.max_steps); }},
    {"multiprocessors",
     [](Draft& draft, std::string_view text) {
       read_number(text, draft.options.n_multiprocessors);
     }},
    {"allocation",
     [](Draft& draft, std::string_view text) {
       read_number(text, draft.options.failing_allocation);
     }},
    {"launch",
     [](Draft& draft, std::string_view text) { read_number(text, draft.options.failing_launch); }},
    {"lost",
     [](Draft& draft, std::string_view text) { read_number(text, draft.options.lost_at_launch); }},
    {"copy_delay",
     [](Draft& draft, std::string_view text) {
       read_number(text, draft.options.copy_delay_seconds);
     }},
    {"report",
     [](Draft& draft, std::string_view text) {
       for (const auto name : split(text, ',')) {
         draft.reported.push_back(find_named(kFindings, name, "finding"));
       }
     }},
};

}  // namespace

DeviceOptions device_options(const NppSimulatorOptions& given) {
  require_pointer(given.arch);
  DeviceOptions options;
  options.architecture = find_architecture(given.arch);
  if (options.architecture == nullptr) {
    throw CallError(CUDA_ERROR_INVALID_VALUE,
                    format("the architecture is '{}'; expected one of {}", given.arch,
                           base::join(architecture_names(), ", ")));
  }
  require(given.memory_bytes > 0, CUDA_ERROR_INVALID_VALUE,
          "a device has at least one byte of memory");
  require(given.max_steps > 0, CUDA_ERROR_INVALID_VALUE, "a block may take at least one step");
  require((given.checks & ~static_cast<std::uint32_t>(kNppCheckAll)) == 0, CUDA_ERROR_INVALID_VALUE,
          "there is no such check");
  require(given.copy_delay_seconds >= 0, CUDA_ERROR_INVALID_VALUE,
          "the delay of copies is a number of seconds from 0");
  options.memory_bytes = given.memory_bytes;
  options.checks.bounds = (given.checks & kNppCheckBounds) != 0;
  options.checks.alignment = (given.checks & kNppCheckAlignment) != 0;
  options.checks.uninitialized = (given.checks & kNppCheckUninitialized) != 0;
  options.checks.races = (given.checks & kNppCheckRaces) != 0;
  options.checks.barriers = (given.checks & kNppCheckBarriers) != 0;
  options.max_steps = given.max_steps;
  options.failing_allocation = given.failing_allocation;
  options.failing_launch = given.failing_launch;
  options.lost_at_launch = given.lost_at_launch;
  options.copy_delay_seconds = given.copy_delay_seconds;
  options.n_multiprocessors = given.n_multiprocessors;
  return options;
}

MachineOptions parse_machine_options(std::string_view text) {
  Draft draft;
  for (const auto option : split(text, ' ')) {
    const std::size_t end = option.find('=');
    if (end == std::string_view::npos) {
      refuse(format("'{}' is not of the form name=value", option));
    }
    find_named(kOptions, option.substr(0, end), "option")(draft, option.substr(end + 1));
  }
  draft.options.arch = draft.arch.c_str();
  return {device_options(draft.options), std::move(draft.reported)};
}

}  // namespace numpy_plugin::sim
