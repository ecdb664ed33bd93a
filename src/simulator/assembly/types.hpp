// PTX's types and state spaces.
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

}  // namespace numpy_plugin::sim
