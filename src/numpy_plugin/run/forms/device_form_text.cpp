#include "numpy_plugin/run/forms/device_form_text.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::DeviceForm;
using analysis::LaunchForm;

// Applies a word to the form; false for unknown words.
bool apply_word(const std::string& word, DeviceForm& form) {
  if (word == "wide") return form.is_wide = true;
  if (word == "masked") return form.is_masked = true;
  for (const int limit : analysis::kDimensionLimits) {
    if (word != format("{}D", limit)) continue;
    form.n_dimensions = limit;
    return true;
  }
  const auto* const row =
      std::find_if(std::begin(analysis::kLaunchForms), std::end(analysis::kLaunchForms),
                   [&word](const analysis::LaunchFormInfo& info) { return info.name == word; });
  if (row == std::end(analysis::kLaunchForms)) return false;
  form.launch = row->form;
  return true;
}

[[noreturn]] void fail(const std::string& text, bool is_generalized) {
  const std::string forms =
      is_generalized ? "generalized, split, staged or tiled, the first two with 'wide' first for "
                       "64-bit indices"
                     : "contiguous, rows, short_rows, transposed or strided, with 'masked' first "
                       "for calls with where=, "
                       "'wide' for 64-bit indices, and '1D', '4D', '8D' or '64D' for the largest "
                       "number of dimensions";
  throw base::Error(base::ErrorKind::kValue, format("unknown form '{}'; expected {}", text, forms));
}

// Whether the combination of words is valid.
bool is_form(const DeviceForm& form, bool is_generalized) {
  const bool has_one_range =
      form.launch == LaunchForm::kStaged || form.launch == LaunchForm::kTiled;
  if (has_one_range && form.is_wide) return false;
  if (form.is_masked && is_generalized) return false;
  return analysis::info(form.launch).is_generalized == is_generalized;
}

constexpr std::string_view kReduceWord = "reduce";

bool apply_reduce_word(const std::string& word, analysis::ReduceForm& form) {
  if (word == "wide") return form.is_wide = true;
  if (word == "masked") return form.is_masked = true;
  const auto* const row =
      std::find_if(std::begin(analysis::kReduceLaunches), std::end(analysis::kReduceLaunches),
                   [&word](const analysis::ReduceLaunchInfo& info) { return info.name == word; });
  if (row == std::end(analysis::kReduceLaunches)) return false;
  form.launch = row->launch;
  return true;
}

// Segments and scans have no masks.
bool has_masks(analysis::ReduceLaunch launch) { return launch <= analysis::ReduceLaunch::kInOrder; }

[[noreturn]] void fail_to_reduce(const std::string& text) {
  std::string names;
  for (const analysis::ReduceLaunchInfo& row : analysis::kReduceLaunches) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw base::Error(base::ErrorKind::kValue,
                    format("unknown form '{}'; expected 'reduce' and one of {}, with 'wide' for "
                           "64-bit indices, and 'masked' for reductions with where=",
                           text, names));
}

}  // namespace

bool is_reduce_form(const std::string& text) {
  std::istringstream words(text);
  std::string first;
  words >> first;
  return first == kReduceWord;
}

analysis::ReduceForm parse_reduce_form(const std::string& text) {
  analysis::ReduceForm form;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word != kReduceWord && !apply_reduce_word(word, form)) fail_to_reduce(text);
  }
  if (form.is_masked && !has_masks(form.launch)) fail_to_reduce(text);
  return form;
}

DeviceForm parse_device_form(const std::string& text, std::string_view arch, bool is_generalized) {
  DeviceForm form;
  if (is_generalized) form.launch = LaunchForm::kGeneralized;
  form.architecture = jit::architecture_number(arch);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!apply_word(word, form)) fail(text, is_generalized);
  }
  if (!is_form(form, is_generalized)) fail(text, is_generalized);
  return form;
}

}  // namespace numpy_plugin::run
