// PTX's types and state spaces, and places in the source that it was compiled from.
#pragma once

#include <cstdint>
#include <string_view>

namespace numpy_plugin::sim {

enum class Type : std::uint8_t {
  kNone,
#define NPP_PTX_TYPE(enumerator, spelling, bytes, kind) enumerator,
#include "simulator/assembly/types.def"
};

enum class TypeKind : std::uint8_t { kNone, kPredicate, kBits, kUnsigned, kSigned, kFloat };

// The type of a spelling without its dot; kNone for others.
Type find_type(std::string_view spelling);

std::string_view spelling(Type type);
std::uint32_t size_bytes(Type type);  // 0: kNone, predicates, elements of matrices
TypeKind kind(Type type);
bool can_be_declared(Type type);  // as a register or variable

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam };

// A place in the source that PTX was compiled from, as given by .loc.

constexpr std::uint32_t kNoLocation = UINT32_MAX;

struct SourceLocation {
  std::uint32_t file = 0;  // in PTX: the number of its .file; in a Program: an index of its files
  std::uint32_t line = 0;  // 1-based
  std::uint32_t column = 0;
  std::uint32_t inlined_at = kNoLocation;  // the location of the call, for inlined functions
};

}  // namespace numpy_plugin::sim
