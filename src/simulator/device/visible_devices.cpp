#include "simulator/device/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::string_view kUuidPrefix = "GPU-";

// The number that a text begins with.
std::optional<int> leading_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<int> device_of_number(std::string_view entry, int n_devices) {
  const std::optional<int> number = leading_number(base::strip(entry));
  return number && *number >= 0 && *number < n_devices ? number : std::nullopt;
}

// The only device whose UUID begins with a text.
std::optional<int> device_of_uuid(std::string_view entry, int n_devices) {
  std::optional<int> found;
  if (!entry.starts_with(kUuidPrefix)) return found;
  for (int number = 0; number < n_devices; ++number) {
    if (!uuid_text(number).starts_with(entry)) continue;
    if (found) return std::nullopt;
    found = number;
  }
  return found;
}

}  // namespace

std::optional<int> parse_device_count(std::string_view text) {
  if (text.empty()) return 1;
  int count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  const bool is_valid = error == std::errc() && stop == end;
  return is_valid && count >= 1 && count <= kMaxMachineDevices ? std::optional(count)
                                                               : std::nullopt;
}

std::array<char, 16> device_uuid(int number) {
  std::array<char, 16> bytes = {};
  std::snprintf(bytes.data(), bytes.size(), "npp simulator%02x",
                static_cast<unsigned>(number) & 0xff);
  return bytes;
}

std::string uuid_text(int number) {
  std::string text(kUuidPrefix);
  const std::array<char, 16> bytes = device_uuid(number);
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const bool begins_group = index >= 4 && index <= 10 && index % 2 == 0;
    std::array<char, 4> digits = {};
    std::snprintf(digits.data(), digits.size(), begins_group ? "-%02x" : "%02x",
                  static_cast<unsigned char>(bytes[index]));
    text += digits.data();
  }
  return text;
}

std::vector<int> visible_devices(std::string_view variable, int n_devices) {
  const bool has_uuids = variable.starts_with(kUuidPrefix);
  std::vector<int> numbers;
  while (true) {
    const std::size_t comma = variable.find(',');
    const std::string_view entry = variable.substr(0, comma);
    const std::optional<int> number =
        has_uuids ? device_of_uuid(entry, n_devices) : device_of_number(entry, n_devices);
    if (!number) return numbers;
    if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) return {};
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    variable.remove_prefix(comma + 1);
  }
}

}  // namespace numpy_plugin::sim
