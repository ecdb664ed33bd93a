#include "numpy_plugin/run/device_form_text.hpp"

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
constexpr std::array<FormWord, 5> kWords = {{
    {"contiguous", [](DeviceForm& form) { form.launch = LaunchForm::kContiguous; }},
    {"rows", [](DeviceForm& form) { form.launch = LaunchForm::kRows; }},
    {"strided", [](DeviceForm& form) { form.launch = LaunchForm::kStrided; }},
    {"wide", [](DeviceForm& form) { form.is_wide = true; }},
    {"masked", [](DeviceForm& form) { form.is_masked = true; }},
}};

[[noreturn]] void fail(const std::string& text) {
  throw base::Error(base::ErrorKind::kValue,
                    "unknown form '" + text +
                        "'; expected contiguous, rows or strided, before it wide where indices of "
                        "64 bits are meant, and masked strided for calls with where=");
}

}  // namespace

int architecture_number(std::string_view arch) {
  const std::size_t first = arch.find('_');
  int number = 0;
  if (first == std::string_view::npos) return number;
  std::from_chars(arch.data() + first + 1, arch.data() + arch.size(), number);
  return number;
}

DeviceForm parse_device_form(const std::string& text, std::string_view arch) {
  DeviceForm form;
  form.architecture = architecture_number(arch);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto* const row = std::find_if(kWords.begin(), kWords.end(),
                                         [&](const FormWord& w) { return w.word == word; });
    if (row == kWords.end()) fail(text);
    row->apply(form);
  }
  if (form.is_masked && form.launch != LaunchForm::kStrided) fail(text);
  return form;
}

}  // namespace numpy_plugin::run
