// Matrix instructions on a warp: the layouts of their fragments as the PTX ISA tells them shape by
// shape, and a kernel that runs one instruction on given matrices.
#pragma once

#include <functional>
#include <utility>

#include "simulator/execute/environment.hpp"
#include "simulator/handlers/exact.hpp"

namespace numpy_plugin::sim {

// (row, column) of element i of a lane; g is lane / 4 and t is lane % 4.
using Layout = std::function<std::pair<int, int>(int g, int t, int i)>;

struct MatrixForm {
  std::string modifiers;  // after mma.sync.aligned
  int m, n, k;
  std::string d_type, a_type, b_type, c_type;
  int n_a, n_b, n_c;  // elements per lane
  Layout a, b, c;

  std::string types() const { return d_type + "." + a_type + "." + b_type + "." + c_type; }
};

inline int bits_of_type(const std::string& type) {
  if (type == "b1") return 1;
  if (type == "s4" || type == "u4") return 4;
  if (type == "s8" || type == "u8" || type == "e4m3" || type == "e5m2") return 8;
  if (type == "f16" || type == "bf16") return 16;
  return type == "f64" ? 64 : 32;
}

// The bits of a number, which the type must have.
inline std::uint64_t bits_of_number(const std::string& type, double value) {
  if (type == "f64") return std::bit_cast<std::uint64_t>(value);
  const auto integer = static_cast<std::int64_t>(value);
  const int n_bits = bits_of_type(type);
  const std::uint64_t mask = (std::uint64_t{1} << n_bits) - 1;
  if (type[0] == 's' || type[0] == 'u' || type == "b1") {
    return static_cast<std::uint64_t>(integer) & mask;
  }
  exact::Format format = exact::kSingle;
  if (type == "f16") format = exact::kHalf;
  if (type == "bf16") format = exact::kBrainHalf;
  if (type == "e4m3") format = {3, 4};
  if (type == "e5m2") format = {2, 5};
  const exact::Number number = exact::decode(std::bit_cast<std::uint64_t>(value), exact::kDouble);
  return exact::encode(number, format, Rounding::kNearest);
}

inline double number_of_bits(const std::string& type, std::uint64_t bits) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "s32") return static_cast<std::int32_t>(bits);
  if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const exact::Number number = exact::decode(bits, exact::kHalf);
  const auto wide = exact::encode(number, exact::kDouble, Rounding::kNearest);
  return std::bit_cast<double>(wide);
}

// By rows.
struct Matrix {
  int n_rows = 0;
  int n_columns = 0;
  std::vector<std::uint64_t> bits;

  Matrix(int rows, int columns)
      : n_rows(rows), n_columns(columns), bits(static_cast<std::size_t>(rows * columns)) {}
  std::uint64_t& at(std::pair<int, int> place) {
    return bits.at(static_cast<std::size_t>(place.first * n_columns + place.second));
  }
  std::uint64_t at(int row, int column) const {
    return bits.at(static_cast<std::size_t>(row * n_columns + column));
  }
};

// The registers of a fragment, each with 32 lanes.
using Registers = std::vector<std::array<std::uint64_t, 32>>;

inline int n_registers(const std::string& type, int n_elements) {
  const int n_bits = bits_of_type(type);
  return n_elements * n_bits / (n_bits == 64 ? 64 : 32);
}

inline Registers registers_of(Matrix matrix, const std::string& type, int n_elements,
                              const Layout& layout) {
  const int n_bits = bits_of_type(type);
  const int per_register = (n_bits == 64 ? 64 : 32) / n_bits;
  Registers registers(static_cast<std::size_t>(n_registers(type, n_elements)));
  for (auto& lanes : registers) lanes.fill(0);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < n_elements; ++i) {
      const std::uint64_t bits = matrix.at(layout(lane / 4, lane % 4, i));
      registers[static_cast<std::size_t>(i / per_register)][static_cast<std::size_t>(lane)] |=
          bits << (i % per_register * n_bits);
    }
  }
  return registers;
}

inline Matrix matrix_of_registers(const Registers& registers, int rows, int columns,
                                  const std::string& type, int n_elements, const Layout& layout) {
  const int n_bits = bits_of_type(type);
  const int per_register = (n_bits == 64 ? 64 : 32) / n_bits;
  const std::uint64_t mask = n_bits == 64 ? ~0ull : (1ull << n_bits) - 1;
  Matrix matrix(rows, columns);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < n_elements; ++i) {
      const std::uint64_t word =
          registers[static_cast<std::size_t>(i / per_register)][static_cast<std::size_t>(lane)];
      matrix.at(layout(lane / 4, lane % 4, i)) = word >> (i % per_register * n_bits) & mask;
    }
  }
  return matrix;
}

inline Layout a_layout(std::function<int(int g, int i)> row, std::function<int(int t, int i)> k) {
  return [row, k](int g, int t, int i) { return std::pair(row(g, i), k(t, i)); };
}
inline Layout b_layout(std::function<int(int t, int i)> k) {
  return [k](int g, int t, int i) { return std::pair(k(t, i), g); };
}

inline const Layout kSumOf8Rows = [](int g, int t, int i) { return std::pair(g, 2 * t + i); };
inline const Layout kSumOf16Rows = [](int g, int t, int i) {
  return std::pair(i < 2 ? g : g + 8, 2 * t + (i & 1));
};

// Rows of A in the shapes of 16 rows, from groups of `width` elements.
inline std::function<int(int, int)> rows_by(int width) {
  return [width](int g, int i) { return i / width % 2 == 0 ? g : g + 8; };
}
inline int one_row(int g, int) { return g; }

// The forms of mma, without the signs of integers and the types of sums.
inline std::vector<MatrixForm> matrix_forms() {
  const auto f64_rows = [](int g, int i) { return i % 2 == 0 ? g : g + 8; };
  std::vector<MatrixForm> forms = {
      {"m8n8k4.row.col", 8, 8, 4, "f64", "f64", "f64", "f64", 1, 1, 2,
       a_layout(one_row, [](int t, int) { return t; }), b_layout([](int t, int) { return t; }),
       kSumOf8Rows},
      {"m16n8k4.row.col", 16, 8, 4, "f64", "f64", "f64", "f64", 2, 1, 4,
       a_layout(f64_rows, [](int t, int) { return t; }), b_layout([](int t, int) { return t; }),
       kSumOf16Rows},
      {"m16n8k8.row.col", 16, 8, 8, "f64", "f64", "f64", "f64", 4, 2, 4,
       a_layout(f64_rows, [](int t, int i) { return i < 2 ? t : t + 4; }),
       b_layout([](int t, int i) { return i == 0 ? t : t + 4; }), kSumOf16Rows},
      {"m16n8k16.row.col", 16, 8, 16, "f64", "f64", "f64", "f64", 8, 4, 4,
       a_layout(f64_rows, [](int t, int i) { return i % 2 == 0 ? 2 * i + t : 2 * i - 2 + t; }),
       b_layout([](int t, int i) { return t + 4 * i; }), kSumOf16Rows},
      {"m16n8k4.row.col", 16, 8, 4, "f32", "tf32", "tf32", "f32", 2, 1, 4,
       a_layout(f64_rows, [](int t, int) { return t; }), b_layout([](int t, int) { return t; }),
       kSumOf16Rows},
      {"m16n8k8.row.col", 16, 8, 8, "f32", "tf32", "tf32", "f32", 4, 2, 4,
       a_layout(f64_rows, [](int t, int i) { return i < 2 ? t : t + 4; }),
       b_layout([](int t, int i) { return i == 0 ? t : t + 4; }), kSumOf16Rows},
  };
  for (const std::string type : {"f16", "bf16"}) {
    forms.push_back({"m16n8k8.row.col", 16, 8, 8, "f32", type, type, "f32", 4, 2, 4,
                     a_layout(rows_by(2), [](int t, int i) { return 2 * t + (i & 1); }),
                     b_layout([](int t, int i) { return 2 * t + i; }), kSumOf16Rows});
    forms.push_back(
        {"m16n8k16.row.col", 16, 8, 16, "f32", type, type, "f32", 8, 4, 4,
         a_layout(rows_by(2), [](int t, int i) { return 2 * t + (i & 1) + (i < 4 ? 0 : 8); }),
         b_layout([](int t, int i) { return 2 * t + (i & 1) + (i < 2 ? 0 : 8); }), kSumOf16Rows});
  }
  for (const std::string type : {"s8", "e4m3"}) {
    const std::string sum = type == "s8" ? "s32" : "f32";
    forms.push_back({"m16n8k16.row.col", 16, 8, 16, sum, type, type, sum, 8, 4, 4,
                     a_layout(rows_by(4), [](int t, int i) { return 4 * t + (i & 3); }),
                     b_layout([](int t, int i) { return 4 * t + (i & 3); }), kSumOf16Rows});
    forms.push_back(
        {"m16n8k32.row.col", 16, 8, 32, sum, type, type, sum, 16, 8, 4,
         a_layout(rows_by(4), [](int t, int i) { return 4 * t + (i & 3) + (i < 8 ? 0 : 16); }),
         b_layout([](int t, int i) { return 4 * t + (i & 3) + (i < 4 ? 0 : 16); }), kSumOf16Rows});
  }
  forms.push_back({"m8n8k16.row.col", 8, 8, 16, "s32", "s8", "s8", "s32", 4, 4, 2,
                   a_layout(one_row, [](int t, int i) { return 4 * t + i; }),
                   b_layout([](int t, int i) { return 4 * t + i; }), kSumOf8Rows});
  // Elements of 4 bits and of 1, by the number that 32 bits hold.
  for (const auto& [type, width] : {std::pair<std::string, int>{"s4", 8}, {"b1", 32}}) {
    const auto along = [width](int t, int i) { return width * t + i % width; };
    const auto along_both = [width](int t, int i) {
      return width * t + i % width + (i < 2 * width ? 0 : 4 * width);
    };
    const auto along_b = [width](int t, int i) {
      return width * t + i % width + (i < width ? 0 : 4 * width);
    };
    const int k = 4 * width;
    const std::string small = std::to_string(k) + ".row.col";
    const std::string large = std::to_string(2 * k) + ".row.col";
    forms.push_back({"m8n8k" + small, 8, 8, k, "s32", type, type, "s32", width, width, 2,
                     a_layout(one_row, along), b_layout(along), kSumOf8Rows});
    forms.push_back({"m16n8k" + small, 16, 8, k, "s32", type, type, "s32", 2 * width, width, 4,
                     a_layout(rows_by(width), along), b_layout(along), kSumOf16Rows});
    forms.push_back({"m16n8k" + large, 16, 8, 2 * k, "s32", type, type, "s32", 4 * width, 2 * width,
                     4, a_layout(rows_by(width), along_both), b_layout(along_b), kSumOf16Rows});
  }
  return forms;
}

class MatrixTest : public ExecuteTest {
 protected:
  // D of one instruction.
  Matrix multiply(const MatrixForm& form, const std::string& mnemonic, const Matrix& a,
                  const Matrix& b, const Matrix& c) {
    Registers sources = registers_of(a, form.a_type, form.n_a, form.a);
    const Registers of_b = registers_of(b, form.b_type, form.n_b, form.b);
    const Registers of_c = registers_of(c, form.c_type, form.n_c, form.c);
    const std::array<std::size_t, 4> counts = {
        static_cast<std::size_t>(n_registers(form.d_type, form.n_c)), sources.size(), of_b.size(),
        of_c.size()};
    sources.insert(sources.end(), of_b.begin(), of_b.end());
    sources.insert(sources.end(), of_c.begin(), of_c.end());
    const Registers results =
        run_instruction(mnemonic, counts, sources, form.d_type == "f64" ? 8 : 4);
    return matrix_of_registers(results, form.m, form.n, form.d_type, form.n_c, form.c);
  }

  Registers run_instruction(const std::string& mnemonic, std::array<std::size_t, 4> counts,
                            const Registers& sources, std::size_t n_bytes) {
    if (mnemonic != loaded_) load(kernel_text(mnemonic, counts, n_bytes));
    loaded_ = mnemonic;
    if (n_bytes == 8) return run_words<std::uint64_t>(counts[0], sources);
    return run_words<std::uint32_t>(counts[0], sources);
  }

  std::string loaded_;  // the mnemonic of the loaded kernel

 private:
  static std::string braces(const char* name, std::size_t first, std::size_t count) {
    std::string text;
    for (std::size_t i = first; i < first + count; ++i) {
      text += (text.empty() ? "{%" : ", %") + std::string(name) + std::to_string(i);
    }
    return text + "}";
  }

  // Each lane loads its registers, runs the instruction and stores the results.
  static std::string kernel_text(const std::string& mnemonic, std::array<std::size_t, 4> counts,
                                 std::size_t n_bytes) {
    const std::string bits = ".b" + std::to_string(8 * n_bytes);
    std::string text =
        ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %t; "
        ".reg .b64 %at, %to, %offset; .reg " +
        bits + " %x<64>, %d<16>; mov.u32 %t, %tid.x; mul.wide.u32 %offset, %t, " +
        std::to_string(n_bytes) +
        "; ld.param.u64 %at, [in]; add.s64 %at, %at, %offset;"
        "ld.param.u64 %to, [out]; add.s64 %to, %to, %offset;";
    for (std::size_t i = 0; i < counts[1] + counts[2] + counts[3]; ++i) {
      text += "ld.global" + bits + " %x" + std::to_string(i) + ", [%at+" +
              std::to_string(32 * n_bytes * i) + "];";
    }
    text += mnemonic + " " + braces("d", 0, counts[0]) + ", " + braces("x", 0, counts[1]) + ", " +
            braces("x", counts[1], counts[2]) + ", " +
            braces("x", counts[1] + counts[2], counts[3]) + ";";
    for (std::size_t i = 0; i < counts[0]; ++i) {
      text += "st.global" + bits + " [%to+" + std::to_string(32 * n_bytes * i) + "], %d" +
              std::to_string(i) + ";";
    }
    return text + " ret; }";
  }

  template <class Word>
  Registers run_words(std::size_t n_results, const Registers& sources) {
    std::vector<Word> words;
    for (const auto& lanes : sources) {
      for (const std::uint64_t word : lanes) words.push_back(static_cast<Word>(word));
    }
    const std::uint64_t in = buffer(words);
    const std::uint64_t out = buffer(std::vector<Word>(32 * n_results));
    run({1, 1, 1}, {32, 1, 1}, in, out);
    const std::vector<Word> stored = read<Word>(out, 32 * n_results);
    Registers results(n_results);
    for (std::size_t i = 0; i < stored.size(); ++i) results[i / 32][i % 32] = stored[i];
    EXPECT_EQ(memory.free(in), true);
    EXPECT_EQ(memory.free(out), true);
    return results;
  }
};

}  // namespace numpy_plugin::sim
