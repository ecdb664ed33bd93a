// Finds the handler of an instruction in all families.
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {

Handler find_handler(const Instruction& instruction) {
  constexpr Handler (*kFamilies[])(const Instruction&) = {
      find_integer,     find_bits,       find_move,   find_comparison, find_selection,
      find_conversion,  find_float_pair, find_float,  find_half,       find_flushed_half,
      find_approximate, find_memory,     find_atomic, find_matrix,     find_video};
  for (const auto find : kFamilies) {
    if (const Handler handler = find(instruction)) return handler;
  }
  return nullptr;
}

}  // namespace numpy_plugin::sim::NPP_ISA
