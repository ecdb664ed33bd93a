// Mnemonics by fields: everything that NVRTC is known to emit, and invalid ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "simulator/program/grammar.hpp"
#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {
namespace {

std::vector<std::string> known_mnemonics() {
  std::ifstream file(NPP_SOURCE_DIR "/tests/cpp/simulator/program/mnemonics.txt");
  std::vector<std::string> mnemonics;
  for (std::string line; std::getline(file, line);) mnemonics.push_back(line);
  return mnemonics;
}

std::vector<std::string> words_of(const std::string& mnemonic) {
  std::istringstream stream(mnemonic);
  std::vector<std::string> words;
  for (std::string word; std::getline(stream, word, '.');) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
  return text;
}

bool is_access(const std::string& opcode) { return opcode == "ld" || opcode == "st"; }

// The mnemonic without cache and scope modifiers. Mnemonics are equivalent exactly if these are
// equal.
std::string meaning_of(const std::string& mnemonic) {
  static const std::set<std::string> scopes = {"cta", "gpu", "sys", "gl", "cluster", "uni"};
  static const std::set<std::string> caches = {"ca", "cg", "cs", "lu", "nc", "wb", "wt"};
  std::vector<std::string> words;
  const std::vector<std::string> all = words_of(mnemonic);
  bool is_volatile = false;
  for (const std::string& word : all) {
    const bool is_scope = scopes.contains(word) && !(all.front() == "barrier" && word == "cluster");
    if (is_scope || word == "aligned" || word == "noftz") continue;
    if (is_access(all.front()) && caches.contains(word)) continue;
    if (all.front() == "cp" && caches.contains(word)) continue;
    if (all.front() == "atom" && word == "relaxed") continue;
    if (all.front() == "fence" && word == "sc") continue;
    is_volatile |= word == "volatile" || word == "cv";
    if (word != "volatile" && word != "cv") words.push_back(word);
  }
  if (is_volatile) words.push_back("volatile");
  if (all.front() == "atom") std::sort(words.begin(), words.end());
  return joined(words);
}

// Fields of an operation, for use as a key.
std::vector<int> fields_of(const Operation& operation) {
  return {static_cast<int>(operation.opcode),
          static_cast<int>(operation.type),
          static_cast<int>(operation.source),
          static_cast<int>(operation.rounding),
          static_cast<int>(operation.comparison),
          static_cast<int>(operation.part),
          static_cast<int>(operation.mode),
          static_cast<int>(operation.space),
          static_cast<int>(operation.ordering),
          operation.n_elements,
          operation.flush,
          operation.saturate,
          operation.saturate_finite,
          operation.relu,
          operation.is_absolute,
          operation.xor_sign,
          operation.propagate_nan,
          operation.carry,
          operation.approximate,
          operation.full,
          static_cast<int>(operation.secondary),
          operation.right_shift};
}

TEST(mnemonic, each_that_nvrtc_emits_is_decoded) {
  const std::vector<std::string> mnemonics = known_mnemonics();
  ASSERT_EQ(mnemonics.size(), 1581u);
  for (const std::string& mnemonic : mnemonics)
    EXPECT_TRUE(decode_mnemonic(mnemonic).has_value()) << mnemonic;
}

TEST(mnemonic, what_differs_in_meaning_differs_in_a_field) {
  std::map<std::vector<int>, std::string> meanings;
  for (const std::string& mnemonic : known_mnemonics()) {
    const std::string meaning = meaning_of(mnemonic);
    const auto operation = decode_mnemonic(mnemonic);
    ASSERT_TRUE(operation.has_value()) << mnemonic;
    const auto [place, is_new] = meanings.emplace(fields_of(*operation), meaning);
    EXPECT_EQ(place->second, meaning) << mnemonic;
  }
  EXPECT_GT(meanings.size(), 1000u);
}

TEST(mnemonic, what_means_the_same_is_one_operation) {
  std::map<std::string, std::vector<int>> operations;
  for (const std::string& mnemonic : known_mnemonics()) {
    const auto fields = fields_of(decode_mnemonic(mnemonic).value());
    const auto [place, is_new] = operations.emplace(meaning_of(mnemonic), fields);
    EXPECT_EQ(place->second, fields) << mnemonic;
  }
}

TEST(mnemonic, words_set_their_fields) {
  EXPECT_EQ(decode_mnemonic("cvt.rzi.ftz.s64.f32"), (Operation{.opcode = Opcode::kCvt,
                                                               .type = Type::kS64,
                                                               .source = Type::kF32,
                                                               .rounding = Rounding::kZeroInteger,
                                                               .flush = true}));
  EXPECT_EQ(decode_mnemonic("ld.global.cv.v4.u8"), (Operation{.opcode = Opcode::kLd,
                                                              .type = Type::kU8,
                                                              .space = Space::kGlobal,
                                                              .ordering = Ordering::kVolatile,
                                                              .n_elements = 4}));
  EXPECT_EQ(
      decode_mnemonic("mad.hi.cc.u32"),
      (Operation{.opcode = Opcode::kMad, .type = Type::kU32, .part = Part::kHigh, .carry = true}));
  EXPECT_EQ(decode_mnemonic("setp.geu.ftz.f32"), (Operation{.opcode = Opcode::kSetp,
                                                            .type = Type::kF32,
                                                            .comparison = Comparison::kGeu,
                                                            .flush = true}));
  EXPECT_EQ(decode_mnemonic("min.s16x2.relu"),
            (Operation{.opcode = Opcode::kMin, .type = Type::kS16x2, .relu = true}));
  EXPECT_EQ(decode_mnemonic("vabsdiff4.u32.u32.u32.add"), (Operation{.opcode = Opcode::kVabsdiff4,
                                                                     .type = Type::kU32,
                                                                     .source = Type::kU32,
                                                                     .third = Type::kU32,
                                                                     .secondary = Mode::kAdd}));
  EXPECT_EQ(
      decode_mnemonic("dp2a.hi.s32.u32"),
      (Operation{
          .opcode = Opcode::kDp2a, .type = Type::kS32, .source = Type::kU32, .part = Part::kHigh}));
}

TEST(mnemonic, scopes_may_stand_before_and_after_the_space) {
  const Operation expected{.opcode = Opcode::kAtom,
                           .type = Type::kB32,
                           .mode = Mode::kCompareAndSwap,
                           .space = Space::kGlobal,
                           .ordering = Ordering::kRelaxed};
  EXPECT_EQ(decode_mnemonic("atom.relaxed.gpu.global.cas.b32"), expected);
  EXPECT_EQ(decode_mnemonic("atom.global.sys.cas.b32"), expected);
  EXPECT_EQ(decode_mnemonic("atom.global.cas.b32"), expected);
  EXPECT_NE(decode_mnemonic("atom.acquire.global.cas.b32"), expected);
}

TEST(mnemonic, wrong_combinations_are_none) {
  for (const char* mnemonic : {"add",
                               "add.rn.s32",
                               "add.sat.u32",
                               "add.cc.f32",
                               "add.cc.s16",
                               "add.b32",
                               "add.rni.f32",
                               "add.ftz.f64",
                               "add.rz.f16",
                               "add.sat.bf16",
                               "add.sat.f32x2",
                               "add.ftz.f32.f16",
                               "add.f32.f64",
                               "addc.s16",
                               "addx.s32",
                               "and.s32",
                               "and.f32",
                               "and.b128",
                               "not.u32",
                               "abs.u32",
                               "atom.add.b32",
                               "atom.inc.s32",
                               "atom.cas.u32",
                               "atom.local.add.u32",
                               "atom.add.f16",
                               "atom.global",
                               "atom.gpu.global.cta.add.u32",
                               "atom.add.v2.u32",
                               "atom.const.add.u32",
                               "atom.min.f32",
                               "atom.and.u32",
                               "atom.sc.gpu.add.u32",
                               "atom.relaxed.gpu.relaxed.add.u32",
                               "atom.min.noftz.f16",
                               "atom.add.v8.f32",
                               "atom.add.noftz.v8.f16x2",
                               "atom.local.exch.b32",
                               "bar",
                               "bar.sync.all",
                               "bar.red.u32",
                               "bar.red.popc.pred",
                               "bar.red.add.u32",
                               "barrier.cluster",
                               "barrier.cluster.sync",
                               "bfe.b32",
                               "bfi.u32",
                               "bfind.b32",
                               "bmsk.b32",
                               "bmsk.clamp.u32",
                               "bra.wide",
                               "brev.u32",
                               "call.cta",
                               "clz.s32",
                               "cnot.u32",
                               "copysign.f16",
                               "cos.f32",
                               "cos.approx.f64",
                               "cp",
                               "cp.async",
                               "cp.async.ca.global.shared",
                               "cp.async.wait_group.read",
                               "cp.async.bulk.global.global.bulk_group",
                               "cp.async.bulk.shared::cta.shared::cta.bulk_group",
                               "cp.async.bulk.shared::cta.global.bulk_group",
                               "cp.async.bulk.tensor.1d.shared::cta.global.bulk_group",
                               "cvt.f32.s32",
                               "cvt.rn.s32.f32",
                               "cvt.rni.f32.s32",
                               "cvt.f32.f64",
                               "cvt.rn.f64.f32",
                               "cvt.s32",
                               "cvt.rn.u32.s32",
                               "cvt.rn.f16x2.f16",
                               "cvt.pred.s32",
                               "cvt.rs.f16x2.f32",
                               "cvt.rn.e4m3x2.f32",
                               "cvt.rz.satfinite.e4m3x2.f32",
                               "cvt.rn.satfinite.e4m3x2.bf16x2",
                               "cvt.rn.bf16x2.e4m3x2",
                               "cvt.pack.sat.u8.s32",
                               "cvt.pack.u16.s32",
                               "cvt.rna.relu.tf32.f32",
                               "cvt.rzi.b32.f32",
                               "cvta.u64",
                               "cvta.to.u64",
                               "cvta.global.u32",
                               "div.f32",
                               "div.approx.f64",
                               "div.rn.approx.f32",
                               "div.u8",
                               "dp4a.u32",
                               "dp2a.u32.u32",
                               "dp4a.lo.u32.u32",
                               "ex2.f32",
                               "ex2.approx.f64",
                               "ex2.approx.ftz.f16",
                               "ex2.approx.bf16",
                               "exit.uni",
                               "fence.relaxed.gpu",
                               "fma.f32",
                               "fma.rn.s32",
                               "fma.f32x2",
                               "fma.rn.f32.f64",
                               "fns.u32",
                               "fma.rn.sat.bf16",
                               "isspacep.register",
                               "ld",
                               "ld.global",
                               "ld.shared.v3.f32",
                               "ld.global.v8.f64",
                               "ld.shared.v8.f32",
                               "ld.shared.v4.f64",
                               "ld.pred",
                               "ld.shared.nc.f32",
                               "ld.nc.f32",
                               "ld.global.wt.f32",
                               "ld.release.gpu.b32",
                               "ld.acquire.b32",
                               "ld.param.f16",
                               "lg2.f32",
                               "lop3.b64",
                               "lop3.xor.b32",
                               "mad.s32",
                               "mad.wide.s64",
                               "mad.lo.sat.s32",
                               "mad24.lo.sat.s32",
                               "mad24.wide.s32",
                               "max.abs.xorsign.f32",
                               "max.xorsign.f32",
                               "max.abs.f16",
                               "mad.rn.f32",
                               "madc.wide.u32",
                               "match.sync.b32",
                               "match.any.b32",
                               "match.any.sync.u32",
                               "max.b32",
                               "mbarrier.arrive.acquire.cta.b64",
                               "mbarrier.arrive.shared.b32",
                               "mbarrier.arrive.global.b64",
                               "mbarrier.init.shared::cluster.b64",
                               "mbarrier.test_wait.release.cta.b64",
                               "mbarrier.try_wait.acquire.gpu.b64",
                               "max.NaN.s32",
                               "max.relu.u32",
                               "max.u32.relu",
                               "membar",
                               "membar.gpu",
                               "mov",
                               "mov.f16",
                               "mov.b8",
                               "mul.s32",
                               "mul.wide.s64",
                               "mul.wide.f32",
                               "mul.hi.f32",
                               "mul.lo.hi.s32",
                               "mul.cc.s32",
                               "neg.u32",
                               "nanosleep",
                               "popc.u32",
                               "prefetch.shared.L2",
                               "prefetch.global",
                               "prmt.b64",
                               "rcp.f32",
                               "rcp.approx.f64",
                               "red.acquire.gpu.global.add.u32",
                               "red.global.exch.b32",
                               "red.global.cas.b32",
                               "red.async.relaxed.gpu.add.u32",
                               "redux.add.s32",
                               "redux.sync.and.u32",
                               "redux.sync.add.b32",
                               "rem.f32",
                               "ret.all",
                               "rsqrt.rn.f32",
                               "sad.f32",
                               "selp.pred",
                               "selp.b8",
                               "set.f32.f32",
                               "set.eq.f32",
                               "set.equ.u32.s32",
                               "set.eq.f16x2.f32",
                               "mad.s32.lo",
                               "mul24.u32.lo",
                               "brx.uni.idx",
                               "div.ftz.full.f32",
                               "st.weak.async.mbarrier::complete_tx::bytes.b32",
                               "barrier.cta.aligned.arrive",
                               "createpolicy.fractional.b64.L2::evict_first.L2::evict_normal",
                               "setp.f32",
                               "setp.lt.b32",
                               "setp.equ.s32",
                               "setp.lo.s32",
                               "setp.lt.and.b32",
                               "setp.eq.f32x2",
                               "setp.lt.pred",
                               "shf.b32",
                               "shf.l.b32",
                               "shf.clamp.l.b32",
                               "shf.l.wrap.b64",
                               "shfl.idx.b32",
                               "shfl.sync.b32",
                               "shfl.sync.idx.b64",
                               "shl.u32",
                               "shl.s32",
                               "shr.f32",
                               "sin.approx.f16",
                               "slct",
                               "slct.f32.u32",
                               "slct.ftz.f32.s32",
                               "sqrt.f32",
                               "sqrt.approx.f64",
                               "st.const.b32",
                               "st.global.nc.b32",
                               "st.global.lu.b32",
                               "st.acquire.gpu.b32",
                               "st.shared.v8.b32",
                               "st.global.v2",
                               "sub.b32",
                               "sub.s16x2",
                               "subc.u16",
                               "szext.b32",
                               "testp.f32",
                               "testp.normal.f16",
                               "tanh.f32",
                               "tanh.approx.f64",
                               "trap.uni",
                               "vabsdiff4.u32",
                               "vabsdiff4.u32.u32.u32.max",
                               "vabsdiff4.s8.s8.s8",
                               "vadd2.u32.u32.u32.sat.add",
                               "vavrg.u32.u32.u32",
                               "vmad.u32.u32.u32.shr8",
                               "vset.u32.u32.lo",
                               "vset4.u32.u32.u32.lt",
                               "vshl.u32.u32.s32.clamp",
                               "vshl.u32.u32.u32",
                               "vote.all.pred",
                               "vote.sync.all.b32",
                               "vote.sync.ballot.pred",
                               "xor.s64",
                               "xor.pred.b32"}) {
    EXPECT_FALSE(decode_mnemonic(mnemonic).has_value()) << mnemonic;
  }
}

TEST(mnemonic, what_is_cut_mangled_or_lengthened_is_none) {
  std::set<std::string> known;
  for (const std::string& mnemonic : known_mnemonics()) known.insert(mnemonic);
  std::size_t n_tried = 0;
  for (const std::string& mnemonic : known) {
    for (const std::string& wrong : {mnemonic + ".", mnemonic + ".f31", mnemonic + ".b32.b32.b32",
                                     mnemonic + "x", "." + mnemonic, mnemonic + " ", "x" + mnemonic,
                                     mnemonic + "..rn", mnemonic.substr(0, mnemonic.size() - 1)}) {
      if (known.contains(wrong)) continue;
      ++n_tried;
      EXPECT_FALSE(decode_mnemonic(wrong).has_value()) << wrong;
    }
  }
  EXPECT_GT(n_tried, 10000u);
}

TEST(mnemonic, modifiers_in_another_order_mean_the_same) {
  const std::vector<std::pair<const char*, const char*>> orders = {
      {"add.f32.rn", "add.rn.f32"},
      {"add.ftz.rn.f32", "add.rn.ftz.f32"},
      {"atom.v2.add.f32", "atom.add.v2.f32"},
      {"atom.add.global.u32", "atom.global.add.u32"},
      {"cvt.u32.rzi.f32", "cvt.rzi.u32.f32"},
      {"ld.f32.global", "ld.global.f32"},
      {"ld.v4.global.f32", "ld.global.v4.f32"},
      {"match.sync.any.b32", "match.any.sync.b32"},
      {"max.relu.s32", "max.s32.relu"},
      {"prmt.f4e.b32", "prmt.b32.f4e"},
      {"setp.and.eq.s32", "setp.eq.and.s32"},
  };
  for (const auto& [written, usual] : orders) {
    ASSERT_TRUE(decode_mnemonic(usual)) << usual;
    EXPECT_EQ(decode_mnemonic(written), decode_mnemonic(usual)) << written;
  }
}

TEST(mnemonic, modifiers_for_the_same_field_keep_their_order) {
  EXPECT_NE(decode_mnemonic("cvt.rn.f32.s32"), std::nullopt);
  EXPECT_EQ(decode_mnemonic("cvt.s32.rn.f32"), std::nullopt);
  EXPECT_EQ(decode_mnemonic("cvt.rn.s32.f32"), std::nullopt);
  EXPECT_EQ(decode_mnemonic("cp.async.ca.global.shared"), std::nullopt);
  const GrammarNode grammar = parse_grammar("async (shared global | global local)");
  EXPECT_TRUE(match(grammar, ".shared.async.global", {}, Order::kAny));
  EXPECT_FALSE(match(grammar, ".global.async.shared", {}, Order::kAny));
  EXPECT_FALSE(match(grammar, ".shared.async.global", {}));
}

TEST(mnemonic, an_order_with_several_meanings_is_none) {
  // Both "sync" and "block_sync" are written .sync: only the order tells them apart.
  const GrammarNode grammar = parse_grammar("rn sync | block_sync rn");
  EXPECT_EQ(match(grammar, ".rn.sync", {})->operation.mode, Mode::kNone);
  EXPECT_EQ(match(grammar, ".sync.rn", {})->operation.mode, Mode::kSync);
  EXPECT_FALSE(match(grammar, ".rn.sync", {}, Order::kAny));
}

TEST(mnemonic, last_modifiers_exchanged_mean_the_same_or_nothing) {
  std::size_t n_same = 0;
  for (const std::string& mnemonic : known_mnemonics()) {
    std::vector<std::string> words = words_of(mnemonic);
    if (words.size() < 3) continue;
    std::swap(words[words.size() - 1], words[words.size() - 2]);
    const bool are_types = find_type(words[words.size() - 2]) != Type::kNone;
    if (words.back() == words[words.size() - 2] ||
        (are_types && find_type(words.back()) != Type::kNone))
      continue;
    const auto found = decode_mnemonic(joined(words));
    if (!found) continue;
    ++n_same;
    EXPECT_EQ(found, decode_mnemonic(mnemonic)) << joined(words);
  }
  EXPECT_GT(n_same, 500u);
}

}  // namespace
}  // namespace numpy_plugin::sim
