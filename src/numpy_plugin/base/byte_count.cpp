#include "numpy_plugin/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace numpy_plugin::base {
namespace {

struct Unit {
  std::string_view name;
  double n_bytes;
};

constexpr Unit kUnits[] = {
    {"", 1},      {"b", 1},      {"kb", 1e3},      {"mb", 1e6},      {"gb", 1e9},
    {"tb", 1e12}, {"kib", 1024}, {"mib", 1048576}, {"gib", 1 << 30}, {"tib", 1024.0 * (1 << 30)}};

}  // namespace

std::optional<std::uint64_t> parse_byte_count(std::string_view written) {
  const std::string_view text = strip(written);
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  std::string name(strip({stop, static_cast<std::size_t>(text.data() + text.size() - stop)}));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const Unit& unit : kUnits) {
    const double n_bytes = number * unit.n_bytes;
    if (name == unit.name && n_bytes >= 0 && n_bytes < 1e18) {
      return static_cast<std::uint64_t>(n_bytes);
    }
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::base
