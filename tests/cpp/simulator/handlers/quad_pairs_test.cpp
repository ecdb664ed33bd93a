// mma.m8n8k4 of f16: four products of 8 x 4 and 4 x 8 matrices. Those of A are below each other in
// a matrix of 32 rows, as those of D, those of B side by side. Layouts are the PTX ISA's formulas.
#include <cmath>
#include <random>

#include "simulator/handlers/harness.hpp"
#include "simulator/handlers/matrix.hpp"

namespace numpy_plugin::sim {
namespace {

int lane_of(int g, int t) { return 4 * g + t; }
int pair_of(int lane) { return lane % 16 / 4; }

// The formulas of a fragment whose lane has a row (of A), and of the others.
const Layout kRowsOfA = [](int g, int t, int i) {
  const int lane = lane_of(g, t);
  return std::pair(8 * pair_of(lane) + (lane < 16 ? lane % 4 : lane % 4 + 4), i);
};
const Layout kColumnsOfA = [](int g, int t, int i) {
  const int lane = lane_of(g, t);
  return std::pair(8 * pair_of(lane) + (lane < 16 ? i % 4 : i % 4 + 4), lane % 4);
};
const Layout kRowsOfB = [](int g, int t, int i) {
  const int lane = lane_of(g, t);
  return std::pair(lane % 4, 8 * pair_of(lane) + (lane < 16 ? i : i + 4));
};
const Layout kColumnsOfB = [](int g, int t, int i) {
  const int lane = lane_of(g, t);
  return std::pair(i, 8 * pair_of(lane) + (lane < 16 ? lane % 4 : lane % 4 + 4));
};
const Layout kHalfSums = [](int g, int t, int i) {
  const int lane = lane_of(g, t);
  return std::pair(8 * pair_of(lane) + (lane < 16 ? lane % 4 : lane % 4 + 4), i);
};
const Layout kFloatSums = [](int g, int t, int i) {
  const int lane = lane_of(g, t);
  const int row = (lane & 1) + (i & 2);
  return std::pair(8 * pair_of(lane) + (lane < 16 ? row : row + 4), (i & 4) + (lane & 2) + (i & 1));
};

const Layout& sums_of(const std::string& type) { return type == "f16" ? kHalfSums : kFloatSums; }

struct QuadForm {
  std::string a_layout, b_layout, d_type, c_type;

  std::string mnemonic() const {
    return "mma.sync.aligned.m8n8k4." + a_layout + "." + b_layout + "." + d_type + ".f16.f16." +
           c_type;
  }
};

std::vector<QuadForm> quad_forms() {
  std::vector<QuadForm> forms;
  for (const char* a_layout : {"row", "col"}) {
    for (const char* b_layout : {"row", "col"}) {
      forms.push_back({a_layout, b_layout, "f16", "f16"});
      forms.push_back({a_layout, b_layout, "f32", "f16"});
      forms.push_back({a_layout, b_layout, "f32", "f32"});
    }
  }
  return forms;
}

class QuadPairsTest : public MatrixTest {
 protected:
  Matrix multiply_quads(const QuadForm& form, const Matrix& a, const Matrix& b, const Matrix& c) {
    Registers sources = registers_of(a, "f16", 4, form.a_layout == "row" ? kRowsOfA : kColumnsOfA);
    const Registers of_b =
        registers_of(b, "f16", 4, form.b_layout == "row" ? kRowsOfB : kColumnsOfB);
    const Registers of_c = registers_of(c, form.c_type, 8, sums_of(form.c_type));
    const std::array<std::size_t, 4> counts = {
        static_cast<std::size_t>(n_registers(form.d_type, 8)), sources.size(), of_b.size(),
        of_c.size()};
    sources.insert(sources.end(), of_b.begin(), of_b.end());
    sources.insert(sources.end(), of_c.begin(), of_c.end());
    const Registers results = run_instruction(form.mnemonic(), counts, sources, 4);
    return matrix_of_registers(results, 32, 8, form.d_type, 8, sums_of(form.d_type));
  }

  // The first element of the third product; A has the row `a`, B the column `b`.
  std::uint64_t sum_of(const QuadForm& form, const std::vector<double>& a,
                       const std::vector<double>& b, std::uint64_t c) {
    Matrix left(32, 4), right(4, 32), sum(32, 8);
    for (int i = 0; i < 4; ++i) {
      left.at({16, i}) = bits_of_number("f16", a.at(static_cast<std::size_t>(i)));
      right.at({i, 16}) = bits_of_number("f16", b.at(static_cast<std::size_t>(i)));
    }
    sum.at({16, 0}) = c;
    return multiply_quads(form, left, right, sum).at(16, 0);
  }
};

TEST_F(QuadPairsTest, EachQuadPairMultipliesItsOwnMatrices) {
  std::mt19937_64 generator(7);
  std::uniform_int_distribution<int> numbers(-9, 9);
  const auto filled = [&](Matrix matrix, const std::string& type) {
    for (std::uint64_t& bits : matrix.bits) bits = bits_of_number(type, numbers(generator));
    return matrix;
  };
  for (const HostIsa each : usable_isas()) {
    isa = each;
    loaded_.clear();
    for (const QuadForm& form : quad_forms()) {
      const Matrix a = filled(Matrix(32, 4), "f16");
      const Matrix b = filled(Matrix(4, 32), "f16");
      const Matrix c = filled(Matrix(32, 8), form.c_type);
      const Matrix d = multiply_quads(form, a, b, c);
      for (int row = 0; row < 32; ++row) {
        for (int column = 0; column < 8; ++column) {
          double sum = number_of_bits(form.c_type, c.at(row, column));
          for (int i = 0; i < 4; ++i) {
            sum += number_of_bits("f16", a.at(row, i)) *
                   number_of_bits("f16", b.at(i, row / 8 * 8 + column));
          }
          ASSERT_EQ(number_of_bits(form.d_type, d.at(row, column)), sum)
              << form.mnemonic() << " " << row << " " << column;
        }
      }
    }
  }
}

// Of 24 bits: 1 + 2^-24 is a tie, which is rounded to 1.
TEST_F(QuadPairsTest, SumsOfFloatsAreInTheOrderOfKThenC) {
  const QuadForm form = {"row", "col", "f32", "f32"};
  const auto sum = [&](const std::vector<double>& a, const std::vector<double>& b, float c) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(sum_of(form, a, b, std::bit_cast<std::uint32_t>(c))));
  };
  const std::vector<double> tiny = {1, 0x1p-12, 0x1p-12, 0};
  EXPECT_EQ(sum({1, 0x1p-12, 0x1p-12, 0}, tiny, 0), 1.0f);
  EXPECT_EQ(sum({0x1p-12, 0x1p-12, 1, 0}, {0x1p-12, 0x1p-12, 1, 0}, 0), 1 + 0x1p-23f);
  EXPECT_EQ(sum({0x1p-12, 0x1p-12, 0, 0}, {0x1p-12, 0x1p-12, 0, 0}, 1), 1 + 0x1p-23f);
  EXPECT_EQ(sum({1, -1, 0, 0}, {1, 1, 0, 0}, 0x1p-30f), 0x1p-30f);
}

// C and the first two products, then the others; f16 keeps 11 bits.
TEST_F(QuadPairsTest, SumsOfHalvesAreOfTwoPairs) {
  const QuadForm form = {"col", "row", "f16", "f16"};
  const auto sum = [&](const std::vector<double>& a, const std::vector<double>& b, double c) {
    return number_of_bits("f16", sum_of(form, a, b, bits_of_number("f16", c)));
  };
  EXPECT_EQ(sum({0x1p12, 0, -0x1p12, 0}, {0x1p12, 0, 0x1p12, 0}, 0.5), 0);
  EXPECT_EQ(sum({0x1p12, -0x1p12, 0, 0}, {0x1p12, 0x1p12, 0, 0}, 0.5), 0.5);
  EXPECT_EQ(sum({0x1p-12, 0, 0x1p-12, 0}, {0x1p1, 0, 0x1p-11, 0}, 1), 1 + 0x1p-10);
  EXPECT_EQ(sum({0x1p-12, 0, 0, 0}, {0x1p1, 0, 0, 0}, 1), 1);
  EXPECT_EQ(sum({256, 0, 0, 0}, {256, 0, 0, 0}, 1), std::numeric_limits<double>::infinity());
}

// |d - exact| <= 5 * 2^-24 * the sum of magnitudes (f16: and 2^-11 of d), see guide/simulator.md.
TEST_F(QuadPairsTest, SumsKeepTheirBound) {
  std::mt19937_64 generator(8);
  std::uniform_int_distribution<int> numbers(-2047, 2047);
  const auto filled = [&](Matrix matrix, const std::string& type) {
    for (std::uint64_t& bits : matrix.bits) {
      bits = bits_of_number(type, std::ldexp(numbers(generator), -10));
    }
    return matrix;
  };
  int n_inexact = 0;
  for (const QuadForm& form : quad_forms()) {
    const Matrix a = filled(Matrix(32, 4), "f16");
    const Matrix b = filled(Matrix(4, 32), "f16");
    const Matrix c = filled(Matrix(32, 8), form.c_type);
    const Matrix d = multiply_quads(form, a, b, c);
    for (int row = 0; row < 32; ++row) {
      for (int column = 0; column < 8; ++column) {
        double exact = number_of_bits(form.c_type, c.at(row, column));
        double magnitudes = std::abs(exact);
        for (int i = 0; i < 4; ++i) {
          const double product = number_of_bits("f16", a.at(row, i)) *
                                 number_of_bits("f16", b.at(i, row / 8 * 8 + column));
          exact += product;
          magnitudes += std::abs(product);
        }
        const double found = number_of_bits(form.d_type, d.at(row, column));
        const double last = form.d_type == "f16" ? 0x1p-11 * std::abs(found) : 0;
        ASSERT_LE(std::abs(found - exact), 5 * 0x1p-24 * magnitudes + last) << form.mnemonic();
        n_inexact += found != exact;
      }
    }
  }
  EXPECT_GT(n_inexact, 200);
}

TEST_F(QuadPairsTest, NansAreCanonical) {
  EXPECT_EQ(sum_of({"row", "col", "f32", "f32"}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0xffc0'1234),
            0x7fff'ffffu);
  EXPECT_EQ(sum_of({"row", "col", "f32", "f16"}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0xfe01), 0x7fff'ffffu);
  EXPECT_EQ(sum_of({"row", "col", "f16", "f16"}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0xfe01), 0x7fffu);
}

}  // namespace
}  // namespace numpy_plugin::sim
