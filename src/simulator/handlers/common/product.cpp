// mul and mad of integers.
#include "simulator/handlers/common/product.hpp"

#include "simulator/handlers/common/elements.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class Product>
struct ProductSum {
  template <class T, class Sum>
  static Sum apply(T a, T b, Sum c) {
    return static_cast<Sum>(Product::apply(a, b) + c);
  }
};

// mul24: the lower 24 bits, of which the last is the sign of s32; .hi are bits 16 to 47.
template <int kShift>
struct ProductOf24 {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t product = static_cast<std::uint64_t>(a << 8 >> 8) * (b << 8 >> 8);
    return static_cast<std::uint32_t>(product >> kShift);
  }
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    const auto cut = [](std::int32_t value) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8) >> 8;
    };
    return static_cast<std::int32_t>(static_cast<std::int64_t>(cut(a)) * cut(b) >> kShift);
  }
};

// .hi.sat: the sum is bounded.
template <class Product>
struct BoundedProductSum {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
    const std::int64_t sum = std::int64_t{Product::apply(a, b)} + c;
    const std::int64_t above = sum > kLowest ? sum : kLowest;
    return static_cast<std::int32_t>(above < kHighest ? above : kHighest);
  }
};

template <class T>
Handler find_wide(bool has_sum) {
  if (has_sum) return apply<ProductSum<WideProduct>, Wider<T>, T, T, Wider<T>>;
  return apply<WideProduct, Wider<T>, T, T>;
}

Handler find_wide(Type type, bool has_sum) {
  switch (type) {
    case Type::kU16:
      return find_wide<std::uint16_t>(has_sum);
    case Type::kS16:
      return find_wide<std::int16_t>(has_sum);
    case Type::kU32:
      return find_wide<std::uint32_t>(has_sum);
    case Type::kS32:
      return find_wide<std::int32_t>(has_sum);
    default:
      return nullptr;
  }
}

template <class Function, int kSources>
Handler find_high(Type type) {
  return choose<Function, kSources, Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                Type::kS64>(type);
}

template <int kShift>
Handler find_24(const Operation& operation) {
  using Product = ProductOf24<kShift>;
  if (operation.saturate) return choose<BoundedProductSum<Product>, 3, Type::kS32>(operation.type);
  if (operation.opcode == Opcode::kMad24) {
    return choose<ProductSum<Product>, 3, Type::kU32, Type::kS32>(operation.type);
  }
  return choose<Product, 2, Type::kU32, Type::kS32>(operation.type);
}

}  // namespace

Handler find_product_of_24(const Operation& operation) {
  return operation.part == Part::kHigh ? find_24<16>(operation) : find_24<0>(operation);
}

Handler find_product(const Operation& operation) {
  const bool has_sum = operation.opcode == Opcode::kMad;
  switch (operation.part) {
    case Part::kWide:
      return find_wide(operation.type, has_sum);
    case Part::kLow:
      return has_sum ? choose_by_size<ProductSum<LowProduct>, 3>(operation.type)
                     : choose_by_size<LowProduct, 2>(operation.type);
    case Part::kHigh:
      if (operation.saturate) {
        return choose<BoundedProductSum<HighProduct>, 3, Type::kS32>(operation.type);
      }
      return has_sum ? find_high<ProductSum<HighProduct>, 3>(operation.type)
                     : find_high<HighProduct, 2>(operation.type);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
