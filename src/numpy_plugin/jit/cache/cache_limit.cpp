#include "numpy_plugin/jit/cache/cache_limit.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/quoted.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache_files.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::uint64_t kUsualLimit = 1'000'000'000;
constexpr std::time_t kWritingEnds = 3600;  // seconds; no writer takes that long

struct Unit {
  std::string_view name;
  double n_bytes;
};

constexpr Unit kUnits[] = {
    {"", 1},      {"b", 1},      {"kb", 1e3},      {"mb", 1e6},      {"gb", 1e9},
    {"tb", 1e12}, {"kib", 1024}, {"mib", 1048576}, {"gib", 1 << 30}, {"tib", 1024.0 * (1 << 30)}};

std::optional<std::uint64_t> parse_size(std::string_view text) {
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  std::string name(base::strip({stop, static_cast<std::size_t>(text.data() + text.size() - stop)}));
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

struct File {
  std::string path;
  struct stat status;
};

bool is_used_earlier(const File& one, const File& other) {
  const timespec& a = one.status.st_mtim;
  const timespec& b = other.status.st_mtim;
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// Returns the entries and removes leftovers of killed writers.
std::vector<File> swept_entries(const std::string& directory) {
  std::vector<File> entries;
  const std::time_t now = std::time(nullptr);
  for (const std::string& name : names_in(directory)) {
    File file{directory + '/' + name, {}};
    if (::lstat(file.path.c_str(), &file.status) != 0) continue;
    if (!is_left_over(name)) {
      entries.push_back(std::move(file));
    } else if (now - file.status.st_mtime > kWritingEnds) {
      remove_found(file.path, file.status);
    }
  }
  return entries;
}

}  // namespace

std::uint64_t cache_size_limit() {
  const char* const variable = std::getenv("NUMPY_PLUGIN_CACHE_SIZE");
  const std::string_view text = base::strip(variable == nullptr ? "" : variable);
  if (text.empty()) return kUsualLimit;
  if (const std::optional<std::uint64_t> size = parse_size(text)) return *size;
  throw base::Error(base::ErrorKind::kValue,
                    "NUMPY_PLUGIN_CACHE_SIZE is " + base::quoted(text) +
                        "; expected a number of bytes, such as 500000000, 500 MB or 2 GiB");
}

void keep_within(const std::string& directory, std::uint64_t limit) {
  std::vector<File> entries = swept_entries(directory);
  std::uint64_t n_bytes = 0;
  for (const File& entry : entries) n_bytes += static_cast<std::uint64_t>(entry.status.st_size);
  if (n_bytes <= limit) return;
  std::sort(entries.begin(), entries.end(), is_used_earlier);
  for (const File& entry : entries) {
    if (n_bytes <= limit) return;
    remove_found(entry.path, entry.status);  // or another process removed it first
    n_bytes -= static_cast<std::uint64_t>(entry.status.st_size);
  }
}

}  // namespace numpy_plugin::jit
