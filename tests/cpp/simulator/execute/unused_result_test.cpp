// `_` as a result: every instruction of the tables refuses it by a sentence or runs with it. Which
// ones take it is CUDA's assembler's.
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/execute/environment.hpp"
#include "simulator/handlers/mnemonics.hpp"

namespace numpy_plugin::sim {
namespace {

using Words = std::set<std::string>;

std::string register_of(Type type) {
  switch (size_bytes(type)) {
    case 0:
      return "%p1";
    case 2:
      return "%rs1";
    case 8:
      return "%rd4";
    case 16:
      return "%rq1";
    default:
      return "%r1";
  }
}

std::string vector_of(const std::string& element, int n_elements) {
  if (n_elements == 1) return element;
  std::string text = "{" + element;
  for (int index = 1; index < n_elements; ++index) text += ", " + element;
  return text + "}";
}

std::string result_text(const OperandRule& rule, const Operation& operation) {
  if (rule.letter == 'P') return "%p1";
  return rule.letter == 'U' ? "%r1" : register_of(operation.type);
}

// Sources of the instructions that take `_`; for others only their number matters.
std::string source_text(const OperandRule& rule, const Mnemonic& mnemonic) {
  const Operation& operation = mnemonic.operation;
  const bool is_atom = operation.opcode == Opcode::kAtom;
  switch (rule.letter) {
    case 'A':
      if (operation.space == Space::kShared) return is_atom ? "[data]" : "[meeting]";
      return is_atom ? "[%rd1]" : "[%rd2]";
    case 'U':
      return mnemonic.form->flow == Flow::kWarpSync ? "-1" : "1";
    case 'N':
      return "128";
    case 'P':
      return "%p2";
    case 'V':
      return vector_of(register_of(operation.type), operation.n_elements);
    case 'H':
      return "%rd4";
    default:
      return register_of(operation.type);
  }
}

// Instructions of the tables with this result; the first word of each that takes it.
class UnusedResultTest : public ExecuteTest {
 protected:
  struct Named {
    std::string text;
    Mnemonic mnemonic;
  };

  // One for all that differ in words that do not matter to operands.
  static const std::vector<Named>& mnemonics() {
    static const std::vector<Named> all = [] {
      std::vector<Named> found;
      std::set<std::tuple<const Form*, Type, int, Space, bool>> known;
      for (const Flow flow : {Flow::kNext, Flow::kWarpSync, Flow::kBarrier}) {
        for (const std::string& text : possible_mnemonics(flow)) {
          const Mnemonic mnemonic = *find_mnemonic(text);
          const Form& form = *mnemonic.form;
          const Operation& operation = mnemonic.operation;
          if (form.has_own_rules || form.results.empty()) continue;
          const bool is_new = known
                                  .emplace(&form, operation.type, operation.n_elements,
                                           operation.space, operation.has_policy)
                                  .second;
          if (is_new) found.push_back({text, mnemonic});
        }
      }
      return found;
    }();
    return all;
  }

  static std::string statement(const std::string& text, const Mnemonic& mnemonic,
                               const std::string& result) {
    std::string operands = result;
    for (const OperandRule& rule : mnemonic.form->sources) {
      if (rule.letter != 'H' || mnemonic.operation.has_policy)
        operands += ", " + source_text(rule, mnemonic);
    }
    return text + " " + operands + ";";
  }

  // Runs it, or returns the decoder's message.
  std::string message_of(const std::string& statement) {
    try {
      load(R"(.visible .entry k(.param .u64 p) {
  .reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .b128 %rq<2>;
  .shared .align 8 .b64 meeting; .shared .align 16 .b8 data[256];
  ld.param.u64 %rd1, [p]; mov.u64 %rd2, meeting; cvta.shared.u64 %rd2, %rd2;
  mov.u32 %r2, %tid.x; setp.eq.u32 %p0, %r2, 0; mov.b32 %r1, 0; mov.b64 %rd4, 0;
  @%p0 mbarrier.init.shared.b64 [meeting], 1000;
  @%p0 st.shared.v4.b32 [data], {%r1, %r1, %r1, %r1}; bar.sync 0;
  mov.b128 %rq1, {%rd4, %rd4};
  mov.b16 %rs1, 0; setp.eq.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r1, 0;
)" + statement +
           " ret; }");
    } catch (const PtxError& error) {
      return error.what();
    }
    run({1, 1, 1}, {32, 1, 1}, buffer_);
    return "";
  }

  Words words_that_take(const std::string& result, bool is_pair) {
    Words found;
    for (const auto& [text, mnemonic] : mnemonics()) {
      const OperandRule& rule = mnemonic.form->results[0];
      if (is_pair && rule.second == 0) continue;
      std::string operands = result;
      if (const std::size_t at = operands.find('d'); at != std::string::npos)
        operands.replace(at, 1, result_text(rule, mnemonic.operation));
      const std::string message = message_of(statement(text, mnemonic, operands));
      if (message.empty())
        found.insert(text.substr(0, text.find('.', text.find("match.") == 0 ? 6 : 0)));
      else
        EXPECT_NE(message.find("'_' is no value; expected "), std::string::npos) << message;
    }
    return found;
  }

 private:
  std::uint64_t buffer_ = buffer(std::vector<std::uint32_t>(64));
};

TEST_F(UnusedResultTest, AloneOnlySomeInstructionsTakeIt) {
  EXPECT_EQ(words_that_take("_", false), (Words{"atom", "lop3", "match.all", "mbarrier", "setp"}));
}

TEST_F(UnusedResultTest, FirstOfAPair) {
  EXPECT_EQ(words_that_take("_|%p3", true), (Words{"elect", "lop3", "match.all", "setp"}));
}

TEST_F(UnusedResultTest, SecondOfAPair) {
  EXPECT_EQ(words_that_take("d|_", true), (Words{"match.all", "setp", "shfl"}));
}

TEST_F(UnusedResultTest, BothOfAPairAreRefused) {
  EXPECT_EQ(words_that_take("_|_", true), Words{});
}

// Some elements of a vector of results.
TEST_F(UnusedResultTest, ElementsOfVectors) {
  load(R"(.visible .entry k(.param .u64 p) {
  .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b128 %q<2>;
  ld.param.u64 %rd1, [p];
  ld.global.v4.u32 {_, %r1, _, %r2}, [%rd1];
  mov.b32 {%h1, _}, %r1;
  cvt.u32.u16 %r3, %h1;
  mov.v2.u32 {_, %r4}, {%r1, %r2};
  mov.v2.u32 {%r5, _}, {%r3, %r2};
  mov.b64 %rd2, 5; mov.b64 %rd3, 6; mov.b128 %q1, {%rd2, %rd3}; mov.b128 {_, %rd4}, %q1;
  cvt.u32.u64 %r6, %rd4;
  st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6}; ret; })");
  const auto data = buffer(std::vector<std::uint32_t>{1, 0x50002, 3, 4});
  run({1, 1, 1}, {1, 1, 1}, data);
  EXPECT_EQ(read<std::uint32_t>(data, 4), (std::vector<std::uint32_t>{2, 4, 2, 6}));
}

TEST_F(UnusedResultTest, AVectorOfNothingIsRefused) {
  for (const char* text : {"ld.global.v2.u32 {_, _}, [%rd1];", "mov.b32 {_, _}, %r1;",
                           "mov.v2.u32 {_, _}, {%r1, %r1};"}) {
    EXPECT_NE(message_of(text).find("is a vector; expected a register in it"), std::string::npos)
        << text;
  }
  EXPECT_NE(message_of("mov.b32 _, %r1;").find("'_' is no value; expected a register of 32 bits"),
            std::string::npos);
  EXPECT_NE(message_of("st.global.v2.u32 [%rd1], {%r1, _};").find("'_' is no value; expected"),
            std::string::npos);
}

}  // namespace
}  // namespace numpy_plugin::sim
