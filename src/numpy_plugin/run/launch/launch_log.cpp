#include "numpy_plugin/run/launch/launch_log.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {
namespace {

constexpr std::size_t kKept = 4;

struct Log {
  system::Mutex mutex;
  std::uint64_t n_launches = 0;
  std::array<std::shared_ptr<const LaunchPlace>, kKept> places;
};

// Leaked on purpose: threads may launch while the process exits.
Log& launch_log() { return system::the_only<Log>(); }

thread_local std::shared_ptr<const LaunchPlace> place_of_thread;

}  // namespace

std::string LaunchPlace::text() const {
  const std::string at = line ? line() : "";
  return '\'' + kernel + '\'' + (at.empty() ? "" : " at " + at);
}

LaunchScope::LaunchScope(std::shared_ptr<const LaunchPlace> place)
    : outer_(std::exchange(place_of_thread, place)) {
  Log& log = launch_log();
  const std::lock_guard lock(log.mutex);
  std::swap(log.places[log.n_launches++ % kKept], place);
}

LaunchScope::~LaunchScope() { place_of_thread = std::move(outer_); }

std::shared_ptr<const LaunchPlace> current_place() { return place_of_thread; }

std::string last_launches() {
  std::vector<std::shared_ptr<const LaunchPlace>> places;
  {
    Log& log = launch_log();
    const std::lock_guard lock(log.mutex);
    for (std::size_t i = 1; i <= kKept && i <= log.n_launches; ++i) {
      places.push_back(log.places[(log.n_launches - i) % kKept]);
    }
  }
  std::vector<std::string> texts;
  for (const auto& place : places) texts.push_back(place->text());
  return base::join(texts, ", ");
}

}  // namespace numpy_plugin::run
