// Single instructions by mnemonic: their operands, and execution on a warp.
#pragma once

#include "simulator/handlers/harness.hpp"

namespace numpy_plugin::sim {

inline constexpr int kResult = 0;
inline constexpr int kCarryResult = 1;
inline constexpr int kCarryRead = 2;
inline constexpr int kFirstSource = 3;

// A source operand of an instruction.
struct SourceShape {
  Type type = Type::kNone;  // kPred: a predicate
  int n_bytes = 0;          // of its register
  bool is_constant = false;
};

struct Shape {
  Mnemonic mnemonic;
  int result_bytes = 0;  // 0: a predicate
  std::vector<SourceShape> sources;
  bool reads_carry = false;
  bool has_second_result = false;  // a predicate
  bool has_optional_parts = false;
};

inline int bytes_by(char letter, const Operation& operation) {
  const Type second = operation.source == Type::kNone ? operation.type : operation.source;
  switch (letter) {
    case 'T':
      return static_cast<int>(size_bytes(operation.type));
    case 'W':
      return static_cast<int>(size_bytes(operation.type)) * (operation.part == Part::kWide ? 2 : 1);
    case 'S':
      return static_cast<int>(size_bytes(second));
    default:
      return letter == 'P' ? 0 : 4;
  }
}

inline SourceShape source_shape(char letter, const Operation& operation) {
  SourceShape shape;
  shape.n_bytes = bytes_by(letter, operation);
  const bool is_second = letter == 'S' && operation.source != Type::kNone;
  switch (letter) {
    case 'P':
      shape.type = Type::kPred;
      break;
    case 'U':
      shape.type = Type::kU32;
      break;
    case 'N':
      shape.type = Type::kU8;
      shape.is_constant = true;
      break;
    case 'W':
      shape.type = shape.n_bytes == 8 ? Type::kU64 : shape.n_bytes == 4 ? Type::kU32 : Type::kU16;
      break;
    default:
      shape.type = is_second ? operation.source : operation.type;
  }
  return shape;
}

// An optional source and a second result may be left out.
inline Shape shape_of(const Mnemonic& mnemonic, bool with_optional_parts) {
  const Operation& operation = mnemonic.operation;
  Shape shape;
  shape.mnemonic = mnemonic;
  if (mnemonic.form->has_own_rules) {  // mov of one register to another
    shape.result_bytes = bytes_by('T', operation);
    shape.sources = {source_shape('T', operation)};
  } else {
    if (!mnemonic.form->results.empty()) {
      shape.result_bytes = bytes_by(mnemonic.form->results[0].letter, operation);
      const OperandRule& rule = mnemonic.form->results[0];
      shape.has_optional_parts = rule.second != 0 && !rule.needs_second;
      shape.has_second_result = rule.second != 0 && (rule.needs_second || with_optional_parts);
    }
    for (const OperandRule& rule : mnemonic.form->sources) {
      shape.has_optional_parts |= rule.may_be_missing;
      if (rule.may_be_missing && !with_optional_parts) continue;
      shape.sources.push_back(source_shape(rule.letter, operation));
    }
  }
  shape.reads_carry = operation.opcode == Opcode::kAddc || operation.opcode == Opcode::kSubc ||
                      operation.opcode == Opcode::kMadc;
  return shape;
}

struct Inputs {
  std::vector<Lanes> sources;
  LaneMask carries = 0;
  LaneMask active = kAllLanes;
};

inline Instruction instruction_of(const Shape& shape) {
  Instruction instruction = make_instruction(shape.mnemonic.operation);
  instruction.result = TestWarp::place(kResult);
  instruction.result_bytes = static_cast<std::uint8_t>(shape.result_bytes);
  if (!shape.sources.empty()) {
    instruction.source_bytes = static_cast<std::uint8_t>(shape.sources[0].n_bytes);
  }
  Slot* const slots[] = {&instruction.a, &instruction.b, &instruction.c, &instruction.d,
                         &instruction.e};
  for (std::size_t index = 0; index < shape.sources.size(); ++index) {
    const int place = kFirstSource + static_cast<int>(index);
    *slots[index] =
        shape.sources[index].is_constant ? TestWarp::constant_place(place) : TestWarp::place(place);
  }
  if (shape.mnemonic.operation.carry || shape.has_second_result)
    instruction.second_result = TestWarp::place(kCarryResult);
  if (shape.reads_carry) instruction.d = TestWarp::place(kCarryRead);
  return instruction;
}

// Registers of one instruction on one build of the handlers.
class InstructionRunner {
 public:
  InstructionRunner(const std::string& mnemonic, HostIsa isa, bool with_optional_parts = true)
      : shape_(shape_of(*find_mnemonic(mnemonic), with_optional_parts)), isa_(isa) {}

  const Shape& shape() const { return shape_; }
  HostIsa isa() const { return isa_; }

  // Sets register sizes of one source and the result, instead of their types' sizes.
  void set_registers(int source_bytes, int result_bytes) {
    shape_.sources[0].n_bytes = source_bytes;
    shape_.result_bytes = result_bytes;
  }

  void run(const Inputs& inputs) {
    Lanes untouched;
    untouched.fill(kUntouched);
    warp_->write(kResult, 8, untouched);
    warp_->write_mask(kCarryResult, 0);
    warp_->write_mask(kCarryRead, inputs.carries);
    for (std::size_t index = 0; index < inputs.sources.size(); ++index) {
      write_source(kFirstSource + static_cast<int>(index), shape_.sources[index],
                   inputs.sources[index]);
    }
    warp_->warp().active = inputs.active;
    warp_->run(isa_, instruction_of(shape_));
  }

  // A predicate as 0 or 1.
  Lanes results() const {
    if (shape_.result_bytes != 0) {
      return warp_->read(kResult, static_cast<std::size_t>(shape_.result_bytes));
    }
    return lanes_of(warp_->read_mask(kResult));
  }
  // The carry flag or the second result.
  Lanes carries() const { return lanes_of(warp_->read_mask(kCarryResult)); }

  // The value in results() for a lane that was not written.
  std::uint64_t untouched(std::size_t lane) const {
    const int n_bits = 8 * shape_.result_bytes;
    if (n_bits == 0) return kUntouched >> lane & 1;
    return n_bits == 64 ? kUntouched : kUntouched & ((std::uint64_t{1} << n_bits) - 1);
  }

 private:
  static Lanes lanes_of(LaneMask mask) {
    Lanes lanes;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) lanes[lane] = mask >> lane & 1;
    return lanes;
  }

  void write_source(int place, const SourceShape& source, const Lanes& lanes) {
    if (source.type != Type::kPred) {
      return warp_->write(place, static_cast<std::size_t>(source.n_bytes), lanes);
    }
    LaneMask mask = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      mask |= static_cast<LaneMask>(lanes[lane]) << lane;
    }
    warp_->write_mask(place, mask);
  }

  Shape shape_;
  HostIsa isa_;
  std::unique_ptr<TestWarp> warp_ = std::make_unique<TestWarp>();
};

}  // namespace numpy_plugin::sim
