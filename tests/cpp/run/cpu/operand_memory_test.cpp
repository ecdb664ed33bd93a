// Overlap of strided operands decided by address alone, and copies between strided memory and
// buffers.
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

namespace numpy_plugin::run {
namespace {

// One input and one output, at byte offsets.
bool is_free(long input, long input_step, long output, long output_step, long n) {
  static char memory[4096];
  static const unsigned char sizes[] = {8, 8};
  npp::LoopShape shape = {};
  shape.sizes = sizes;
  shape.n_inputs = 1;
  shape.n_operands = 2;
  char* const operands[] = {memory + 1024 + input, memory + 1024 + output};
  const long steps[] = {input_step, output_step};
  return order_is_free(shape, operands, steps, n);
}

TEST(OperandMemoryTest, OrderIsFreeWhereNothingIsShared) {
  EXPECT_TRUE(is_free(0, 8, 80, 8, 10));
  EXPECT_TRUE(is_free(80, 8, 0, 8, 10));
  EXPECT_TRUE(is_free(72, -8, 80, 8, 10));
  EXPECT_FALSE(is_free(0, 8, 79, 8, 10));
  EXPECT_FALSE(is_free(80, -8, 80, 8, 10));
}

TEST(OperandMemoryTest, OrderIsFreeInPlace) {
  EXPECT_TRUE(is_free(0, 8, 0, 8, 10));
  EXPECT_TRUE(is_free(0, -24, 0, -24, 10));
  EXPECT_FALSE(is_free(0, 8, 0, 16, 10));
  EXPECT_FALSE(is_free(0, 4, 0, 4, 10));
}

TEST(OperandMemoryTest, ContiguousOperandsAreApartOrSameWhereTheirOrderIsFree) {
  static char memory[1024];
  static const unsigned char sizes[] = {8, 4, 8, 2};
  npp::LoopShape shape = {};
  shape.sizes = sizes;
  shape.n_inputs = 2;
  shape.n_operands = 4;
  const long steps[] = {8, 4, 8, 2};
  const long n = 5;
  for (int input = 0; input < 160; ++input) {
    for (int output = 0; output < 160; ++output) {
      char* const operands[] = {memory + input, memory + 500, memory + 80, memory + output + 180};
      EXPECT_EQ(are_apart_or_same(shape, operands, n), order_is_free(shape, operands, steps, n))
          << input << " " << output;
    }
  }
}

TEST(OperandMemoryTest, OrderIsNotFreeForAccumulators) {
  EXPECT_FALSE(is_free(-8, 8, 0, 8, 10));
  EXPECT_FALSE(is_free(8, 8, 0, 8, 10));
  EXPECT_FALSE(is_free(0, 0, 0, 0, 10));
  EXPECT_TRUE(is_free(0, 0, 0, 0, 1));
}

TEST(OperandMemoryTest, OrderIsFreeBetweenColumns) {
  EXPECT_TRUE(is_free(0, 16, 8, 16, 10));
  EXPECT_TRUE(is_free(8, 16, 0, 16, 10));
  EXPECT_TRUE(is_free(8 + 9 * 16, -16, 0, 16, 10));
  EXPECT_FALSE(is_free(0, 16, 4, 16, 10));
  EXPECT_FALSE(is_free(0, 12, 8, 12, 10));
  EXPECT_FALSE(is_free(0, 16, 8, 24, 10));
}

TEST(OperandMemoryTest, AccumulatorIsApartOrNot) {
  const char memory[64] = {};
  EXPECT_TRUE(is_apart(memory, 8, memory + 8, 8, 4));
  EXPECT_FALSE(is_apart(memory + 16, 8, memory, 8, 4));
}

template <class T>
void expect_copies() {
  const long size = sizeof(T);
  std::vector<T> strided(30);
  for (int i = 0; i < 30; ++i) strided[static_cast<std::size_t>(i)] = static_cast<T>(i + 1);
  std::vector<T> buffer(10), back(30);
  copy_elements(reinterpret_cast<char*>(buffer.data()), size,
                reinterpret_cast<const char*>(strided.data()), 3 * size, size, 10);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(buffer[i], strided[3 * i]);
  copy_elements(reinterpret_cast<char*>(back.data() + 29), -3 * size,
                reinterpret_cast<const char*>(buffer.data()), size, size, 10);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(back[29 - 3 * i], buffer[i]);
  EXPECT_EQ(back[28], T{});
}

TEST(OperandMemoryTest, CopiesElementsOfEverySize) {
  expect_copies<std::int8_t>();
  expect_copies<std::int16_t>();
  expect_copies<float>();
  expect_copies<double>();
  expect_copies<std::complex<double>>();
}

template <class T>
void expect_filled(T value) {
  alignas(64) T buffer[64] = {};
  fill_buffer(reinterpret_cast<char*>(buffer), reinterpret_cast<const char*>(&value), sizeof(T), 9);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(buffer[i], value);
}

TEST(OperandMemoryTest, FillsWithElementsOfEverySize) {
  expect_filled<std::int8_t>(-3);
  expect_filled<std::uint16_t>(0xabcd);
  expect_filled<float>(1.5f);
  expect_filled<double>(-2.25);
  expect_filled<std::complex<double>>({1.5, -2.5});
}

}  // namespace
}  // namespace numpy_plugin::run
