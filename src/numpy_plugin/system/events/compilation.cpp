#include "numpy_plugin/system/events/events.hpp"

#include <cstdio>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::system {
namespace {

std::string in_milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", 1e3 * seconds);
  return text;
}

}  // namespace

FollowedCompilation::FollowedCompilation(const std::string& subject, const std::string& compiler)
    : compilation_{subject, compiler}, range_("compile", subject), progress_(compilation_) {}

FollowedCompilation::~FollowedCompilation() {
  const double seconds = compilation_.seconds();
  const std::string by = format("{} with {}", compilation_.subject, compilation_.compiler);
  const std::string text =
      has_succeeded_ ? format("compiled {} in ", by) : format("failed to compile {} after ", by);
  record_event({EventTopic::kCompile, EventLevel::kInfo, text + in_milliseconds(seconds), seconds});
}

void record_lookup(const std::string& subject, bool is_found, const std::string& reason) {
  if (!has_event_notice()) return;
  const std::string text = !reason.empty() ? format("no cache for {}: {}", subject, reason)
                           : is_found      ? format("found {} in the cache", subject)
                                           : subject + " is not in the cache";
  record_event({EventTopic::kCache, EventLevel::kDebug, text});
}

void record_load(const std::string& subject, const std::string& where) {
  if (!has_event_notice()) return;
  record_event({EventTopic::kDevice, EventLevel::kDebug, format("loaded {} {}", subject, where)});
}

}  // namespace numpy_plugin::system
