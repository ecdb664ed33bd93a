// Shared by the fuzzer and the mutation test: parses and decodes a text.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/decode/decode.hpp"

namespace numpy_plugin::sim {

// Every instruction has a handler: only the decoder rejects texts.
inline Handler any_handler(const Instruction&) {
  return [](Warp&, const Instruction&) {};
}

// False where the text is rejected with an error for its author; other exceptions propagate.
inline bool is_accepted(std::string_view text) {
  std::uint64_t end = 4096;
  const auto place = [&end](const GlobalVariable& variable) {
    const std::uint64_t alignment = variable.alignment_bytes;
    const std::uint64_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + variable.n_bytes;
    return begin;
  };
  try {
    decode({parse_ptx(text)}, {any_handler, place});
    return true;
  } catch (const PtxError&) {
    return false;
  }
}

}  // namespace numpy_plugin::sim
