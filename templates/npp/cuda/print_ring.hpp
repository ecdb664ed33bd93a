// Lines of `print` on the device: the loader of the module sets the ring's address.
#pragma once

#include "npp/core/printed_line.hpp"

extern "C" {
__device__ npp::PrintRing* npp_print_ring;
}

namespace npp {

// The place of the next line; null where the ring is full.
NPP_FUNCTION PrintedLine* take_line(PrintRing& ring, uint64& number) {
  using Word = unsigned long long;
  auto* const n_written = reinterpret_cast<Word*>(ring.n_written);
  const volatile uint64& read_by_host = ring.n_read;
  uint64 n_read = read_by_host;
  Word found = atomicAdd(n_written, 0);
  while (true) {
    // The host may have read lines since: reading its memory takes long.
    if (found - n_read >= PrintRing::kLines) n_read = read_by_host;
    if (found - n_read >= PrintRing::kLines) break;
    const Word expected = found;
    found = atomicCAS(n_written, expected, expected + 1);
    if (found != expected) continue;
    number = expected + 1;
    return &ring.lines[expected % PrintRing::kLines];
  }
  atomicAdd(reinterpret_cast<Word*>(&ring.n_lost), 1);
  return nullptr;
}

NPP_FUNCTION void put_line(const char* text, const uint64* bits, int n_bits) {
  uint64 number = 0;
  PrintedLine* const line = take_line(*npp_print_ring, number);
  if (line == nullptr) return;
  for (int i = 0; i < n_bits; ++i) line->bits[i] = bits[i];
  int length = 0;
  do {
    line->text[length] = text[length];
  } while (text[length++] != 0);
  __threadfence_system();
  *const_cast<volatile uint64*>(&line->number) = number;
}

}  // namespace npp
