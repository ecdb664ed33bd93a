// The reference for video instructions, from the pseudo-code of the PTX ISA's section on each: also
// with selected parts, masks and the minus of vmad, which the decoder takes apart.
#pragma once

#include <string>

#include "simulator/handlers/reference_integer.hpp"

namespace numpy_plugin::sim::reference {

// An instruction as written. Selectors and masks are without a dot, and empty for whole registers.
struct VideoText {
  std::string name;  // "add", "avrg", ... without v and the number of parts
  int n_parts = 1;
  bool is_result_signed = false;
  bool is_a_signed = false;
  bool is_b_signed = false;
  bool saturate = false;
  std::string then;        // "add", "min", "max"
  std::string comparison;  // "lt" ...
  bool wraps = false;      // of shifts
  bool has_po = false;
  int right_shift = 0;
  std::string result_part, a_part, b_part;
  bool a_minus = false, b_minus = false, c_minus = false;
};

inline SignedWide field(std::uint32_t word, int first_bit, int n_bits, bool is_signed) {
  const std::uint64_t bits = (std::uint64_t{word} >> first_bit) % (std::uint64_t{1} << n_bits);
  const bool is_negative = is_signed && bits >> (n_bits - 1) != 0;
  return static_cast<SignedWide>(bits) - (is_negative ? SignedWide{1} << n_bits : 0);
}

inline SignedWide scalar_field(std::uint32_t word, const std::string& part, bool is_signed) {
  if (part.empty()) return field(word, 0, 32, is_signed);
  const int n_bits = part[0] == 'b' ? 8 : 16;
  return field(word, n_bits * (part[1] - '0'), n_bits, is_signed);
}

inline SignedWide clamped(SignedWide value, bool is_signed, int n_bits) {
  const SignedWide span = SignedWide{1} << n_bits;
  const SignedWide least = is_signed ? -(span / 2) : 0;
  return std::min(std::max(value, least), least + span - 1);
}

inline SignedWide video_value(const VideoText& text, SignedWide a, SignedWide b) {
  if (text.name == "add") return a + b;
  if (text.name == "sub") return a - b;
  if (text.name == "absdiff") return a > b ? a - b : b - a;
  if (text.name == "min") return std::min(a, b);
  if (text.name == "max") return std::max(a, b);
  if (text.name == "avrg") return a + b < 0 ? -((1 - a - b) / 2) : (a + b + 1) / 2;
  if (text.name == "shl" || text.name == "shr") {
    const SignedWide amount = text.wraps ? b % 32 : std::min(b, SignedWide{32});
    const SignedWide factor = SignedWide{1} << static_cast<int>(amount);
    if (text.name == "shl") return a * factor;
    return a < 0 ? -((factor - 1 - a) / factor) : a / factor;
  }
  if (text.comparison == "eq") return a == b;
  if (text.comparison == "ne") return a != b;
  if (text.comparison == "lt") return a < b;
  if (text.comparison == "le") return a <= b;
  if (text.comparison == "gt") return a > b;
  return a >= b;
}

// As CUDA's assembler computes it, which differs from the ISA for words that are not signed: all
// are multiplied as signed ones, and the sum has 64 bits.
inline std::uint32_t video_product(const VideoText& text, std::uint32_t a, std::uint32_t b,
                                   std::uint32_t c) {
  const bool is_negated = text.a_minus != text.b_minus;
  const bool is_signed = text.is_a_signed || text.is_b_signed || is_negated || text.c_minus;
  const auto operand = [](std::uint32_t word, const std::string& part, bool has_sign) {
    return scalar_field(word, part, has_sign || part.empty());
  };
  const SignedWide product =
      operand(a, text.a_part, text.is_a_signed) * operand(b, text.b_part, text.is_b_signed);
  // A negated addend is the complement, as a number of 32 bits, and one.
  const SignedWide addend = text.c_minus ? field(~c, 0, 32, true) + 1 : field(c, 0, 32, true);
  const SignedWide sum = (is_negated ? -product : product) + addend + (text.has_po ? 1 : 0);
  const SignedWide modulus = SignedWide{1} << 64;
  const SignedWide bits = is_signed ? sum : (sum + modulus) % modulus;
  const SignedWide divisor = SignedWide{1} << text.right_shift;
  SignedWide value = bits / divisor;
  if (value * divisor > bits) --value;
  if (value >= modulus / 2) value -= modulus;
  if (text.saturate) value = clamped(value, is_signed, 32);
  return static_cast<std::uint32_t>(cut(static_cast<Wide>(value), 32));
}

inline std::uint32_t video_scalar(const VideoText& text, std::uint32_t a, std::uint32_t b,
                                  std::uint32_t c) {
  if (text.name == "mad") return video_product(text, a, b, c);
  SignedWide value = video_value(text, scalar_field(a, text.a_part, text.is_a_signed),
                                 scalar_field(b, text.b_part, text.is_b_signed));
  // A "signed 34-bit result".
  const SignedWide span = SignedWide{1} << 34;
  value = ((value + span / 2) % span + span) % span - span / 2;
  const std::string& part = text.result_part;
  const int n_bits = part.empty() ? 32 : part[0] == 'b' ? 8 : 16;
  if (text.saturate) value = clamped(value, text.is_result_signed, n_bits);
  const auto word = static_cast<std::uint32_t>(cut(static_cast<Wide>(value), 32));
  const bool is_signed = text.name == "set" ? text.is_a_signed : text.is_result_signed;
  const SignedWide result = field(word, 0, 32, is_signed);
  const SignedWide third = field(c, 0, 32, is_signed);
  if (text.then == "add") return word + c;
  if (text.then == "min") return result < third ? word : c;
  if (text.then == "max") return result > third ? word : c;
  if (part.empty()) return word;
  const int first_bit = n_bits * (part[1] - '0');
  const std::uint32_t mask = (n_bits == 8 ? 0xffu : 0xffffu) << first_bit;
  return (c & ~mask) | (word << first_bit & mask);
}

// The part of a digit of a list, "b7520" or "h31": those of b are after those of a.
inline SignedWide listed_field(const VideoText& text, const std::string& list, int index,
                               std::uint32_t a, std::uint32_t b, bool is_signed) {
  const int n_bits = 32 / text.n_parts;
  const int digit = list[static_cast<std::size_t>(text.n_parts - index)] - '0';
  const bool is_of_b = digit >= text.n_parts;
  return field(is_of_b ? b : a, n_bits * (digit % text.n_parts), n_bits, is_signed);
}

inline std::uint32_t video_parts(const VideoText& text, std::uint32_t a, std::uint32_t b,
                                 std::uint32_t c) {
  const int n_bits = 32 / text.n_parts;
  const bool is_bytes = text.n_parts == 4;
  const std::string a_list = !text.a_part.empty() ? text.a_part : is_bytes ? "b3210" : "h10";
  const std::string b_list = !text.b_part.empty() ? text.b_part : is_bytes ? "b7654" : "h32";
  std::uint32_t result = c;
  for (int index = 0; index < text.n_parts; ++index) {
    const char digit = static_cast<char>('0' + index);
    if (!text.result_part.empty() && text.result_part.find(digit) == std::string::npos) continue;
    SignedWide value = video_value(text, listed_field(text, a_list, index, a, b, text.is_a_signed),
                                   listed_field(text, b_list, index, a, b, text.is_b_signed));
    if (text.saturate) value = clamped(value, text.is_result_signed, n_bits);
    const auto word = static_cast<std::uint32_t>(cut(static_cast<Wide>(value), 32));
    const std::uint32_t mask = (is_bytes ? 0xffu : 0xffffu) << (n_bits * index);
    result =
        text.then == "add" ? result + word : (result & ~mask) | (word << (n_bits * index) & mask);
  }
  return result;
}

inline std::uint32_t video(const VideoText& text, std::uint32_t a, std::uint32_t b,
                           std::uint32_t c) {
  return text.n_parts == 1 ? video_scalar(text, a, b, c) : video_parts(text, a, b, c);
}

// nullopt for other opcodes.
inline std::optional<VideoText> video_text(const Operation& operation) {
  struct Row {
    Opcode opcode;
    const char* name;
    int n_parts;
  };
  constexpr Row kRows[] = {{Opcode::kVadd, "add", 1},          {Opcode::kVadd2, "add", 2},
                           {Opcode::kVadd4, "add", 4},         {Opcode::kVsub, "sub", 1},
                           {Opcode::kVsub2, "sub", 2},         {Opcode::kVsub4, "sub", 4},
                           {Opcode::kVabsdiff, "absdiff", 1},  {Opcode::kVabsdiff2, "absdiff", 2},
                           {Opcode::kVabsdiff4, "absdiff", 4}, {Opcode::kVmin, "min", 1},
                           {Opcode::kVmin2, "min", 2},         {Opcode::kVmin4, "min", 4},
                           {Opcode::kVmax, "max", 1},          {Opcode::kVmax2, "max", 2},
                           {Opcode::kVmax4, "max", 4},         {Opcode::kVavrg2, "avrg", 2},
                           {Opcode::kVavrg4, "avrg", 4},       {Opcode::kVset, "set", 1},
                           {Opcode::kVset2, "set", 2},         {Opcode::kVset4, "set", 4},
                           {Opcode::kVshl, "shl", 1},          {Opcode::kVshr, "shr", 1},
                           {Opcode::kVmad, "mad", 1}};
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& candidate) {
    return candidate.opcode == operation.opcode;
  });
  if (row == std::end(kRows)) return std::nullopt;
  const auto is_signed = [](Type type) { return type == Type::kS32; };
  constexpr const char* kComparisons[] = {"", "eq", "ne", "lt", "le", "gt", "ge"};
  VideoText text;
  text.name = row->name;
  text.n_parts = row->n_parts;
  text.is_result_signed = is_signed(operation.type);
  text.is_a_signed = is_signed(operation.source);
  text.is_b_signed = is_signed(operation.third);
  text.saturate = operation.saturate;
  text.then = operation.secondary == Mode::kAdd   ? "add"
              : operation.secondary == Mode::kMin ? "min"
              : operation.secondary == Mode::kMax ? "max"
                                                  : "";
  text.comparison = kComparisons[static_cast<int>(operation.comparison)];
  text.wraps = operation.mode == Mode::kWrap;
  text.has_po = operation.mode == Mode::kPlusOne;
  text.right_shift = operation.right_shift;
  return text;
}

}  // namespace numpy_plugin::sim::reference
