// Display width of characters: UTF-8 decoding and a short table of those that are not one column
// wide.
#include "numpy_plugin/diagnostics/diagnostic.hpp"

#include <algorithm>

namespace numpy_plugin::declare {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// Unicode's East Asian Width W and F, adjacent blocks merged.
constexpr CharacterRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26BD, 0x26BE},
    {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274E},
    {0x2753, 0x2757},   {0x2795, 0x2797},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F18E, 0x1F19A},
    {0x1F200, 0x1F320}, {0x1F337, 0x1F393}, {0x1F3E0, 0x1F3F0}, {0x1F400, 0x1F4FC},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F90C, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

// Combining marks, joiners and variation selectors.
constexpr CharacterRange kCombining[] = {
    {0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

template <std::size_t n>
bool is_in(const CharacterRange (&ranges)[n], char32_t character) {
  return std::any_of(std::begin(ranges), std::end(ranges), [character](CharacterRange range) {
    return range.first <= character && character <= range.last;
  });
}

// Bytes of the character that starts with `lead`; an invalid byte counts as a character.
std::size_t n_bytes_of(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  if (lead >= 0xC0) return 2;
  return 1;
}

struct Character {
  char32_t code;
  std::size_t n_bytes;
};

Character decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t n_bytes = std::min(n_bytes_of(lead), text.size());
  if (n_bytes == 1) return {lead, 1};
  char32_t code = lead & (0xFFu >> (n_bytes + 1));
  for (std::size_t i = 1; i < n_bytes; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  return {code, n_bytes};
}

std::size_t width(char32_t character) {
  if (is_in(kCombining, character)) return 0;
  return is_in(kWide, character) ? 2 : 1;
}

}  // namespace

std::string underline(std::string_view line, std::size_t begin, std::size_t end) {
  std::string marks;
  std::size_t at = 0;
  while (at < std::min(end, line.size())) {
    const Character character = decode(line.substr(at));
    if (character.code == '\t') {
      marks += '\t';
    } else {
      marks.append(width(character.code), at < begin ? ' ' : '^');
    }
    at += character.n_bytes;
  }
  if (marks.find('^') == std::string::npos) marks += '^';
  return marks;
}

std::size_t count_characters(std::string_view line, std::size_t n_bytes) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (at < std::min(n_bytes, line.size())) {
    at += decode(line.substr(at)).n_bytes;
    ++count;
  }
  return count;
}

}  // namespace numpy_plugin::declare
