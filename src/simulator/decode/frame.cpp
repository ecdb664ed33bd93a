// Contiguous registers and variables of a frame.
#include "simulator/decode/frame.hpp"

#include <algorithm>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kMostParameterBytes = 32764;
constexpr std::uint64_t kMostLocalBytes = 512 << 10;
constexpr std::uint32_t kArgumentAlignment = 16;  // of any register

}  // namespace

FrameRegisters::FrameRegisters(const Function& function)
    : function_(function), slots_(function.registers.size(), kNoSlot) {}

Slot FrameRegisters::slot(std::uint32_t index) {
  NPP_ASSERT(index < slots_.size(), function_.name);
  if (slots_[index] == kNoSlot) {
    const std::uint32_t n_bytes = size_bytes(function_.registers[index]);
    slots_[index] = take(n_bytes);
    n_words_ += (n_bytes + 3) / 4;
  }
  return slots_[index];
}

Slot FrameRegisters::carry() {
  if (!carry_) carry_ = take(0);
  return *carry_;
}

Slot FrameRegisters::special(SpecialRegister name, std::uint32_t n_bytes) {
  for (const FilledRegister& filled : filled_) {
    if (filled.name == name) return filled.slot;
  }
  filled_.push_back({name, take(n_bytes)});
  return filled_.back().slot;
}

Slot FrameRegisters::temporary(std::uint32_t n_bytes) {
  for (Temporary& temporary : temporaries_) {
    if (temporary.is_used || temporary.n_bytes != n_bytes) continue;
    temporary.is_used = true;
    return temporary.slot;
  }
  temporaries_.push_back({n_bytes, take(n_bytes), true});
  return temporaries_.back().slot;
}

void FrameRegisters::forget_temporaries() {
  for (Temporary& temporary : temporaries_) temporary.is_used = false;
}

Slot FrameRegisters::take(std::uint32_t n_bytes) {
  if (n_bytes == 0) {
    if (next_predicate_ % kRegisterBoundary == 0) {
      next_predicate_ = n_bytes_;
      n_bytes_ += kRegisterBoundary;
      element_bytes_.push_back(0);
    }
    next_predicate_ += sizeof(LaneMask);
    return static_cast<Slot>(next_predicate_ - sizeof(LaneMask));
  }
  const std::uint32_t slot = n_bytes_;
  n_bytes_ += (n_bytes * kWarpSize + kRegisterBoundary - 1) / kRegisterBoundary * kRegisterBoundary;
  element_bytes_.resize(n_bytes_ / kRegisterBoundary, static_cast<std::uint8_t>(n_bytes));
  return static_cast<Slot>(slot);
}

void FrameRegisters::describe(FunctionCode& code) const {
  code.register_bytes = n_bytes_;
  code.n_registers = n_words_;
  code.filled = filled_;
  code.element_bytes = element_bytes_;
}

std::uint32_t FrameVariables::Area::place(const Variable& variable) {
  const std::uint64_t alignment =
      std::max<std::uint64_t>({1, variable.alignment_bytes, size_bytes(variable.type)});
  const std::uint64_t offset = (end + alignment - 1) / alignment * alignment;
  if (variable.n_bytes > limit || offset > limit - variable.n_bytes)
    throw PtxError(variable.line,
                   format("the {} up to '{}' take more than {} bytes", what, variable.name, limit));
  end = offset + variable.n_bytes;
  return static_cast<std::uint32_t>(offset);
}

FrameVariables::FrameVariables(const Function& function) {
  Area parameters{0, kMostParameterBytes, "parameters of a kernel"};
  Area local{0, kMostLocalBytes, "local variables of a function"};
  const bool is_entry = function.is_entry;
  for (const Variable& variable : function.results)
    results_.push_back(place(variable, Space::kLocal, local));
  for (const Variable& variable : function.parameters) {
    const Space space = is_entry ? Space::kParam : Space::kLocal;
    parameters_.push_back(place(variable, space, is_entry ? parameters : local));
  }
  for (const Space space : {Space::kParam, Space::kLocal}) {
    for (const Variable& variable : function.variables) {
      if (variable.space == space) place(variable, Space::kLocal, local);
    }
  }
  for (const Variable& variable : function.variables) {
    if (variable.space == Space::kShared) places_[variable.name] = {Space::kShared, &variable, 0};
  }
  parameter_bytes_ = static_cast<std::uint32_t>(parameters.end);
  local_bytes_ = static_cast<std::uint32_t>(local.end);
}

ParameterPlace FrameVariables::place(const Variable& variable, Space space, Area& area) {
  const std::uint32_t offset = area.place(variable);
  places_[variable.name] = {space, &variable, offset};
  if (space == Space::kLocal)
    alignment_bytes_ =
        std::max({alignment_bytes_, variable.alignment_bytes, size_bytes(variable.type)});
  return {variable.name, variable.type, variable.is_array, offset,
          static_cast<std::uint32_t>(variable.n_bytes)};
}

const FramePlace* FrameVariables::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &place->second;
}

std::uint32_t FrameVariables::place_argument(const Variable& parameter) {
  const auto n_bytes = static_cast<std::uint32_t>(parameter.n_bytes);
  const std::uint32_t offset = call_begin() + call_bytes_;
  call_bytes_ += (n_bytes + kArgumentAlignment - 1) / kArgumentAlignment * kArgumentAlignment;
  most_call_bytes_ = std::max(most_call_bytes_, call_bytes_);
  alignment_bytes_ = std::max(alignment_bytes_, kArgumentAlignment);
  return offset;
}

std::uint32_t FrameVariables::call_begin() const {
  return (local_bytes_ + kArgumentAlignment - 1) / kArgumentAlignment * kArgumentAlignment;
}

void FrameVariables::describe(FunctionCode& code) const {
  code.parameters = parameters_;
  code.results = results_;
  code.parameter_bytes = parameter_bytes_;
  code.local_bytes = most_call_bytes_ == 0 ? local_bytes_ : call_begin() + most_call_bytes_;
}

}  // namespace numpy_plugin::sim
