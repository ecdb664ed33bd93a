#include "numpy_plugin/run/forms/device_form_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using emit::DeviceForm;
using emit::LaunchForm;

struct FormWord {
  std::string_view word;
  void (*apply)(DeviceForm&);
};
constexpr std::array<FormWord, 8> kWords = {{
    {"contiguous", [](DeviceForm& form) { form.launch = LaunchForm::kContiguous; }},
    {"rows", [](DeviceForm& form) { form.launch = LaunchForm::kRows; }},
    {"strided", [](DeviceForm& form) { form.launch = LaunchForm::kStrided; }},
    {"generalized", [](DeviceForm& form) { form.launch = LaunchForm::kGeneralized; }},
    {"split", [](DeviceForm& form) { form.launch = LaunchForm::kSplit; }},
    {"staged", [](DeviceForm& form) { form.launch = LaunchForm::kStaged; }},
    {"wide", [](DeviceForm& form) { form.is_wide = true; }},
    {"masked", [](DeviceForm& form) { form.is_masked = true; }},
}};

[[noreturn]] void fail(const std::string& text, bool is_generalized) {
  const std::string forms =
      is_generalized ? "generalized, split or staged, before the first two wide where indices of "
                       "64 bits are meant"
                     : "contiguous, rows or strided, before it wide where indices of 64 bits are "
                       "meant, and masked strided for calls with where=";
  throw base::Error(base::ErrorKind::kValue, "unknown form '" + text + "'; expected " + forms);
}

// Which words go together.
bool is_form(const DeviceForm& form, bool is_generalized) {
  if (form.launch == LaunchForm::kStaged && form.is_wide) return false;
  if (form.is_masked && form.launch != LaunchForm::kStrided) return false;
  const bool is_of_generalized = form.launch == LaunchForm::kGeneralized ||
                                 form.launch == LaunchForm::kSplit ||
                                 form.launch == LaunchForm::kStaged;
  return is_of_generalized == is_generalized;
}

}  // namespace

int architecture_number(std::string_view arch) {
  const std::size_t first = arch.find('_');
  int number = 0;
  if (first == std::string_view::npos) return number;
  std::from_chars(arch.data() + first + 1, arch.data() + arch.size(), number);
  return number;
}

DeviceForm parse_device_form(const std::string& text, std::string_view arch, bool is_generalized) {
  DeviceForm form;
  if (is_generalized) form.launch = LaunchForm::kGeneralized;
  form.architecture = architecture_number(arch);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto* const row = std::find_if(kWords.begin(), kWords.end(),
                                         [&](const FormWord& w) { return w.word == word; });
    if (row == kWords.end()) fail(text, is_generalized);
    row->apply(form);
  }
  if (!is_form(form, is_generalized)) fail(text, is_generalized);
  return form;
}

}  // namespace numpy_plugin::run
