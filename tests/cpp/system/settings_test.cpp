#include "numpy_plugin/system/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::system {
namespace {

class SettingsTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const SettingInfo& row : all_settings()) {
      ::unsetenv(std::string(row.variable).c_str());
      reset_setting(row.setting);
    }
  }
};

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(SettingsTest, EachRowHasItsOwnNameAndAValidDefault) {
  std::set<std::string> names;
  for (const SettingInfo& row : all_settings()) {
    EXPECT_TRUE(names.insert(row.name()).second) << row.name();
    EXPECT_EQ(&info(row.setting), &row);
    EXPECT_FALSE(peek_setting(row.setting).text.empty() || row.meaning.empty()) << row.name();
    const bool has_value = row.kind != SettingKind::kDirectory &&
                           row.kind != SettingKind::kCommand && row.kind != SettingKind::kThreads;
    if (has_value && row.reading == SettingReading::kEachTime) {
      set_setting(row.setting, std::string(row.usual));
    }
  }
  EXPECT_EQ(info(Setting::kCacheDir).name(), "cache_dir");
}

TEST_F(SettingsTest, TheProgramCountsBeforeTheEnvironmentAndThatBeforeTheDefault) {
  EXPECT_EQ(setting_bytes(Setting::kCacheSize), 1'000'000'000u);
  EXPECT_EQ(peek_setting(Setting::kCacheSize).source, SettingSource::kDefault);
  ::setenv("NUMPY_PLUGIN_CACHE_SIZE", "2 MB", 1);
  EXPECT_EQ(setting_bytes(Setting::kCacheSize), 2'000'000u);
  EXPECT_EQ(peek_setting(Setting::kCacheSize).source, SettingSource::kEnvironment);
  set_setting(Setting::kCacheSize, "3 KiB");
  EXPECT_EQ(setting_bytes(Setting::kCacheSize), 3072u);
  EXPECT_EQ(peek_setting(Setting::kCacheSize).source, SettingSource::kProgram);
  reset_setting(Setting::kCacheSize);
  EXPECT_EQ(setting_bytes(Setting::kCacheSize), 2'000'000u);
}

TEST_F(SettingsTest, AnEmptyVariableIsUnset) {
  ::setenv("NUMPY_PLUGIN_CUDA", "", 1);
  EXPECT_EQ(setting_text(Setting::kCuda), "auto");
}

TEST_F(SettingsTest, InvalidValuesNameTheirSourceAndWhatIsExpected) {
  ::setenv("NUMPY_PLUGIN_DEBUG", "maybe", 1);
  const std::string expected = "NUMPY_PLUGIN_DEBUG is 'maybe'; expected 0 or 1";
  EXPECT_EQ(setting_problem(Setting::kDebug), expected);
  EXPECT_EQ(message_of([] { setting_flag(Setting::kDebug); }), expected);
  EXPECT_EQ(message_of([] { set_setting(Setting::kCompileTimeout, "-1"); }),
            "numpy_plugin.config.compile_timeout is '-1'; expected a number of seconds above 0");
  EXPECT_EQ(setting_seconds(Setting::kCompileTimeout), 120);
}

TEST_F(SettingsTest, AFlagHasWordsInAnyCase) {
  for (const char* text : {"1", "on", "TRUE", "Yes"}) {
    set_setting(Setting::kDebug, text);
    EXPECT_TRUE(setting_flag(Setting::kDebug)) << text;
  }
  for (const char* text : {"0", "off", "False", "NO"}) {
    set_setting(Setting::kDebug, text);
    EXPECT_FALSE(setting_flag(Setting::kDebug)) << text;
  }
}

TEST_F(SettingsTest, WhatIsReadOnceCannotBeSetAfterwards) {
  set_setting(Setting::kKeptMemory, "1 MB");
  EXPECT_EQ(peek_setting(Setting::kKeptMemory).text, "1 MB");
  set_setting(Setting::kKeptMemory, "2 MB");  // nothing has read it so far
  EXPECT_EQ(setting_bytes(Setting::kKeptMemory), 2'000'000u);
  EXPECT_EQ(message_of([] { set_setting(Setting::kKeptMemory, "3 MB"); }),
            "numpy_plugin.config.kept_memory has been read, once for the whole process; set it "
            "before its first use, or NUMPY_PLUGIN_KEPT_MEMORY before the program starts");
}

TEST_F(SettingsTest, SomeAreOfTheEnvironmentOnly) {
  ::setenv("NUMPY_PLUGIN_SIMULATED_DEVICES", "3", 1);
  EXPECT_EQ(setting_count(Setting::kSimulatedDevices), 3u);
  EXPECT_EQ(message_of([] { set_setting(Setting::kSimulatedDevices, "2"); }),
            "numpy_plugin.config.simulated_devices is of the environment only; set "
            "NUMPY_PLUGIN_SIMULATED_DEVICES before the program starts");
  ::setenv("NUMPY_PLUGIN_SIMULATED_DEVICES", "65", 1);
  EXPECT_EQ(setting_problem(Setting::kSimulatedDevices),
            "NUMPY_PLUGIN_SIMULATED_DEVICES is '65'; expected a number from 1 to 64");
}

TEST_F(SettingsTest, RequestsAreNamedAsTheyWereMade) {
  ::setenv("NUMPY_PLUGIN_AUTO", "device", 1);
  EXPECT_EQ(setting_in_words(Setting::kAuto), "NUMPY_PLUGIN_AUTO=device");
  set_setting(Setting::kAuto, "device");
  EXPECT_EQ(setting_in_words(Setting::kAuto), "numpy_plugin.config.auto = 'device'");
}

}  // namespace
}  // namespace numpy_plugin::system
