// Finds the reason by the opcode and the modifiers' beginnings.
#include "simulator/program/grammar.hpp"

#include <algorithm>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::sim {
namespace {

struct Row {
  std::string_view opcode;
  std::string_view words;
  std::string_view what;
  std::string_view architecture;
  std::string_view instead;
};

constexpr Row kRows[] = {
#define NPP_PTX_UNSIMULATED(opcode, words, what, architecture, instead) \
  {opcode, words, what, architecture, instead},
#include "simulator/program/unsimulated.def"
};

std::string sentence(const Row& row) {
  std::string text(row.what);
  if (!row.architecture.empty()) text += format(" ({})", row.architecture);
  text += " are not simulated";
  if (!row.instead.empty()) text += format("; {}", row.instead);
  return text;
}

}  // namespace

bool has_words(std::string_view modifiers, std::string_view words) {
  while (!words.empty()) {
    std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const bool is_present = !word.starts_with('!');
    if (!is_present) word.remove_prefix(1);
    const bool is_found = modifiers.find(format(".{}", word)) != std::string_view::npos;
    if (is_found != is_present) return false;
  }
  return true;
}

std::optional<std::string> why_unsimulated(std::string_view mnemonic) {
  const std::size_t end = std::min(mnemonic.find('.'), mnemonic.size());
  const auto is_meant = [&](const Row& row) {
    return row.opcode == mnemonic.substr(0, end) && has_words(mnemonic.substr(end), row.words);
  };
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), is_meant);
  if (row == std::end(kRows)) return std::nullopt;
  return sentence(*row);
}

}  // namespace numpy_plugin::sim
