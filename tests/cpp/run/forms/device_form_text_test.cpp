#include "numpy_plugin/run/forms/device_form_text.hpp"

#include <gtest/gtest.h>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;

TEST(device_form_text, words_in_any_order) {
  const analysis::DeviceForm form = parse_device_form("wide masked strided", "sm_120");
  EXPECT_EQ(form.launch, LaunchForm::kStrided);
  EXPECT_TRUE(form.is_wide);
  EXPECT_TRUE(form.is_masked);
  EXPECT_EQ(form.architecture, 120);
  EXPECT_EQ(parse_device_form("strided wide masked", "sm_120"), form);
  EXPECT_EQ(parse_device_form("masked", "sm_90").launch, LaunchForm::kContiguous);
  EXPECT_TRUE(parse_device_form("masked rows", "sm_90").is_masked);
  EXPECT_EQ(parse_device_form("strided", "sm_90").n_dimensions, 4);
  EXPECT_EQ(parse_device_form("1D strided", "sm_90").n_dimensions, 1);
  EXPECT_EQ(parse_device_form("rows 64D", "sm_90").n_dimensions, 64);
}

TEST(device_form_text, contiguous_without_a_word) {
  EXPECT_EQ(parse_device_form("", "sm_90"), analysis::DeviceForm{});
  EXPECT_EQ(parse_device_form("contiguous", "sm_90"), analysis::DeviceForm{});
}

TEST(device_form_text, forms_of_generalized_kernels) {
  EXPECT_EQ(parse_device_form("", "sm_90", true).launch, LaunchForm::kGeneralized);
  EXPECT_EQ(parse_device_form("staged", "sm_90", true).launch, LaunchForm::kStaged);
  EXPECT_EQ(parse_device_form("tiled", "sm_90", true).launch, LaunchForm::kTiled);
  const analysis::DeviceForm form = parse_device_form("wide split", "sm_90", true);
  EXPECT_EQ(form.launch, LaunchForm::kSplit);
  EXPECT_TRUE(form.is_wide);
  for (const char* text : {"rows", "wide staged", "wide tiled", "masked split", "splits"})
    EXPECT_THROW(parse_device_form(text, "sm_90", true), base::Error) << text;
}

TEST(device_form_text, no_other_words) {
  for (const char* text : {"fast", "rows,wide", "split", "masked split", "2D strided"})
    EXPECT_THROW(parse_device_form(text, "sm_90"), base::Error) << text;
}

}  // namespace
}  // namespace numpy_plugin::run
