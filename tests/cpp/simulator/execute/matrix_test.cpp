// Matrices between memory and registers: ldmatrix, stmatrix, movmatrix, wmma; and the rule that all
// lanes of a warp take part.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

// A kernel of one warp with 512 bytes of shared memory, whose 16-bit elements count from 0, and
// buffers at %in and %out. Its body is on line 2.
class WarpMatrixTest : public ExecuteTest {
 protected:
  void load_body(const std::string& body) {
    load(
        R"(.visible .entry k(.param .u64 in, .param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<64>; .reg .f64 %fd<8>; .reg .b64 %in, %out, %rd<8>; .shared .align 16 .b8 held[512]; .shared .align 16 .b8 stored[512]; mov.u32 %r63, %tid.x; shl.b32 %r62, %r63, 4; mov.u32 %r61, held; add.u32 %r61, %r61, %r62; mov.u32 %r60, stored; add.u32 %r60, %r60, %r62; ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; shl.b32 %r58, %r63, 3; mad.lo.u32 %r58, %r58, 65537, 65536; st.shared.b32 [%r61], %r58; add.u32 %r58, %r58, 131074; st.shared.b32 [%r61+4], %r58; add.u32 %r58, %r58, 131074; st.shared.b32 [%r61+8], %r58; add.u32 %r58, %r58, 131074; st.shared.b32 [%r61+12], %r58; bar.warp.sync -1; mul.wide.u32 %rd7, %r63, 4; add.s64 %rd7, %out, %rd7;
)" + body +
        " ret; }");
  }

  std::string store_registers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "st.global.b32 [%rd7+" + std::to_string(128 * i) + "], %r" + std::to_string(i) + "; ";
    }
    return text;
  }

  std::vector<std::uint32_t> results(const std::string& body, std::size_t n_words) {
    load_body(body);
    const auto out = buffer(std::vector<std::uint32_t>(n_words, 0xeeee'eeee));
    run({1, 1, 1}, {32, 1, 1}, buffer(counting<std::uint16_t>(1024)), out);
    return read<std::uint32_t>(out, n_words);
  }

  std::string fault_of(const std::string& body, std::uint32_t n_threads = 32) {
    load_body(body);
    return fault({1, 1, 1}, {n_threads, 1, 1}, buffer(counting<std::uint16_t>(1024)),
                 buffer(std::vector<std::uint32_t>(1024)));
  }
};

std::uint32_t pair(std::uint32_t low, std::uint32_t high) { return low | high << 16; }

TEST_F(WarpMatrixTest, RowsAreLoadedByTheAddressesOfEightLanesEach) {
  const auto values =
      results("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r61]; " +
                  store_registers(4),
              128);
  for (std::uint32_t i = 0; i < 128; ++i) {
    const std::uint32_t matrix = i / 32, lane = i % 32;
    const std::uint32_t first = 64 * matrix + 8 * (lane / 4) + 2 * (lane % 4);
    ASSERT_EQ(values[i], pair(first, first + 1)) << i;
  }
}

TEST_F(WarpMatrixTest, TransposedRowsAreColumns) {
  const auto values = results(
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r0, %r1}, [%r61]; " + store_registers(2),
      64);
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t matrix = i / 32, lane = i % 32;
    const std::uint32_t first = 64 * matrix + 8 * (2 * (lane % 4)) + lane / 4;
    ASSERT_EQ(values[i], pair(first, first + 8)) << i;
  }
}

TEST_F(WarpMatrixTest, GenericAddressesOfSharedMemoryAreRows) {
  const auto values = results(
      "cvt.u64.u32 %rd1, %r61; cvta.shared.u64 %rd1, %rd1; "
      "ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%rd1]; " +
          store_registers(1),
      32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(values[lane], pair(2 * lane, 2 * lane + 1));
  }
}

// As ptxas takes them without .shared, and inline assembly writes them.
TEST_F(WarpMatrixTest, AddressesOf32BitsAreOfSharedMemory) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1";
  const auto with_space = results(load + ".shared.b16 {%r0}, [%r61]; " + store_registers(1), 32);
  EXPECT_EQ(results(load + ".b16 {%r0}, [%r61]; " + store_registers(1), 32), with_space);
}

TEST_F(WarpMatrixTest, StoredRowsAreThoseLoaded) {
  for (const std::string trans : {"", ".trans"}) {
    const auto values = results(
        "ldmatrix.sync.aligned.m8n8.x4" + trans +
            ".shared.b16 {%r0, %r1, %r2, %r3}, [%r61]; stmatrix.sync.aligned.m8n8.x4" + trans +
            ".shared.b16 [%r60], {%r0, %r1, %r2, %r3}; bar.warp.sync -1; "
            "ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%r60]; " +
            store_registers(4),
        128);
    for (std::uint32_t i = 0; i < 128; ++i) {
      const std::uint32_t first = 8 * (i % 32) + 2 * (i / 32);
      ASSERT_EQ(values[i], pair(first, first + 1)) << trans << i;
    }
  }
}

// Byte i of row r in memory.
std::uint32_t byte_of_row(std::uint32_t row, std::uint32_t i) {
  return (8 * row + i / 2) >> (i % 2 * 8) & 0xff;
}

TEST_F(WarpMatrixTest, BytesOfColumnsAreLoaded) {
  const auto values =
      results("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r0, %r1, %r2, %r3}, [%r61]; " +
                  store_registers(4),
              128);
  for (std::uint32_t i = 0; i < 128; ++i) {
    const std::uint32_t number = i / 32, lane = i % 32;
    std::uint32_t expected = 0;
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      const std::uint32_t row = 16 * (number / 2) + 4 * (lane % 4) + byte;
      expected |= byte_of_row(row, lane / 4 + 8 * (number % 2)) << (8 * byte);
    }
    ASSERT_EQ(values[i], expected) << i;
  }
}

TEST_F(WarpMatrixTest, BytesOfColumnsAreStored) {
  // Register i of a lane has the bytes 4 * lane + 128 * i, and so on.
  const auto values = results(
      "mul.lo.u32 %r4, %r63, 0x04040404; add.u32 %r0, %r4, 0x03020100; "
      "add.u32 %r1, %r4, 0x83828180; stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r60], "
      "{%r0, %r1}; bar.warp.sync -1; mov.u32 %r5, 0; setp.lt.u32 %p1, %r63, 16; "
      "@%p1 ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%r60]; " +
          store_registers(4),
      128);
  for (std::uint32_t row = 0; row < 16; ++row) {
    for (std::uint32_t i = 0; i < 16; ++i) {
      const std::uint32_t lane = 4 * (i % 8) + row % 8 / 2;
      const std::uint32_t expected = (128 * (row / 8) + 4 * lane + 2 * (i / 8) + row % 2) & 0xff;
      ASSERT_EQ(values[32 * (i / 4) + row] >> (i % 4 * 8) & 0xff, expected) << row << " " << i;
    }
  }
}

TEST_F(WarpMatrixTest, AMatrixOfRegistersIsTransposed) {
  const auto values = results(
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r61]; "
      "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1; " +
          store_registers(1),
      32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t first = 8 * (2 * (lane % 4)) + lane / 4;
    ASSERT_EQ(values[lane], pair(first, first + 8));
  }
}

// Integers of 8 bits in all layouts: out = in * in for the bytes of the buffer.
TEST_F(WarpMatrixTest, WmmaReadsAndWritesRowsAndColumns) {
  struct Shape {
    const char* name;
    int m, n, n_a, n_b;
  };
  std::vector<std::uint8_t> bytes(512);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{3});
  const auto list = [](int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i) {
      text += (text.empty() ? "{%r" : ", %r") + std::to_string(i);
    }
    return text + "}";
  };
  for (const Shape& shape : {Shape{"m16n16k16", 16, 16, 2, 2}, Shape{"m32n8k16", 32, 8, 4, 1},
                             Shape{"m8n32k16", 8, 32, 1, 4}}) {
    for (const std::string layouts : {"row.col.row", "col.row.col", "row.row.col", "col.col.row"}) {
      const std::string of_a = layouts.substr(0, 3), of_b = layouts.substr(4, 3);
      const std::string of_d = layouts.substr(8, 3), name = shape.name;
      load_body("wmma.load.a.sync.aligned." + of_a + "." + name + ".global.u8 " +
                list(8, shape.n_a) + ", [%in]; wmma.load.b.sync.aligned." + of_b + "." + name +
                ".u8 " + list(16, shape.n_b) + ", [%in+32], 48; wmma.load.c.sync.aligned." + of_d +
                "." + name + ".global.s32 " + list(0, 8) + ", [%out]; wmma.mma.sync.aligned." +
                of_a + "." + of_b + "." + name + ".s32.u8.u8.s32 " + list(0, 8) + ", " +
                list(8, shape.n_a) + ", " + list(16, shape.n_b) + ", " + list(0, 8) +
                "; wmma.store.d.sync.aligned." + of_d + "." + name + ".s32 [%out], " + list(0, 8) +
                ";");
      std::vector<std::uint8_t> more(2048);
      std::iota(more.begin(), more.end(), std::uint8_t{3});
      const auto in = buffer(more);
      const auto before = counting<std::uint32_t>(256);
      const auto out = buffer(before);
      run({1, 1, 1}, {32, 1, 1}, in, out);
      const auto found = read<std::uint32_t>(out, 256);
      for (int row = 0; row < shape.m; ++row) {
        for (int column = 0; column < shape.n; ++column) {
          const int at = of_d == "row" ? row * shape.n + column : column * shape.m + row;
          std::uint32_t sum = before[static_cast<std::size_t>(at)];
          for (int i = 0; i < 16; ++i) {
            const int a = of_a == "row" ? row * 16 + i : i * shape.m + row;
            const int b = 32 + (of_b == "row" ? i * 48 + column : column * 48 + i);
            sum += more[static_cast<std::size_t>(a)] *
                   std::uint32_t{more[static_cast<std::size_t>(b)]};
          }
          ASSERT_EQ(found[static_cast<std::size_t>(at)], sum) << name << " " << layouts;
        }
      }
    }
  }
}

TEST_F(WarpMatrixTest, LanesThatDoNotExistAreMissing) {
  EXPECT_EQ(fault_of("\nmovmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", 16),
            "719: kernel 'k', block (0,0,0), thread (0,0,0), line 3 of the PTX: "
            "movmatrix.sync.aligned.m8n8.trans.b16 is executed by all 32 lanes of a warp together; "
            "those of the mask 0xffff0000 have exited "
            "or don't exist");
}

TEST_F(WarpMatrixTest, LanesThatAreGuardedAreMissing) {
  const std::string found = fault_of(
      "setp.lt.u32 %p1, %r63, 8; @%p1 mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, "
      "{%r2}, {%r3}, {%r4, %r5};");
  EXPECT_NE(found.find("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 is executed by all 32 lanes "
                       "of a warp together; those of the mask "
                       "0xffffff00 have exited or don't exist"),
            std::string::npos)
      << found;
}

TEST_F(WarpMatrixTest, AllLanesAreAtOneInstruction) {
  const std::string found = fault_of(R"(setp.lt.u32 %p1, %r63, 8;
    @%p1 bra $low;
    movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;
    bra $end;
  $low:
    movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;
  $end:)");
  EXPECT_NE(found.find("movmatrix.sync.aligned.m8n8.trans.b16 is executed by all 32 lanes of a "
                       "warp together, as one "
                       "instruction of one call; threads "),
            std::string::npos)
      << found;
}

// Lanes that come apart meet at the instruction.
TEST_F(WarpMatrixTest, LanesAreWaitedFor) {
  const auto values = results(R"(mov.u32 %r1, %r63; setp.lt.u32 %p1, %r63, 8;
    @!%p1 bra $meet;
    mov.u32 %r2, 0;
  $work:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, %r63;
    @%p2 bra $work;
  $meet:
    movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;)" +
                                  store_registers(1),
                              32);
  EXPECT_EQ(values[1], pair(8, 12));
}

TEST_F(WarpMatrixTest, RowsAreInSharedMemory) {
  const std::string found = fault_of("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%in];");
  EXPECT_NE(found.find("is not in shared memory, where rows of a matrix must be"),
            std::string::npos)
      << found;
}

TEST_F(WarpMatrixTest, RowsAreAligned) {
  const std::string found = fault_of("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r61+8];");
  EXPECT_NE(found.find("which is not a multiple of 16"), std::string::npos) << found;
}

TEST_F(WarpMatrixTest, ElementsOfWmmaAreChecked) {
  const std::string found =
      fault_of("wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%fd0, %fd1}, [%in], 4096;");
  EXPECT_NE(found.find("read 8 bytes at"), std::string::npos) << found;
}

}  // namespace
}  // namespace numpy_plugin::sim
