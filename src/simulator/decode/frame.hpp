// Layout of a function's frame: slots of its registers, offsets of its local variables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/assembly/syntax.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// Registers get their slots at first use, predicates 16 per boundary.
class FrameRegisters {
 public:
  explicit FrameRegisters(const Function& function);

  Type type(std::uint32_t index) const { return function_.registers[index]; }
  Slot slot(std::uint32_t index);
  Slot carry();  // the carry flag of add.cc and addc
  // A register filled at function entry.
  Slot special(SpecialRegister name, std::uint32_t n_bytes);
  Slot temporary(std::uint32_t n_bytes);  // until the next forget_temporaries(); 0: a predicate
  void forget_temporaries();

  // Complete after all of the function's code is decoded.
  void describe(FunctionCode& code) const;

 private:
  struct Temporary {
    std::uint32_t n_bytes = 0;
    Slot slot = kNoSlot;
    bool is_used = false;
  };

  Slot take(std::uint32_t n_bytes);

  const Function& function_;
  std::vector<Slot> slots_;
  std::optional<Slot> carry_;
  std::vector<FilledRegister> filled_;
  std::vector<Temporary> temporaries_;
  std::vector<std::uint8_t> element_bytes_;  // by boundary
  std::uint32_t n_bytes_ = 0;
  std::uint32_t next_predicate_ = 0;
  std::uint32_t n_words_ = 0;
};

// A variable visible only in a function.
struct FramePlace {
  Space space = Space::kLocal;  // kLocal: in the frame; kParam: in a kernel's parameters
  const Variable* variable = nullptr;
  std::uint32_t offset = 0;
};

// Parameters, results, .param and .local variables of a function.
class FrameVariables {
 public:
  // Throws PtxError where they exceed the maximum size.
  explicit FrameVariables(const Function& function);

  // nullptr: not a variable of the function.
  const FramePlace* find(std::string_view name) const;
  std::uint32_t alignment_bytes() const { return alignment_bytes_; }

  // Space of a call's arguments that are no variables, beyond all variables: one call's at a time.
  void begin_call() { call_bytes_ = 0; }
  std::uint32_t place_argument(const Variable& parameter);
  void describe(FunctionCode& code) const;

 private:
  struct Area {
    std::uint64_t end = 0;
    std::uint64_t limit = 0;
    const char* what = "";
    std::uint32_t place(const Variable& variable);
  };

  ParameterPlace place(const Variable& variable, Space space, Area& area);
  std::uint32_t call_begin() const;

  std::unordered_map<std::string_view, FramePlace> places_;
  std::vector<ParameterPlace> results_;
  std::vector<ParameterPlace> parameters_;
  std::uint32_t parameter_bytes_ = 0;
  std::uint32_t local_bytes_ = 0;
  std::uint32_t call_bytes_ = 0;       // of the current call
  std::uint32_t most_call_bytes_ = 0;  // of any call
  std::uint32_t alignment_bytes_ = 1;
};

}  // namespace numpy_plugin::sim
