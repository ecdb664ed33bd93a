// The table of sections. Parts of words count as names, so a section may be kept in vain.
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <algorithm>
#include <array>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::emit {
namespace {

constexpr std::size_t kMostNames = 9;

struct Section {
  std::string_view name;
  std::string_view type;  // part of its names in every kernel; empty where only bodies use it
  std::array<std::string_view, kMostNames> names;  // in bodies; the rest is empty
};

// "omplex" is also in "make_complex", "float16" in "bfloat16".
constexpr Section kSections[] = {
    {"FLOAT16", "float16", {}},
    {"COMPLEX", "omplex", {"polar", "thrust"}},
    {"ROUNDING_NAMES", "", {"_rn", "_rz", "_ru", "_rd", "_as_", "2hiint", "2loint", "hiloint"}},
    {"SPECIAL_NAMES", "", {"j0", "j1", "jn", "y0", "y1", "yn", "bessel", "erf", "normcdf"}}};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether names may come from other files, or from parts that the preprocessor joins.
bool may_have_more_names(std::string_view text) {
  constexpr std::string_view kInclude = "include", kOwn = "include \"npp/";
  for (std::size_t at = text.find(kInclude); at != std::string_view::npos;
       at = text.find(kInclude, at + 1)) {
    if (!text.substr(at).starts_with(kOwn)) return true;
  }
  return contains(text, "##") || contains(text, "%:%:");
}

}  // namespace

std::string print_absent_names(std::string_view text) {
  if (may_have_more_names(text)) return "";
  const bool has_bodies = contains(text, "npp/body/names");
  const auto is_named = [text](std::string_view name) {
    return !name.empty() && contains(text, name);
  };
  std::string definitions;
  for (const Section& section : kSections) {
    if (section.type.empty() && !has_bodies) continue;
    if (is_named(section.type)) continue;
    if (has_bodies && std::ranges::any_of(section.names, is_named)) continue;
    definitions += format("#define NPP_WITHOUT_{} 1\n", section.name);
  }
  return definitions;
}

bool includes_formulas(std::string_view source) {
  const bool has_names = contains(source, "npp/body/names");
  return contains(source, "\"npp/special/") || contains(source, "\"npp/vector_math/") ||
         (has_names && !contains(source, "NPP_WITHOUT_SPECIAL_NAMES"));
}

bool divides_integers_as_floats(std::string_view source) {
  return contains(source, "npp::lanes::floor_divide(") ||
         contains(source, "npp::lanes::remainder(") || contains(source, "npp::lanes::fmod(");
}

}  // namespace numpy_plugin::emit
