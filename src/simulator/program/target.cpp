// Comparison of targets, as in the PTX ISA's section on .target.
#include "simulator/program/grammar.hpp"

#include <algorithm>
#include <charconv>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::string_view kPrefix = "sm_";
constexpr int kFamilySize = 10;  // sm_100 and sm_103 are one family

std::string spelling_of(const Target& target) {
  std::string text = std::string(kPrefix) + std::to_string(target.number);
  if (target.suffix != 0) text += target.suffix;
  return text;
}

std::string spelling_of_version(int version) { return format("{}.{}", version / 10, version % 10); }

std::string describe_architecture(const Target& need) {
  if (need.suffix == 'a') return spelling_of(need);
  return spelling_of(need) + (need.suffix == 'f' ? " or newer of its family" : " or newer");
}

bool provides_architecture(const Target& module, const Target& need) {
  return module.provides({need.number, need.suffix, 0});
}

std::string describe_missing_architecture(const Target& module, const std::vector<Target>& needs) {
  std::string text;
  for (const Target& need : needs) {
    const std::string one = describe_architecture(need);
    if (text.find(one) == std::string::npos) text += (text.empty() ? "" : " or ") + one;
  }
  return format("needs {}; the module's target is {}", text, spelling_of(module));
}

}  // namespace

bool Target::provides(const Target& needed) const {
  if (version < needed.version) return false;
  if (needed.suffix == 'a') return number == needed.number && suffix == 'a';
  if (needed.suffix == 'f')
    return number >= needed.number && number / kFamilySize == needed.number / kFamilySize &&
           suffix != 0;
  return number >= needed.number;
}

void Target::add(const Target& further) {
  if (further.suffix != 0) suffix = further.suffix;
  number = std::max(number, further.number);
  version = std::max(version, further.version);
}

Target parse_target(std::string_view text) {
  Target target;
  if (!text.starts_with(kPrefix)) return target;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + kPrefix.size(), end, target.number);
  if (error == std::errc() && rest != end) target.suffix = *rest;
  return target;
}

Target module_target(std::string_view target, int version_major, int version_minor) {
  Target result = parse_target(target);
  result.version = version_major * 10 + version_minor;
  return result;
}

std::string describe_missing(const Target& module, const std::vector<Target>& needs) {
  int version = 0;
  for (const Target& need : needs) {
    if (module.provides(need)) return "";
    if (provides_architecture(module, need))
      version = version == 0 ? need.version : std::min(version, need.version);
  }
  if (needs.empty()) return "";
  if (version == 0) return describe_missing_architecture(module, needs);
  return format("needs PTX {} or newer; the module's version is {}", spelling_of_version(version),
                spelling_of_version(module.version));
}

}  // namespace numpy_plugin::sim
