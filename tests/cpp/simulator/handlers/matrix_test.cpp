// mma by the documented layouts: small integers in every type, integers of the whole range, doubles
// in the order of k, and floats against exact sums.
#include <cmath>

#include "simulator/handlers/harness.hpp"
#include "simulator/handlers/matrix.hpp"

namespace numpy_plugin::sim {
namespace {

using Generator = std::mt19937_64;

Matrix random_matrix(Generator& generator, int rows, int columns, const std::string& type,
                     int least, int most) {
  Matrix matrix(rows, columns);
  std::uniform_int_distribution<int> distribution(least, most);
  for (std::uint64_t& bits : matrix.bits) bits = bits_of_number(type, distribution(generator));
  return matrix;
}

std::string name_of(const MatrixForm& form) {
  return "mma.sync.aligned." + form.modifiers + "." + form.types();
}

// The sum of exact products, on numbers small enough for that.
template <class Number, class Value>
Number exact_sum(const Matrix& a, const Matrix& b, const Matrix& c, int row, int column,
                 const Value& value) {
  Number sum = value(c.at(row, column), 'c');
  for (int i = 0; i < a.n_columns; ++i) {
    sum += value(a.at(row, i), 'a') * value(b.at(i, column), 'b');
  }
  return sum;
}

TEST_F(MatrixTest, EveryFormMultipliesSmallIntegers) {
  Generator generator(1);
  int n_forms = 0;
  for (const HostIsa each : usable_isas()) {
    isa = each;
    for (const MatrixForm& form : matrix_forms()) {
      if (form.a_type == "b1") continue;
      Matrix a = random_matrix(generator, form.m, form.k, "s32", -3, 3);
      Matrix b = random_matrix(generator, form.k, form.n, "s32", -4, 4);
      Matrix c = random_matrix(generator, form.m, form.n, "s32", -90, 90);
      Matrix expected(form.m, form.n);
      for (int row = 0; row < form.m; ++row) {
        for (int column = 0; column < form.n; ++column) {
          const auto sum = exact_sum<int>(a, b, c, row, column, [](std::uint64_t bits, char) {
            return static_cast<std::int32_t>(bits);
          });
          expected.at({row, column}) = bits_of_number(form.d_type, sum);
        }
      }
      const auto encode = [](Matrix& matrix, const std::string& type) {
        for (std::uint64_t& bits : matrix.bits) {
          bits = bits_of_number(type, static_cast<std::int32_t>(bits));
        }
      };
      encode(a, form.a_type);
      encode(b, form.b_type);
      encode(c, form.c_type);
      EXPECT_EQ(multiply(form, name_of(form), a, b, c).bits, expected.bits)
          << name_of(form) << " on " << sim::name_of(each);
      ++n_forms;
    }
    loaded_.clear();
  }
  EXPECT_GE(n_forms, 16);
}

// Integers of each signedness, from their whole range.
TEST_F(MatrixTest, IntegersWrapOrSaturate) {
  Generator generator(2);
  for (MatrixForm form : matrix_forms()) {
    if (form.a_type != "s8" && form.a_type != "s4") continue;
    const int n_bits = bits_of_type(form.a_type);
    for (const char* signs : {"ss", "su", "us", "uu"}) {
      form.a_type[0] = signs[0];
      form.b_type[0] = signs[1];
      for (const bool saturates : {false, true}) {
        const auto whole = [&](const std::string& type, int rows, int columns) {
          const int least = type[0] == 's' ? -(1 << (n_bits - 1)) : 0;
          return random_matrix(generator, rows, columns, type, least, least + (1 << n_bits) - 1);
        };
        const Matrix a = whole(form.a_type, form.m, form.k);
        const Matrix b = whole(form.b_type, form.k, form.n);
        Matrix c = random_matrix(generator, form.m, form.n, "s32", 0, 2000);
        for (std::uint64_t& bits : c.bits) {
          bits = bits % 2 == 0 ? 0x7fff'ffff - bits : 0x8000'0000 + bits;
        }
        const auto value = [&](std::uint64_t bits, char role) -> std::int64_t {
          if (role == 'c') return static_cast<std::int32_t>(bits);
          const bool is_signed = (role == 'a' ? form.a_type : form.b_type)[0] == 's';
          const bool is_negative = is_signed && bits >> (n_bits - 1) != 0;
          return static_cast<std::int64_t>(bits) - (is_negative ? 1 << n_bits : 0);
        };
        const std::string mnemonic =
            "mma.sync.aligned." + form.modifiers + (saturates ? ".satfinite." : ".") + form.types();
        const Matrix result = multiply(form, mnemonic, a, b, c);
        for (int row = 0; row < form.m; ++row) {
          for (int column = 0; column < form.n; ++column) {
            auto sum = exact_sum<std::int64_t>(a, b, c, row, column, value);
            if (saturates) {
              sum = std::clamp<std::int64_t>(sum, -0x8000'0000LL, 0x7fff'ffffLL);
            }
            ASSERT_EQ(static_cast<std::uint32_t>(result.at(row, column)),
                      static_cast<std::uint32_t>(sum))
                << mnemonic << " " << row << " " << column;
          }
        }
      }
    }
  }
}

TEST_F(MatrixTest, BitsAreCounted) {
  Generator generator(3);
  int n_forms = 0;
  for (const MatrixForm& form : matrix_forms()) {
    if (form.a_type != "b1") continue;
    const Matrix a = random_matrix(generator, form.m, form.k, "b1", 0, 1);
    const Matrix b = random_matrix(generator, form.k, form.n, "b1", 0, 1);
    const Matrix c = random_matrix(generator, form.m, form.n, "s32", -500, 500);
    for (const char* operation : {"and", "xor"}) {
      const Matrix result = multiply(form, name_of(form) + "." + operation + ".popc", a, b, c);
      for (int row = 0; row < form.m; ++row) {
        for (int column = 0; column < form.n; ++column) {
          auto sum = static_cast<std::uint32_t>(c.at(row, column));
          for (int i = 0; i < form.k; ++i) {
            const std::uint64_t x = a.at(row, i), y = b.at(i, column);
            sum += static_cast<std::uint32_t>(operation[0] == 'a' ? x & y : x ^ y);
          }
          ASSERT_EQ(result.at(row, column), sum) << form.modifiers << " " << operation;
        }
      }
    }
    ++n_forms;
  }
  EXPECT_EQ(n_forms, 3);
}

TEST_F(MatrixTest, DoublesAreFusedInTheOrderOfK) {
  Generator generator(4);
  std::normal_distribution<double> normal;
  for (const MatrixForm& form : matrix_forms()) {
    if (form.a_type != "f64") continue;
    Matrix a(form.m, form.k), b(form.k, form.n), c(form.m, form.n);
    for (Matrix* matrix : {&a, &b, &c}) {
      for (std::uint64_t& bits : matrix->bits) bits = bits_of_number("f64", normal(generator));
    }
    const Matrix result = multiply(form, name_of(form), a, b, c);
    for (int row = 0; row < form.m; ++row) {
      for (int column = 0; column < form.n; ++column) {
        double sum = std::bit_cast<double>(c.at(row, column));
        for (int i = 0; i < form.k; ++i) {
          sum = std::fma(std::bit_cast<double>(a.at(row, i)),
                         std::bit_cast<double>(b.at(i, column)), sum);
        }
        ASSERT_EQ(result.at(row, column), std::bit_cast<std::uint64_t>(sum)) << form.modifiers;
      }
    }
  }
}

TEST_F(MatrixTest, DoublesRoundInTheDirectionWritten) {
  const MatrixForm form = matrix_forms().front();
  Matrix a(8, 4), b(4, 8), c(8, 8);
  a.at({0, 0}) = bits_of_number("f64", 0x1p-60);
  b.at({0, 0}) = c.at({0, 0}) = bits_of_number("f64", 1);
  const std::string mnemonic = name_of(form);
  for (const auto& [rounding, expected] :
       {std::pair<const char*, double>{".rn", 1}, {".rz", 1}, {".rm", 1}, {".rp", 1 + 0x1p-52}}) {
    EXPECT_EQ(std::bit_cast<double>(multiply(form, mnemonic + rounding, a, b, c).at(0, 0)),
              expected)
        << rounding;
  }
}

// Numbers whose exact sum fits in a double: multiples of 2^-fraction_bits below 2.
double random_number(Generator& generator, int fraction_bits) {
  std::uniform_int_distribution<int> distribution(-(2 << fraction_bits) + 1,
                                                  (2 << fraction_bits) - 1);
  return std::ldexp(distribution(generator), -fraction_bits);
}

int fraction_bits_of(const std::string& type) {
  if (type == "e4m3") return 3;
  if (type == "e5m2") return 2;
  return type == "bf16" ? 7 : 10;
}

// |d - exact| <= (k + 1) * 2^-25 * largest + |d| * 2^-23 (f16: 2^-11), see docs/guide/simulator.md.
// Of 8 bits there are two sums and an addition, each no larger than the sum of the magnitudes.
TEST_F(MatrixTest, FloatSumsKeepTheirBound) {
  Generator generator(5);
  int n_inexact = 0;
  for (MatrixForm form : matrix_forms()) {
    if (form.d_type != "f32") continue;
    for (const std::string sum_type : {"f32", "f16"}) {
      if (sum_type == "f16" && (form.a_type == "bf16" || form.a_type == "tf32")) continue;
      form.d_type = form.c_type = sum_type;
      form.b_type = form.a_type == "e4m3" ? "e5m2" : form.a_type;
      const auto fill = [&](Matrix matrix, const std::string& type, std::vector<double>& values,
                            int fraction_bits) {
        for (std::uint64_t& bits : matrix.bits) {
          // Sums of f16 have at most 11 digits.
          const double number = random_number(generator, fraction_bits);
          bits = bits_of_number(type, number);
          values.push_back(number);
        }
        return matrix;
      };
      std::vector<double> x, y, z;
      const Matrix a =
          fill(Matrix(form.m, form.k), form.a_type, x, std::min(fraction_bits_of(form.a_type), 10));
      const Matrix b = fill(Matrix(form.k, form.n), form.b_type, y, fraction_bits_of(form.b_type));
      const Matrix c = fill(Matrix(form.m, form.n), sum_type, z, sum_type == "f16" ? 10 : 23);
      const Matrix result = multiply(form, name_of(form), a, b, c);
      for (int row = 0; row < form.m; ++row) {
        for (int column = 0; column < form.n; ++column) {
          double exact = z[static_cast<std::size_t>(row * form.n + column)];
          double largest = std::abs(exact);
          double magnitudes = largest;
          for (int i = 0; i < form.k; ++i) {
            const double product = x[static_cast<std::size_t>(row * form.k + i)] *
                                   y[static_cast<std::size_t>(i * form.n + column)];
            exact += product;
            magnitudes += std::abs(product);
            largest = std::max(largest, std::abs(product));
          }
          const double found = number_of_bits(sum_type, result.at(row, column));
          const double last = sum_type == "f16" ? 0x1p-11 : 0x1p-23;
          const double one_sum = (form.k + 1) * 0x1p-25 * largest + std::abs(found) * last;
          const double two_sums = ((form.k + 2) * 0x1p-25 + 3 * last) * magnitudes;
          ASSERT_LE(std::abs(found - exact), form.a_type == "e4m3" ? two_sums : one_sum)
              << name_of(form) << " " << row << " " << column;
          n_inexact += found != exact;
        }
      }
    }
  }
  EXPECT_GT(n_inexact, 200);
}

}  // namespace
}  // namespace numpy_plugin::sim
