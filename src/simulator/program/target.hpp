// Targets of modules (.target and .version), and what instructions need of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::sim {

struct Target {
  int number = 0;   // 90 for sm_90; 0: any
  char suffix = 0;  // 'a': this architecture only, 'f': its family, from this one
  int version = 0;  // 86 for PTX 8.6; 0: any

  // Whether code that needs the other can be compiled for this one.
  bool provides(const Target& needed) const;
  // Narrows a need by a further one.
  void add(const Target& further);

  friend bool operator==(const Target&, const Target&) = default;
};

// Parses "sm_90a"; number 0 for other texts.
Target parse_target(std::string_view text);

// Of a module, from its .target and .version.
Target module_target(std::string_view target, int version_major, int version_minor);

// The mistake in a module without any of the needs, of which one suffices; empty where there is
// none: "needs sm_90 or newer; the module's target is sm_75".
std::string describe_missing(const Target& module, const std::vector<Target>& needs);

}  // namespace numpy_plugin::sim
