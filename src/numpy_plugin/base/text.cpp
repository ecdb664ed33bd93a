// Text helpers: edit distance for "did you mean", lines, joins.
#include "numpy_plugin/base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace numpy_plugin::base {
namespace {

// Edits that turn one word into the other: insertion, deletion, replacement, swap of neighbours
// (each letter is edited at most once: the "optimal string alignment" distance).
std::size_t edit_distance(std::string_view first, std::string_view second) {
  std::vector<std::size_t> before_previous;
  std::vector<std::size_t> previous(second.size() + 1);
  for (std::size_t column = 0; column < previous.size(); ++column) previous[column] = column;
  for (std::size_t row = 1; row <= first.size(); ++row) {
    std::vector<std::size_t> current(second.size() + 1, row);
    for (std::size_t column = 1; column <= second.size(); ++column) {
      const bool is_equal = first[row - 1] == second[column - 1];
      current[column] = std::min({previous[column] + 1, current[column - 1] + 1,
                                  previous[column - 1] + (is_equal ? 0 : 1)});
      const bool is_swap = row > 1 && column > 1 && first[row - 1] == second[column - 2] &&
                           first[row - 2] == second[column - 1];
      if (is_swap) current[column] = std::min(current[column], before_previous[column - 2] + 1);
    }
    before_previous = std::move(previous);
    previous = std::move(current);
  }
  return previous.back();
}

std::string to_lower(std::string_view word) {
  std::string result(word);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    if (candidate != word && to_lower(candidate) == to_lower(word)) return candidate;
  }
  const std::size_t limit = word.size() <= 3 ? 1 : 2;
  std::size_t best = limit + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool shares_nothing = distance >= std::max(word.size(), candidate.size());
    if (distance >= best || shares_nothing) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (part > 0) text += separator;
    text += parts[part];
  }
  return text;
}

std::string_view strip(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string size_digits(std::size_t size) {
  std::string digits = std::to_string(size);
  return std::string(kSizeDigits - digits.size(), '0') + digits;
}

std::string counted(std::int64_t count, std::string_view noun, std::string_view plural) {
  std::string text = format("{} ", count);
  if (count == 1) return text.append(noun);
  return plural.empty() ? text.append(noun).append("s") : text.append(plural);
}

}  // namespace numpy_plugin::base
