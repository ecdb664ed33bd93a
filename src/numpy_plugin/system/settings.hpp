// Settings: a value set by the program counts first, then the environment variable, then the
// default. The rows are in settings.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace numpy_plugin::system {

constexpr std::size_t kMaxThreads = 1024;

enum class Setting {
#define NPP_SETTING(setting, variable, kind, usual, choices, reading, meaning) setting,
#include "numpy_plugin/system/settings.def"
};

enum class SettingKind { kFlag, kChoice, kBytes, kSeconds, kCount, kThreads, kDirectory, kCommand };
enum class SettingReading { kEachTime, kOnce, kEnvironment };

struct SettingInfo {
  Setting setting;
  std::string_view variable;
  SettingKind kind;
  std::string_view usual;
  std::string_view choices;
  SettingReading reading;
  std::string_view meaning;

  std::string name() const;      // "cache_dir"
  std::string expected() const;  // in messages: "cpu or device"
};

std::span<const SettingInfo> all_settings();
const SettingInfo& info(Setting setting);

enum class SettingSource { kDefault, kEnvironment, kProgram };

struct SettingValue {
  std::string text;
  SettingSource source = SettingSource::kDefault;
};

// The value and where it is from; of an invalid variable, too. Marks nothing as read.
SettingValue peek_setting(Setting setting);
// Why the value of the environment is invalid; empty where it is valid or unset.
std::string setting_problem(Setting setting);

// The value. Throws base::Error (kValue) for an invalid one of the environment, naming the
// variable.
std::string setting_text(Setting setting);
bool setting_flag(Setting setting);
std::uint64_t setting_bytes(Setting setting);
std::size_t setting_count(Setting setting);
double setting_seconds(Setting setting);
// The number of threads that was chosen; 0 where none was, or an invalid one in the environment:
// calls can't fail because of it.
std::size_t setting_threads();

// Sets a value for this process. Throws base::Error: kValue for an invalid one, kRuntime where it
// comes too late because the setting has been read once and for all, or is of the environment only.
void set_setting(Setting setting, const std::string& text);
void reset_setting(Setting setting);
// Changes with every value set or reset.
std::uint64_t settings_generation();

// How a request by a setting is called in messages: "NUMPY_PLUGIN_AUTO=device".
std::string setting_in_words(Setting setting);

}  // namespace numpy_plugin::system
