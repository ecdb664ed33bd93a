// Programs from PTX text, for tests of the decoder: dummy handlers, variables contiguous from
// kFirstAddress.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/decode/decode.hpp"

namespace numpy_plugin::sim {

inline constexpr std::uint64_t kFirstAddress = 0x7000'0000'0000;

inline void stand_in(Warp&, const Instruction&) {}

inline std::string module_text(const std::string& body) {
  return ".version 9.0\n.target sm_100a\n.address_size 64\n" + body;
}

// A kernel `k` with the body on one line, the fourth; it declares registers of each width.
inline std::string kernel_text(const std::string& body) {
  return module_text(
      ".visible .entry k(.param .u64 p, .param .u32 n) { .reg .pred %p<4>; .reg .b16 %rs<4>; "
      ".reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<8>; .reg .f64 %fd<4>; .reg .b128 %rq<4>; " +
      body + " }\n");
}

inline DecodedModule decode_texts(const std::vector<std::string>& texts) {
  std::vector<Module> modules;
  for (const std::string& text : texts) modules.push_back(parse_ptx(text));
  std::uint64_t next = kFirstAddress;
  const Decoding decoding{[](const Instruction&) -> Handler { return stand_in; },
                          [&](const GlobalVariable& variable) {
                            const std::uint64_t alignment = variable.alignment_bytes;
                            const std::uint64_t address =
                                (next + alignment - 1) / alignment * alignment;
                            next = address + variable.n_bytes;
                            return address;
                          }};
  return decode(modules, decoding);
}

inline DecodedModule decode_text(const std::string& text) { return decode_texts({text}); }
inline DecodedModule decode_kernel(const std::string& body) {
  return decode_text(kernel_text(body));
}

// Instructions of the only function, without the last ret.
inline std::vector<Instruction> instructions_of(const std::string& body) {
  std::vector<Instruction> code = decode_kernel(body + " ret;").program->code;
  code.pop_back();
  return code;
}

inline Instruction instruction_of(const std::string& body) {
  const std::vector<Instruction> code = instructions_of(body);
  EXPECT_EQ(code.size(), 1u) << body;
  return code.at(0);
}

inline const FunctionCode& function_named(const DecodedModule& module, std::string_view name) {
  for (const FunctionCode& function : module.program->functions) {
    if (function.name == name) return function;
  }
  throw std::runtime_error("no function " + std::string(name));
}

// The decoder's error; empty on success.
inline std::string error_of(const std::vector<std::string>& texts) {
  try {
    decode_texts(texts);
  } catch (const PtxError& error) {
    return error.what();
  }
  return "";
}

inline std::string error_of_kernel(const std::string& body) {
  return error_of({kernel_text(body)});
}

inline const std::byte* constant_at(const Program& program, Slot slot) {
  return program.constants + (slot & kSlotOffset);
}

template <typename T>
T constant(const Program& program, Slot slot, int lane = 0) {
  T value;
  std::memcpy(&value, constant_at(program, slot) + static_cast<std::size_t>(lane) * sizeof(T),
              sizeof(T));
  return value;
}

}  // namespace numpy_plugin::sim
