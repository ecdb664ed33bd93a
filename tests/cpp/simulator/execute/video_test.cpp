// Video instructions in kernels: selected parts, merges, masks, the minus of vmad, against the
// reference; for each opcode many forms chosen at random.
#include <random>
#include <string>
#include <vector>

#include "simulator/execute/environment.hpp"
#include "simulator/handlers/reference_video.hpp"

namespace numpy_plugin::sim {
namespace {

using reference::VideoText;

constexpr std::size_t kForms = 120;  // of an opcode

class VideoTest : public ExecuteTest {
 protected:
  std::size_t pick(std::size_t n) { return random_() % n; }
  bool toss() { return pick(2) != 0; }

  template <class... Text>
  std::string one_of(const Text&... texts) {
    const std::string all[] = {texts...};
    return all[pick(sizeof...(Text))];
  }

  // Critical words, and parts of them.
  std::uint32_t word() {
    constexpr std::uint32_t kHard[] = {
        0,      1,      31,     32,         33,          0x7f,        0x80,        0xff,
        0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x8000'0000, 0xffff'ffff, 0x7f80'ff01, 0x0180'7fff};
    const auto random = static_cast<std::uint32_t>(random_());
    const std::uint32_t hard = kHard[pick(std::size(kHard))];
    return pick(3) == 0 ? random : pick(4) == 0 ? hard ^ (random & 0x0101'0101) : hard;
  }

  VideoText scalar(const std::string& name) {
    VideoText text;
    text.name = name;
    const bool is_shift = name == "shl" || name == "shr";
    text.is_result_signed = name != "set" && toss();
    text.is_a_signed = toss();
    text.is_b_signed = !is_shift && toss();
    text.saturate = name != "set" && toss();
    text.wraps = is_shift && toss();
    if (name == "set") text.comparison = one_of("eq", "ne", "lt", "le", "gt", "ge");
    if (toss()) text.a_part = one_of("b0", "b1", "b2", "b3", "h0", "h1");
    if (toss()) text.b_part = one_of("b0", "b1", "b2", "b3", "h0", "h1");
    if (name == "mad") {
      text.right_shift = std::stoi(one_of("0", "7", "15"));
      text.a_minus = pick(4) == 0;
      text.b_minus = pick(4) == 0;
      text.c_minus = text.a_minus == text.b_minus && pick(3) == 0;
      text.has_po = text.a_minus == text.b_minus && !text.c_minus && toss();
    } else if (toss()) {
      text.then = one_of("add", "min", "max");
    } else if (toss()) {
      text.result_part = one_of("b0", "b1", "b2", "b3", "h0", "h1");
    }
    return text;
  }

  VideoText parts(const std::string& name, int n_parts) {
    VideoText text;
    text.name = name;
    text.n_parts = n_parts;
    const bool is_bytes = n_parts == 4;
    text.is_result_signed = name != "set" && toss();
    text.is_a_signed = toss();
    text.is_b_signed = toss();
    if (name == "set") text.comparison = one_of("eq", "ne", "lt", "le", "gt", "ge");
    if (toss()) text.then = "add";
    if (text.then.empty()) text.saturate = name != "set" && toss();
    if (toss()) text.a_part = is_bytes ? one_of("b7654", "b0123", "b7710") : one_of("h32", "h01");
    if (toss()) text.b_part = is_bytes ? one_of("b3210", "b4567", "b2222") : one_of("h10", "h30");
    if (toss()) text.result_part = is_bytes ? one_of("b0", "b31", "b3210") : one_of("h0", "h1");
    return text;
  }

  static std::string mnemonic(const VideoText& text) {
    std::string words = "v" + text.name + (text.n_parts == 1 ? "" : std::to_string(text.n_parts));
    if (text.name != "set") words += text.is_result_signed ? ".s32" : ".u32";
    words += text.is_a_signed ? ".s32" : ".u32";
    words += text.is_b_signed ? ".s32" : ".u32";
    if (text.has_po) words += ".po";
    if (text.saturate) words += ".sat";
    if (text.name == "shl" || text.name == "shr") words += text.wraps ? ".wrap" : ".clamp";
    if (!text.comparison.empty()) words += "." + text.comparison;
    if (text.right_shift != 0) words += ".shr" + std::to_string(text.right_shift);
    return text.then.empty() ? words : words + "." + text.then;
  }

  static std::string statement(const VideoText& text) {
    const auto part = [](const std::string& name) { return name.empty() ? "" : "." + name; };
    return mnemonic(text) + " %r4" + part(text.result_part) + ", " + (text.a_minus ? "-" : "") +
           "%r1" + part(text.a_part) + ", " + (text.b_minus ? "-" : "") + "%r2" +
           part(text.b_part) + ", " + (text.c_minus ? "-" : "") + "%r3;";
  }

  // Runs all of them on the same 32 triples of words.
  void check(const std::vector<VideoText>& texts) {
    std::string body;
    for (std::size_t index = 0; index < texts.size(); ++index) {
      body += statement(texts[index]) + "\n st.global.u32 [%rd2+" + std::to_string(128 * index) +
              "], %r4;\n";
    }
    load(R"(.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %rd<6>;
  mov.u32 %r0, %tid.x; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r0, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
  ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+128]; ld.global.u32 %r3, [%rd1+256];
)" + body +
         " ret; }");
    std::vector<std::uint32_t> words(96);
    for (std::uint32_t& each : words) each = word();
    const auto out = buffer(std::vector<std::uint32_t>(32 * texts.size()));
    run({1, 1, 1}, {32, 1, 1}, buffer(words), out);
    const auto results = read<std::uint32_t>(out, 32 * texts.size());
    for (std::size_t at = 0; at < results.size(); ++at) {
      const std::size_t lane = at % 32;
      const VideoText& text = texts[at / 32];
      ASSERT_EQ(results[at],
                reference::video(text, words[lane], words[lane + 32], words[lane + 64]))
          << statement(text) << std::hex << " of " << words[lane] << " " << words[lane + 32] << " "
          << words[lane + 64];
    }
  }

  std::mt19937_64 random_{21};
};

TEST_F(VideoTest, NumbersAndTheirPartsAgreeWithTheReference) {
  for (const char* name : {"add", "sub", "absdiff", "min", "max", "shl", "shr", "set", "mad"}) {
    std::vector<VideoText> texts;
    while (texts.size() < kForms) texts.push_back(scalar(name));
    check(texts);
  }
}

TEST_F(VideoTest, HalfWordsAndBytesAgreeWithTheReference) {
  for (const char* name : {"add", "sub", "avrg", "absdiff", "min", "max", "set"}) {
    std::vector<VideoText> texts;
    while (texts.size() < kForms) texts.push_back(parts(name, texts.size() % 2 == 0 ? 2 : 4));
    check(texts);
  }
}

// Results by hand.
TEST_F(VideoTest, KnownValues) {
  const struct {
    const char* statement;
    std::uint32_t a, b, c, result;
  } rows[] = {
      {"vadd.u32.u32.u32 %r4, %r1.b3, %r2.h1, %r3;", 0xff00'0000, 0x0101'0000, 0, 0x200},
      {"vadd.s32.s32.s32.sat %r4.b1, %r1, %r2, %r3;", 100, 100, 0x1111'1111, 0x1111'7f11},
      {"vsub.u32.u32.u32.sat %r4, %r1, %r2;", 1, 2, 0, 0},
      {"vabsdiff.u32.s32.u32 %r4, %r1.b0, %r2;", 0xff, 1, 0, 2},
      {"vmax.s32.s32.u32.add %r4, %r1, %r2, %r3;", 0xffff'ffff, 5, 1000, 1005},
      {"vshl.u32.u32.u32.sat.clamp %r4, %r1, %r2;", 1, 32, 0, 0xffff'ffff},
      {"vshr.s32.s32.u32.clamp %r4, %r1, %r2;", 0x8000'0000, 99, 0, 0xffff'ffff},
      {"vshr.u32.u32.u32.wrap %r4, %r1, %r2;", 0x8000'0000, 33, 0, 0x4000'0000},
      {"vset.s32.u32.lt %r4.h1, %r1, %r2, %r3;", 0xffff'ffff, 0, 0x5555'6666, 0x0001'6666},
      {"vmad.u32.u32.u32.shr15 %r4, %r1.h0, %r2.h0, %r3;", 0x8000, 6, 0x8000, 7},
      {"vmad.s32.s32.s32 %r4, %r1, -%r2, %r3;", 3, 4, 5, 0xffff'fff9},
      {"vmad.s32.s32.s32.po %r4, %r1, %r2, %r3;", 3, 4, 5, 18},
      {"vadd4.u32.u32.u32.sat %r4.b20, %r1, %r2, %r3;", 0xf0f0'f0f0, 0x2020'0101, 0, 0x00ff'00f1},
      {"vavrg2.s32.s32.s32 %r4, %r1, %r2, %r3;", 0xffff'0001, 0xfffe'0002, 0, 0xfffe'0002},
      {"vset4.u32.u32.gt.add %r4, %r1.b3210, %r2.b4444, %r3;", 0x0501'0907, 5, 10, 12},
      {"vmin2.u32.u32.u32 %r4, %r1.h01, %r2, %r3;", 0x0001'0002, 0x0009'0000, 0, 0x0002'0000},
  };
  for (const auto& row : rows) {
    load(std::string(".visible .entry k(.param .u64 p) { .reg .b32 %r<8>; .reg .b64 %rd<3>;"
                     "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];"
                     "ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8];") +
         row.statement + "st.global.u32 [%rd1+12], %r4; ret; }");
    const auto words = buffer(std::vector<std::uint32_t>{row.a, row.b, row.c, 0});
    run({1, 1, 1}, {1, 1, 1}, words);
    EXPECT_EQ(read<std::uint32_t>(words, 4)[3], row.result) << row.statement;
  }
}

// A guard that is false leaves the result alone, also where it is merged.
TEST_F(VideoTest, GuardsHoldForMerges) {
  load(R"(.visible .entry k(.param .u64 p) { .reg .b32 %r<8>; .reg .b64 %rd<3>; .reg .pred %p1;
  ld.param.u64 %rd1, [p]; mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 3; mov.u32 %r4, 7;
  mov.u32 %r5, -1;
  @%p1 vadd.u32.u32.u32 %r4.b3, %r0, %r0, %r5;
  mad.wide.u32 %rd1, %r0, 4, %rd1; st.global.u32 [%rd1], %r4; ret; })");
  const auto out = buffer(std::vector<std::uint32_t>(4));
  run({1, 1, 1}, {4, 1, 1}, out);
  EXPECT_EQ(read<std::uint32_t>(out, 4),
            (std::vector<std::uint32_t>{0x00ff'ffff, 0x02ff'ffff, 0x04ff'ffff, 7}));
}

}  // namespace
}  // namespace numpy_plugin::sim
