#include "numpy_plugin/system/settings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::system {
namespace {

constexpr std::string_view kPrefix = "NUMPY_PLUGIN_";

constexpr SettingInfo kSettingRows[] = {
#define NPP_SETTING(setting, variable, kind, usual, choices, reading, meaning) \
  {Setting::setting, variable, SettingKind::kind, usual, choices, SettingReading::reading, meaning},
#include "numpy_plugin/system/settings.def"
};

constexpr std::size_t kSettings = std::size(kSettingRows);
constexpr std::string_view kOnWords[] = {"1", "on", "true", "yes"};
constexpr std::string_view kOffWords[] = {"0", "off", "false", "no"};

struct SettingsState {
  Mutex mutex;
  std::array<std::optional<std::string>, kSettings> chosen;  // by the program
  std::array<bool, kSettings> is_read = {};                  // of those that are read once
};

// Leaked on purpose: threads may read settings while the process exits.
SettingsState& settings_state() { return the_only<SettingsState>(); }

std::atomic<std::uint64_t> current_generation = 1;

std::size_t index_of(Setting setting) { return static_cast<std::size_t>(setting); }

std::vector<std::string> choices_of(const SettingInfo& row) {
  constexpr std::string_view kSeparator = ", ";
  std::vector<std::string> choices;
  std::string_view rest = row.choices;
  for (std::size_t end; (end = rest.find(kSeparator)) != std::string_view::npos;
       rest.remove_prefix(end + kSeparator.size())) {
    choices.emplace_back(rest.substr(0, end));
  }
  choices.emplace_back(rest);
  return choices;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

std::optional<bool> parse_flag(std::string_view text) {
  const std::string word = lower(text);
  if (base::contains(kOnWords, word)) return true;
  if (base::contains(kOffWords, word)) return false;
  return std::nullopt;
}

// The last number of "1 to 64".
std::size_t largest_of(const SettingInfo& row) {
  return *parse_number<std::size_t>(row.choices.substr(row.choices.rfind(' ') + 1));
}

bool is_valid(const SettingInfo& row, const std::string& text) {
  switch (row.kind) {
    case SettingKind::kFlag:
      return parse_flag(text).has_value();
    case SettingKind::kChoice:
      return std::ranges::count(choices_of(row), text) > 0;
    case SettingKind::kBytes:
      return base::parse_byte_count(text).has_value();
    case SettingKind::kSeconds:
      return parse_number<double>(text).value_or(0) > 0;
    case SettingKind::kCount:
    case SettingKind::kThreads: {
      const std::size_t count = parse_number<std::size_t>(text).value_or(0);
      return count > 0 && count <= largest_of(row);
    }
    case SettingKind::kDirectory:
    case SettingKind::kCommand:
      break;
  }
  return !text.empty();
}

std::string problem(const SettingInfo& row, const std::string& subject, const std::string& text) {
  if (is_valid(row, text)) return "";
  return format("{} is '{}'; expected {}", subject, text, row.expected());
}

std::string attribute_of(const SettingInfo& row) { return "numpy_plugin.config." + row.name(); }

std::optional<std::string> chosen_by_program(Setting setting, bool is_reading) {
  SettingsState& kept = settings_state();
  const std::lock_guard lock(kept.mutex);
  if (is_reading) kept.is_read[index_of(setting)] = true;
  return kept.chosen[index_of(setting)];
}

SettingValue value_of(Setting setting, bool is_reading) {
  if (auto chosen = chosen_by_program(setting, is_reading)) {
    return {std::move(*chosen), SettingSource::kProgram};
  }
  const SettingInfo& row = info(setting);
  std::string text = base::environment_variable(std::string(row.variable).c_str());
  if (!base::strip(text).empty()) return {std::move(text), SettingSource::kEnvironment};
  return {std::string(row.usual), SettingSource::kDefault};
}

}  // namespace

std::string SettingInfo::name() const { return lower(variable.substr(kPrefix.size())); }

std::string SettingInfo::expected() const {
  switch (kind) {
    case SettingKind::kFlag:
      return "0 or 1";
    case SettingKind::kChoice: {
      std::vector<std::string> words = choices_of(*this);
      const std::string last = words.back();
      words.pop_back();
      return words.empty() ? last : format("{} or {}", base::join(words, ", "), last);
    }
    case SettingKind::kBytes:
      return "a number of bytes, such as 500000000, 500 MB or 2 GiB";
    case SettingKind::kSeconds:
      return "a number of seconds above 0";
    case SettingKind::kCount:
    case SettingKind::kThreads:
      return format("a number from {}", choices);
    case SettingKind::kDirectory:
      return "the path of a directory";
    case SettingKind::kCommand:
      break;
  }
  return "a path or a command";
}

std::span<const SettingInfo> all_settings() { return kSettingRows; }

const SettingInfo& info(Setting setting) { return kSettingRows[index_of(setting)]; }

SettingValue peek_setting(Setting setting) { return value_of(setting, /*is_reading=*/false); }

std::string setting_problem(Setting setting) {
  const SettingInfo& row = info(setting);
  const SettingValue value = peek_setting(setting);
  if (value.source != SettingSource::kEnvironment) return "";
  return problem(row, std::string(row.variable), value.text);
}

std::string setting_text(Setting setting) {
  const SettingInfo& row = info(setting);
  SettingValue value = value_of(setting, row.reading == SettingReading::kOnce);
  if (value.source == SettingSource::kEnvironment) {
    const std::string found = problem(row, std::string(row.variable), value.text);
    if (!found.empty()) throw base::Error(base::ErrorKind::kValue, found);
  }
  return std::move(value.text);
}

bool setting_flag(Setting setting) { return *parse_flag(setting_text(setting)); }

std::uint64_t setting_bytes(Setting setting) {
  return *base::parse_byte_count(setting_text(setting));
}

std::size_t setting_count(Setting setting) {
  return *parse_number<std::size_t>(setting_text(setting));
}

double setting_seconds(Setting setting) { return *parse_number<double>(setting_text(setting)); }

std::size_t setting_threads() {
  const SettingValue value = peek_setting(Setting::kNumThreads);
  const bool is_usable =
      value.source != SettingSource::kDefault && is_valid(info(Setting::kNumThreads), value.text);
  return is_usable ? *parse_number<std::size_t>(value.text) : 0;
}

void set_setting(Setting setting, const std::string& text) {
  const SettingInfo& row = info(setting);
  const std::string found = problem(row, attribute_of(row), text);
  if (!found.empty()) throw base::Error(base::ErrorKind::kValue, found);
  if (row.reading == SettingReading::kEnvironment) {
    throw base::Error(base::ErrorKind::kRuntime,
                      format("{} is of the environment only; set {} before the program starts",
                             attribute_of(row), row.variable));
  }
  SettingsState& kept = settings_state();
  const std::lock_guard lock(kept.mutex);
  if (kept.is_read[index_of(setting)]) {
    throw base::Error(base::ErrorKind::kRuntime,
                      format("{} has been read, once for the whole process; set it before its "
                             "first use, or {} before the program starts",
                             attribute_of(row), row.variable));
  }
  const ForkHold hold;
  kept.chosen[index_of(setting)] = text;
  ++current_generation;
}

void reset_setting(Setting setting) {
  SettingsState& kept = settings_state();
  const ForkHold hold;
  const std::lock_guard lock(kept.mutex);
  kept.chosen[index_of(setting)].reset();
  ++current_generation;
}

std::uint64_t settings_generation() { return current_generation.load(std::memory_order_relaxed); }

std::string setting_in_words(Setting setting) {
  const SettingInfo& row = info(setting);
  const SettingValue value = peek_setting(setting);
  const bool is_set = value.source == SettingSource::kProgram;
  return is_set ? format("{} = '{}'", attribute_of(row), value.text)
                : format("{}={}", row.variable, value.text);
}

}  // namespace numpy_plugin::system
