// The model of floating-point sums, bit by bit: the first row of A, the first column of B and the
// first element of C are given, everything else is zero.
#include "simulator/handlers/matrix.hpp"

namespace numpy_plugin::sim {
namespace {

using Words = std::vector<std::uint64_t>;

class MatrixSumsTest : public MatrixTest {
 protected:
  // The first element of D, as bits.
  std::uint64_t sum_of(const std::string& d_type, const std::string& a_type, const Words& a,
                       const Words& b, std::uint64_t c, const std::string& c_type = "") {
    for (MatrixForm form : matrix_forms()) {
      const std::string kind = a_type == "e5m2" ? "e4m3" : a_type;
      if (form.a_type != kind || form.k != (kind == "tf32" ? 8 : kind == "e4m3" ? 32 : 16)) {
        continue;
      }
      form.a_type = form.b_type = a_type;
      form.d_type = d_type;
      form.c_type = c_type.empty() ? d_type : c_type;
      Matrix left(form.m, form.k), right(form.k, form.n), sum(form.m, form.n);
      for (std::size_t i = 0; i < a.size(); ++i) {
        left.at({0, static_cast<int>(i)}) = a[i];
        right.at({static_cast<int>(i), 0}) = b[i];
      }
      sum.at({0, 0}) = c;
      const Matrix result = multiply(
          form, "mma.sync.aligned." + form.modifiers + "." + form.types(), left, right, sum);
      for (std::size_t i = 1; i < result.bits.size(); ++i) EXPECT_EQ(result.bits[i], 0u) << i;
      return result.bits[0];
    }
    ADD_FAILURE() << a_type;
    return 0;
  }
};

std::uint64_t f32(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t f16(double value) { return bits_of_number("f16", value); }
std::uint64_t bf16(double value) { return bits_of_number("bf16", value); }

Words repeated(std::size_t count, std::uint64_t bits) { return Words(count, bits); }

TEST_F(MatrixSumsTest, SumsAreRoundedTowardsZero) {
  const Words tiny = {f16(0x1p-12)};
  EXPECT_EQ(sum_of("f32", "f16", tiny, tiny, f32(1)), f32(1));
  EXPECT_EQ(sum_of("f32", "f16", tiny, tiny, f32(1 + 0x1p-23f)), f32(1 + 0x1p-23f));
  EXPECT_EQ(sum_of("f32", "f16", {f16(-0x1p-12)}, tiny, f32(-1)), f32(-1));
  EXPECT_EQ(sum_of("f32", "f16", {f16(-0x1p-12)}, {f16(0x1p-13)}, f32(1)), f32(1 - 0x1p-24f));
}

TEST_F(MatrixSumsTest, ProductsKeepTwentyFiveBitsBelowTheLargest) {
  EXPECT_EQ(sum_of("f32", "f16", repeated(2, f16(0x1p-12)), repeated(2, f16(0x1p-12)), f32(1)),
            f32(1 + 0x1p-23f));
  EXPECT_EQ(sum_of("f32", "f16", repeated(4, f16(0x1p-12)), repeated(4, f16(0x1p-13)), f32(1)),
            f32(1 + 0x1p-23f));
  EXPECT_EQ(sum_of("f32", "f16", repeated(16, f16(0x1p-13)), repeated(16, f16(0x1p-13)), f32(1)),
            f32(1));
  // The exponent of a product is the sum of its factors', though 1.5 * 1.5 is more than 2.
  EXPECT_EQ(sum_of("f32", "f16", {f16(1.5), f16(0x1p-12), f16(-1)},
                   {f16(1.5), f16(0x1p-13), f16(2.25)}, f32(0)),
            0u);
}

TEST_F(MatrixSumsTest, CancellationLosesWhatWasCut) {
  const Words a = {f16(0x1p15), f16(-0x1p15), f16(1)};
  EXPECT_EQ(sum_of("f32", "f16", a, {f16(0x1p15), f16(0x1p15), f16(1)}, f32(0)), 0u);
  EXPECT_EQ(sum_of("f32", "f16", a, {f16(0x1p15), f16(0x1p15), f16(32)}, f32(0)), f32(32));
  EXPECT_EQ(sum_of("f32", "f16", a, {f16(0x1p15), f16(0x1p15), f16(63)}, f32(0)), f32(32));
  EXPECT_EQ(sum_of("f32", "f16", a, {f16(0x1p15), f16(0x1p15), f16(-63)}, f32(0)), f32(-32));
  EXPECT_EQ(sum_of("f32", "f16", {f16(-0x1p12)}, {f16(0x1p12)}, f32(0x1p24f + 2)), f32(2));
}

TEST_F(MatrixSumsTest, ProductsOfOneInstructionAreOneSum) {
  // 32 products of e4m3, 16 of f16, 8 of tf32: each 2^-24, the sum 2^-24 * their number.
  EXPECT_EQ(sum_of("f32", "e4m3", repeated(32, 0x01), repeated(32, 0x01), f32(0x1p6f)),
            f32(0x1p6f + 32 * 0x1p-18f));
  EXPECT_EQ(sum_of("f32", "f16", repeated(16, f16(0x1p-12)), repeated(16, f16(0x1p-12)), f32(1)),
            f32(1 + 0x1p-20f));
  EXPECT_EQ(sum_of("f32", "tf32", repeated(8, f32(0x1p-12f)), repeated(8, f32(0x1p-12f)), f32(1)),
            f32(1 + 0x1p-21f));
}

// Those of 8 bits are two sums, the first of the products at k % 4 < 2; then C is added to nearest.
TEST_F(MatrixSumsTest, ProductsOfEightBitsAreTwoSums) {
  const std::uint64_t one = 0x38, large = 0x78, minus = 0xf8, tiny = 0x01;  // 1, 2^8, -2^8, 2^-9
  const Words apart = {large, minus, tiny}, together = {large, 0, minus, tiny};
  EXPECT_EQ(sum_of("f32", "e4m3", apart, {large, large, 0x30}, 0), f32(0x1p-10f));
  EXPECT_EQ(sum_of("f32", "e4m3", together, {large, 0, large, 0x30}, 0), 0u);
  EXPECT_EQ(sum_of("f32", "e4m3", {0x03}, {tiny}, f32(0x1p6f)), f32(0x1p6f + 0x1p-16f));
  EXPECT_EQ(sum_of("f32", "e4m3", {tiny}, {tiny}, f32(0x1p6f)), f32(0x1p6f));
  EXPECT_EQ(sum_of("f32", "e4m3", {large, minus}, {large, one}, f32(-0x1p16f)), f32(-0x1p8f));
  EXPECT_EQ(sum_of("f16", "e4m3", {large, 0, minus}, {large, 0, large}, f16(1)), 0x7c00u);
  EXPECT_EQ(sum_of("f16", "e4m3", {tiny}, {0x1c}, f16(1)), f16(1));
  EXPECT_EQ(sum_of("f16", "e4m3", {0x03}, {0x28}, f16(1)), f16(1 + 0x1p-9));
}

TEST_F(MatrixSumsTest, SubnormalsCount) {
  EXPECT_EQ(sum_of("f32", "f16", {1}, {f16(1)}, 0), f32(0x1p-24f));
  EXPECT_EQ(sum_of("f32", "f16", {1}, {1}, 0), f32(0x1p-48f));
  EXPECT_EQ(sum_of("f32", "f16", {0}, {0}, 1), 1u);
  EXPECT_EQ(sum_of("f32", "bf16", {bf16(0x1p-100)}, {bf16(0x1p-49)}, 0), 1u);
  EXPECT_EQ(sum_of("f32", "bf16", {bf16(0x1p-100)}, {bf16(0x1p-50)}, 0), 0u);
  EXPECT_EQ(sum_of("f32", "bf16", {bf16(-0x1p-100)}, {bf16(0x1.8p-48)}, 0), 0x8000'0003u);
  EXPECT_EQ(sum_of("f16", "f16", {1}, {f16(0.75)}, 0), 1u);
  EXPECT_EQ(sum_of("f16", "f16", {1}, {f16(0.5)}, 0), 0u);
  EXPECT_EQ(sum_of("f16", "f16", {3}, {f16(0.5)}, 0), 2u);
  EXPECT_EQ(sum_of("f32", "e5m2", {1}, {0x3c}, 0), f32(0x1p-16f));
  EXPECT_EQ(sum_of("f32", "e4m3", {7}, {0x38}, 0), f32(7 * 0x1p-9f));
}

TEST_F(MatrixSumsTest, HalfSumsAreRoundedToNearest) {
  const auto add = [&](double a, double b) {
    return sum_of("f16", "f16", {f16(a), f16(b)}, {f16(1), f16(1)}, f16(1));
  };
  EXPECT_EQ(add(0x1p-11, 0), f16(1));
  EXPECT_EQ(add(0x1p-11, 0x1p-20), f16(1 + 0x1p-10));
  EXPECT_EQ(add(0x1.8p-10, 0), f16(1 + 0x1p-9));
  EXPECT_EQ(add(-0x1p-12, 0), f16(1));
  EXPECT_EQ(add(-0x1p-12, -0x1p-20), f16(1 - 0x1p-11));
}

TEST_F(MatrixSumsTest, SumsBeyondTheLargestAreInfinite) {
  const std::uint64_t largest = 0x7f7f'ffff;
  EXPECT_EQ(sum_of("f32", "bf16", {bf16(0x1p100)}, {bf16(1)}, largest), largest);
  EXPECT_EQ(sum_of("f32", "bf16", {bf16(0x1p104)}, {bf16(1)}, largest), 0x7f80'0000u);
  EXPECT_EQ(sum_of("f32", "bf16", {bf16(-0x1p127)}, {bf16(0x1p127)}, 0), 0xff80'0000u);
  EXPECT_EQ(sum_of("f16", "f16", {f16(8)}, {f16(1)}, f16(65504)), 0x7bffu);
  EXPECT_EQ(sum_of("f16", "f16", {f16(16)}, {f16(1)}, f16(65504)), 0x7c00u);
}

TEST_F(MatrixSumsTest, InfinitiesAndNansPropagate) {
  const std::uint64_t infinity = 0x7c00, nan = 0x7e01;
  // Only the first row and column have them: sum_of() expects zeros elsewhere, so C has them here.
  EXPECT_EQ(sum_of("f32", "f16", {f16(1)}, {f16(1)}, 0x7f80'0000), 0x7f80'0000u);
  EXPECT_EQ(sum_of("f32", "f16", {f16(1)}, {f16(1)}, 0xff80'0000), 0xff80'0000u);
  EXPECT_EQ(sum_of("f32", "f16", {f16(1)}, {f16(1)}, 0xffc0'1234), 0x7fff'ffffu);
  EXPECT_EQ(sum_of("f16", "f16", {f16(1)}, {f16(1)}, nan), 0x7fffu);
  EXPECT_EQ(sum_of("f16", "f16", {f16(1)}, {f16(1)}, infinity | 0x8000), 0xfc00u);
}

struct Special {
  std::uint64_t a, b, c;
  std::uint32_t expected;
};

// An infinity in A makes NaNs of the products with the zeros of B's other columns.
TEST_F(MatrixSumsTest, ProductsOfInfinities) {
  MatrixForm form;
  for (const MatrixForm& each : matrix_forms()) {
    if (each.a_type == "f16" && each.k == 16) form = each;
  }
  const std::uint64_t infinity = 0x7c00;
  for (const Special& special : std::initializer_list<Special>{
           {infinity, f16(2), 0, 0x7f80'0000},
           {infinity, f16(-2), 0, 0xff80'0000},
           {infinity | 0x8000, infinity, 0, 0xff80'0000},
           {infinity, 1, 0, 0x7f80'0000},
           {infinity, 0x8000, 0, 0x7fff'ffff},
           {infinity, f16(1), 0xff80'0000, 0x7fff'ffff},
           {infinity, f16(1), 0x7f80'0000, 0x7f80'0000},
           {f16(1), infinity, f32(3), 0x7f80'0000},
           {f16(1), 0xfe00, f32(3), 0x7fff'ffff},
       }) {
    Matrix a(16, 16), b(16, 8), c(16, 8);
    a.at({0, 3}) = special.a;
    b.at({3, 0}) = special.b;
    c.at({0, 0}) = special.c;
    const Matrix result =
        multiply(form, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", a, b, c);
    EXPECT_EQ(result.at(0, 0), special.expected) << std::hex << special.a << " " << special.b;
    EXPECT_EQ(result.at(5, 5), 0u);
    if ((special.a & 0x7fff) == infinity) {
      EXPECT_EQ(result.at(0, 1), 0x7fff'ffffu);
    }
  }
}

// e4m3 has no infinities, and one NaN of each sign.
TEST_F(MatrixSumsTest, EightBitsHaveTheirOwnSpecialNumbers) {
  const auto product = [&](const std::string& type, std::uint64_t a) {
    MatrixForm form;
    for (const MatrixForm& each : matrix_forms()) {
      if (each.a_type == "e4m3" && each.k == 32) form = each;
    }
    form.a_type = form.b_type = type;
    Matrix left(16, 32), right(32, 8);
    left.at({0, 0}) = a;
    right.at({0, 0}) = type == "e4m3" ? 0x38 : 0x3c;
    return multiply(form, "mma.sync.aligned.m16n8k32.row.col." + form.types(), left, right,
                    Matrix(16, 8))
        .at(0, 0);
  };
  EXPECT_EQ(product("e4m3", 0x7e), f32(448));
  EXPECT_EQ(product("e4m3", 0x7f), 0x7fff'ffffu);
  EXPECT_EQ(product("e4m3", 0xff), 0x7fff'ffffu);
  EXPECT_EQ(product("e5m2", 0x7b), f32(57344));
  EXPECT_EQ(product("e5m2", 0x7c), 0x7f80'0000u);
  EXPECT_EQ(product("e5m2", 0xfc), 0xff80'0000u);
  EXPECT_EQ(product("e5m2", 0x7d), 0x7fff'ffffu);
}

TEST_F(MatrixSumsTest, LowBitsOfTf32AreUnused) {
  EXPECT_EQ(sum_of("f32", "tf32", {f32(1) | 0x1fff}, {f32(3) | 0x1000}, 0), f32(3));
  EXPECT_EQ(sum_of("f32", "tf32", {f32(1) | 0x2000}, {f32(1)}, 0), f32(1 + 0x1p-10f));
}

}  // namespace
}  // namespace numpy_plugin::sim
