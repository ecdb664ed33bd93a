// Operands of video instructions: parts of registers ("%r1.b0", "%r1.h10"), which further
// instructions select and merge, and the minus of vmad.
#include "simulator/program/operation.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "simulator/decode/function_decoder.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr const char* kScalarParts = "a register, or one of its parts .b0 .b1 .b2 .b3 .h0 .h1";

bool has_part(const Operand& operand) {
  return operand.kind == Operand::Kind::kRegister && !operand.name.empty();
}

bool is_signed(Type type) { return kind(type) == TypeKind::kSigned; }

struct Part {
  std::uint32_t first_bit = 0;
  std::uint32_t n_bits = 0;
};

// "b0" to "b3", "h0" and "h1".
std::optional<Part> scalar_part(std::string_view text) {
  if (text.size() != 2 || (text[0] != 'b' && text[0] != 'h')) return std::nullopt;
  const std::uint32_t n_bits = text[0] == 'b' ? 8 : 16;
  const auto index = static_cast<std::uint32_t>(text[1] - '0');
  if (index >= 32 / n_bits) return std::nullopt;
  return Part{index * n_bits, n_bits};
}

Type narrow_type(Type type, std::uint32_t n_bits) {
  if (n_bits == 8) return is_signed(type) ? Type::kS8 : Type::kU8;
  return is_signed(type) ? Type::kS16 : Type::kU16;
}

// "b3210": the digits after a letter of this width, the last of which is the lowest part's.
std::optional<std::string_view> digits_of(std::string_view text, int n_parts) {
  if (text.empty() || text.front() != (n_parts == 4 ? 'b' : 'h')) return std::nullopt;
  return text.substr(1);
}

// The selector of a prmt of a and b for parts of either.
std::optional<std::uint32_t> permutation(std::string_view text, int n_parts) {
  const auto digits = digits_of(text, n_parts);
  if (!digits || digits->size() != static_cast<std::size_t>(n_parts)) return std::nullopt;
  std::uint32_t selector = 0;
  for (const char digit : *digits) {
    const auto part = static_cast<std::uint32_t>(digit - '0');
    if (part >= 2 * static_cast<std::uint32_t>(n_parts)) return std::nullopt;
    selector = n_parts == 4 ? selector << 4 | part : selector << 8 | (2 * part + 1) << 4 | 2 * part;
  }
  return selector;
}

// The bits of a result's parts, named in falling order.
std::optional<std::uint32_t> mask_of(std::string_view text, int n_parts) {
  const auto digits = digits_of(text, n_parts);
  if (!digits || digits->empty()) return std::nullopt;
  const int width = 32 / n_parts;
  std::uint32_t mask = 0;
  int previous = n_parts;
  for (const char digit : *digits) {
    const int part = digit - '0';
    if (part < 0 || part >= previous) return std::nullopt;
    mask |= ((1u << width) - 1) << (width * part);
    previous = part;
  }
  return mask;
}

}  // namespace

void FunctionDecoder::decode_video(const Statement& statement, Instruction& instruction) {
  Operation& operation = instruction.operation;
  const std::vector<Operand>& operands = statement.operands;
  if (operation.opcode == Opcode::kVmad) {
    const bool is_product_negated = operands[1].has_minus != operands[2].has_minus;
    const bool is_addend_negated = operands[3].has_minus;
    if (is_product_negated + is_addend_negated + (operation.mode == Mode::kPlusOne) > 1)
      operands_.fail("expected only one of .po, a minus of the product and one of its addend");
    if (is_product_negated) operation.mode = Mode::kNegatedProduct;
    if (is_addend_negated) operation.mode = Mode::kNegatedAddend;
  } else {
    for (const Operand& operand : operands) {
      if (operand.has_minus) operands_.fail(operand, "an operand without a minus");
    }
  }
  if (n_video_parts(operation.opcode) == 1)
    decode_part(statement, instruction);
  else
    decode_parts(statement, instruction);
}

// The selected part of a source, extended to its type.
Slot FunctionDecoder::part_of(const Operand& operand, Slot whole, Type type) {
  if (!has_part(operand)) return whole;
  const auto part = scalar_part(operand.name);
  if (!part) operands_.fail(operand, kScalarParts);
  Instruction extraction;
  extraction.a = whole;
  extraction.b = operands_.constant(part->first_bit);
  extraction.c = operands_.constant(part->n_bits);
  return operands_.before({.opcode = Opcode::kBfe, .type = type}, 4, extraction);
}

// A part of the result replaces that of the last operand.
void FunctionDecoder::decode_part(const Statement& statement, Instruction& instruction) {
  Operation& operation = instruction.operation;
  const std::vector<Operand>& operands = statement.operands;
  const Operand& result = operands.front();
  instruction.a = part_of(operands[1], instruction.a, operation.source);
  instruction.b = part_of(operands[2], instruction.b, operation.third);
  if (operands.size() > 3 && has_part(operands[3])) operands_.fail(operands[3], "a whole register");
  const bool needs_third = operation.secondary != Mode::kNone || has_part(result);
  if (needs_third && operands.size() < 4)
    operands_.fail("found 3 operands; expected a fourth, which the result is combined with");
  if (!has_part(result)) return;
  const auto part = scalar_part(result.name);
  if (!part) operands_.fail(result, kScalarParts);
  if (operation.secondary != Mode::kNone)
    operands_.fail(result, "a whole register beside .add, .min or .max");
  operation.type = narrow_type(operation.type, part->n_bits);
  Instruction merging;
  merging.result = instruction.result;
  instruction.result = operands_.temporary();
  merging.a = instruction.result;
  merging.b = instruction.c;
  merging.c = operands_.constant(part->first_bit);
  merging.d = operands_.constant(part->n_bits);
  operands_.after({.opcode = Opcode::kBfi, .type = Type::kB32}, merging);
}

// Parts of both sources may be selected from either.
void FunctionDecoder::decode_parts(const Statement& statement, Instruction& instruction) {
  const std::vector<Operand>& operands = statement.operands;
  const int n_parts = n_video_parts(instruction.operation.opcode);
  const std::string parts = n_parts == 4 ? "bytes" : "half-words";
  for (const Operand& operand : operands) {
    if (operand.kind != Operand::Kind::kRegister) operands_.fail(operand, "a register");
  }
  const auto selected = [&](const Operand& operand, Slot whole) {
    if (!has_part(operand)) return whole;
    const auto selector = permutation(operand.name, n_parts);
    if (!selector)
      operands_.fail(operand, format("a register, or {} {} of both sources, as .{}", n_parts, parts,
                                     n_parts == 4 ? "b7520" : "h20"));
    Instruction selection;
    selection.a = instruction.a;
    selection.b = instruction.b;
    selection.c = operands_.constant(*selector);
    return operands_.before({.opcode = Opcode::kPrmt, .type = Type::kB32}, 4, selection);
  };
  const Slot a = selected(operands[1], instruction.a);
  instruction.b = selected(operands[2], instruction.b);
  instruction.a = a;
  if (!has_part(operands.front())) return;
  const auto mask = mask_of(operands.front().name, n_parts);
  if (!mask)
    operands_.fail(operands.front(), format("a register, or {} of it in falling order, as .{}",
                                            parts, n_parts == 4 ? "b20" : "h1"));
  instruction.d = operands_.constant(*mask);
}

}  // namespace numpy_plugin::sim
