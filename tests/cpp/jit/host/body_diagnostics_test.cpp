// Mistakes in C++ bodies, detected by every compiler of this machine and reported identically.
#include "numpy_plugin/explain/body_diagnostics.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"
#include "jit/nvrtc/nvrtc_environment.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

namespace numpy_plugin::jit {
namespace {

struct Mistake {
  const char* name;
  const char* body;
  const char* text;  // the complete message
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.name; }

const Mistake kMistakes[] = {
    {"missing_semicolon", "double s = x*x + y*y\nreturn sqrt(s);",
     "';' is missing after this\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    double s = x*x + y*y\n"
     "                     ^^^"},
    {"missing_semicolon_before_a_comment", "double s = x*y  // area\nreturn s;",
     "';' is missing after this\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    double s = x*y  // area\n"
     "               ^^^"},
    {"missing_semicolon_at_the_end", "return x",
     "';' is missing after this\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return x\n"
     "           ^"},
    {"unknown_name", "double s = x*x + yy*y;\nreturn sqrt(s);",
     "unknown name 'yy'\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    double s = x*x + yy*y;\n"
     "                     ^^\n"
     "  hint: did you mean 'y'?"},
    {"unknown_variable_of_the_body", "double total = x;\nreturn totl + y;",
     "unknown name 'totl'\n"
     "  File \"<body of 'hypot'>\", line 2\n"
     "    return totl + y;\n"
     "           ^^^^\n"
     "  hint: did you mean 'total'?"},
    {"unknown_function", "return sqroot(x*x + y*y);",
     "unknown function 'sqroot'\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return sqroot(x*x + y*y);\n"
     "           ^^^^^^\n"
     "  hint: did you mean 'sqrt'?"},
    {"standard_namespace", "return std::sort(x);",
     "unknown name 'std::sort'\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return std::sort(x);\n"
     "           ^^^^^^^^^\n"
     "  hint: only the <cmath> functions of std are available"},
    {"wrong_number_of_arguments", "return atan2(x);",
     "no 'atan2' takes (double)\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return atan2(x);\n"
     "           ^^^^^\n"
     "  hint: atan2(y, x)"},
    {"missing_return", "if (x > y) return x;",
     "no value is returned on some paths\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    if (x > y) return x;\n"
     "    ^^^^^^^^^^^^^^^^^^^^\n"
     "  hint: add a 'return' at the end"},
    {"remainder_of_floats", "return x % y;",
     "'%' needs integers in C++, x is double\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return x % y;\n"
     "           ^^^^^\n"
     "  hint: fmod(x, y)"},
    {"remainder_of_brackets", "return (x + 1) % 2;",
     "'%' needs integers in C++\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return (x + 1) % 2;\n"
     "           ^^^^^^^^^^^\n"
     "  hint: fmod((x + 1), 2)"},
    {"power_operator", "return x ^ 2;",
     "'^' needs integers in C++ and is not a power operator\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return x ^ 2;\n"
     "           ^^^^^\n"
     "  hint: pow(x, 2)"},
    {"shift_of_a_float", "int n = 2;\nreturn n << x;",
     "'<<' needs integers in C++, x is double\n"
     "  File \"<body of 'hypot'>\", line 2\n"
     "    return n << x;\n"
     "           ^^^^^^"},
    {"python_s_true", "return x > 0 ? True : False;",
     "unknown name 'True'\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return x > 0 ? True : False;\n"
     "                   ^^^^\n"
     "  hint: did you mean 'true'?\n"
     "\n"
     "unknown name 'False'\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return x > 0 ? True : False;\n"
     "                          ^^^^^\n"
     "  hint: did you mean 'false'?"},
    {"assigned_operand", "x = x * 2;\nreturn x;",
     "'x' is an operand and cannot be assigned\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    x = x * 2;\n"
     "    ^\n"
     "  hint: double t = x * 2;"},
    {"operand_changed_in_place", "x *= 2 + y;\nreturn x;",
     "'x' is an operand and cannot be assigned\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    x *= 2 + y;\n"
     "    ^\n"
     "  hint: double t = x * (2 + y);"},
    {"text_returned", "return \"a\";",
     "a string returned, double declared\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    return \"a\";\n"
     "           ^^^"},
    {"tab_and_wide_characters_before_the_place", "\tint k = 1; /* \u65e5\u672c */ return zzz + k;",
     "unknown name 'zzz'\n"
     "  File \"<body of 'hypot'>\", line 1\n"
     "    int k = 1; /* \u65e5\u672c */ return zzz + k;\n"
     "                                 ^^^"},
};

// The text of a failed compilation's error.
std::string text_of_error(const std::function<void()>& compile) {
  try {
    compile();
  } catch (const explain::CompileError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
    EXPECT_FALSE(error.log().empty());
    return error.what();
  }
  return "it compiled";
}

class BodyMistake : public HostEnvironment, public testing::WithParamInterface<Mistake> {
 protected:
  void expect_text_with(const char* compiler) {
    if (!find_program(compiler)) GTEST_SKIP() << "no " << compiler << " in PATH";
    set("NUMPY_PLUGIN_CXX", compiler);
    const emit::Source source = body_source(GetParam().body, emit::Target::kCpu);
    EXPECT_EQ(text_of_error([&] { compile_for_host(source, {}); }), GetParam().text);
  }
};

TEST_P(BodyMistake, reads_the_same_from_gcc) { expect_text_with("g++"); }

TEST_P(BodyMistake, reads_the_same_from_clang) { expect_text_with("clang++"); }

TEST_P(BodyMistake, reads_the_same_from_nvrtc) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
  const emit::Source source = body_source(GetParam().body, emit::Target::kCuda);
  EXPECT_EQ(text_of_error([&] { compile_to_ptx(source, {}); }), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(All, BodyMistake, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return std::string(test.param.name); });

class BodyDiagnosticsTest : public HostEnvironment {};

TEST_F(BodyDiagnosticsTest, same_mistake_in_two_signatures_is_told_once) {
  emit::Source source = body_source("return sqroot(x);", emit::Target::kCpu);
  const std::string marker = "#line 1 \"<body of 'hypot'>\"\nreturn sqroot(x);\n";
  source.text +=
      "static float second(const float x) {\n" + marker + "#line 1 \"npp-generated\"\n}\n";
  const std::string text = text_of_error([&] { compile_for_host(source, {}); });
  EXPECT_EQ(text.find("sqroot"), text.find("unknown function 'sqroot'") + 18);
  EXPECT_EQ(text.find("\n\n"), std::string::npos) << text;
}

TEST_F(BodyDiagnosticsTest, error_in_a_template_is_placed_where_the_body_uses_it) {
  for (const char* compiler : {"g++", "clang++"}) {
    if (!find_program(compiler)) continue;
    set("NUMPY_PLUGIN_CXX", compiler);
    const emit::Source source = body_source("return y +\n  twice(x);", emit::Target::kCpu);
    const std::string text = text_of_error([&] { compile_for_host(source, {}); });
    EXPECT_NE(text.find("line 2\n    twice(x);\n"), std::string::npos) << compiler << '\n' << text;
    EXPECT_EQ(text.find("npp::"), std::string::npos) << text;
  }
}

TEST_F(BodyDiagnosticsTest, unknown_message_keeps_its_compiler_s_words) {
  const emit::Source source = body_source("int n = 3; n(2); return x;", emit::Target::kCpu);
  const std::string text = text_of_error([&] { compile_for_host(source, {}); });
  EXPECT_NE(text.find("function"), std::string::npos) << text;
  EXPECT_NE(text.find("    int n = 3; n(2); return x;\n"), std::string::npos) << text;
}

emit::Source with_preamble(const std::string& preamble, emit::Target target) {
  emit::Source source = body_source("return helper(x);", target);
  const std::size_t kernels = source.text.find("namespace {");
  source.text.insert(kernels, "#line 1 \"<preamble of 'hypot'>\"\n" + preamble +
                                  "\n#line 1 \"npp-generated\"\n\n");
  return source;
}

TEST_F(BodyDiagnosticsTest, mistake_in_a_preamble_is_placed_there) {
  const std::string preamble = "static double helper(double x) {\n  return x + step;\n}";
  const std::string expected =
      "unknown name 'step'\n"
      "  File \"<preamble of 'hypot'>\", line 2\n"
      "    return x + step;\n"
      "               ^^^^";
  const emit::Source host = with_preamble(preamble, emit::Target::kCpu);
  EXPECT_EQ(text_of_error([&] { compile_for_host(host, {}); }), expected);
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
  const emit::Source device = with_preamble(preamble, emit::Target::kCuda);
  EXPECT_EQ(text_of_error([&] { compile_to_ptx(device, {}); }), expected);
}

TEST_F(BodyDiagnosticsTest, preamble_without_its_last_semicolon_is_told_from_a_body_without) {
  const std::string preamble = "static double helper(double x) { return x; }\nint n = 1";
  const std::string expected =
      "';' is missing after this\n"
      "  File \"<preamble of 'hypot'>\", line 2\n"
      "    int n = 1\n"
      "            ^";
  for (const char* compiler : {"g++", "clang++"}) {
    if (!find_program(compiler)) continue;
    set("NUMPY_PLUGIN_CXX", compiler);
    const emit::Source host = with_preamble(preamble, emit::Target::kCpu);
    EXPECT_EQ(text_of_error([&] { compile_for_host(host, {}); }), expected) << compiler;
  }
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
  const emit::Source device = with_preamble(preamble, emit::Target::kCuda);
  EXPECT_EQ(text_of_error([&] { compile_to_ptx(device, {}); }), expected);
}

TEST(CompilerLogTest, reads_gcc_s_lines) {
  const auto messages = explain::parse_compiler_log(
      "<body of 'f'>: In static member function 'x':\n"
      "/tmp/a:b.hpp:12:7:   required from here\n"
      "<body of 'f'>:3:14: error: no matching function for call to 'g(int)'\n"
      "a.hpp:4:95: note: candidate: 'double g()'\n"
      "a.hpp:1:1: warning: unused\n"
      "cc1plus: some warnings being treated as errors\n",
      explain::LogForm::kGnu);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].file, "<body of 'f'>");
  EXPECT_EQ(messages[0].line, 3);
  EXPECT_EQ(messages[0].column, 13);
  EXPECT_EQ(messages[0].text, "no matching function for call to 'g(int)'");
  ASSERT_EQ(messages[0].notes.size(), 2u);
  EXPECT_EQ(messages[0].notes[0].file, "/tmp/a:b.hpp");
  EXPECT_EQ(messages[0].notes[1].text, "candidate: 'double g()'");
  EXPECT_EQ(messages[1].severity, explain::CompilerMessage::Severity::kWarning);
}

TEST(CompilerLogTest, reads_nvrtc_s_columns_from_the_caret) {
  const auto messages = explain::parse_compiler_log(
      "<body of 'f'>(1): error: no instance of overloaded function \"g\" matches\n"
      "            argument types are: (const double)\n"
      "  return g(x);\n"
      "         ^\n"
      "a.hpp(4): note #3322-D: number of parameters does not match\n"
      "  double g();\n"
      "         ^\n"
      "\n"
      "a.hpp(2): error: bad\n"
      "          detected during instantiation of \"T h(T)\" at line 7 of <body of 'f'>\n"
      "\n"
      "2 errors detected in the compilation of \"npp-generated\".\n",
      explain::LogForm::kNvrtc);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].column, 7);
  ASSERT_EQ(messages[0].notes.size(), 2u);
  EXPECT_EQ(messages[0].notes[0].text, "argument types are: (const double)");
  ASSERT_EQ(messages[1].notes.size(), 1u);
  EXPECT_EQ(messages[1].notes[0].file, "<body of 'f'>");
  EXPECT_EQ(messages[1].notes[0].line, 7);
}

TEST(CompilerLogTest, nonsense_has_no_messages) {
  for (const explain::LogForm form : {explain::LogForm::kGnu, explain::LogForm::kNvrtc}) {
    for (const char* log :
         {"", "\n\n", ": error: ", "): error: ", "x(: error: y", "a:b:c: error: z",
          "(9999999999999999): error: far", "   ^\n", "): error #", "f(1): error #"}) {
      for (const explain::CompilerMessage& message : explain::parse_compiler_log(log, form)) {
        EXPECT_LE(message.line, 1) << log;
      }
    }
  }
}

TEST(CompilerLogTest, very_long_line_is_read) {
  const std::string log = "f:1:1: error: " + std::string(1000000, 'x') + "\n";
  const auto messages = explain::parse_compiler_log(log, explain::LogForm::kGnu);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_LT(explain::plain_message(messages[0].text).size(), 5000u);
}

TEST(CompilerLogTest, messages_lose_names_of_ours) {
  EXPECT_EQ(explain::plain_message("no type 'npp::Kernel0::x_t' {aka 'const float'} [-Wfoo]"),
            "no type 'float'");
  EXPECT_EQ(explain::plain_message("no type 'T' (aka 'const double')"), "no type 'double'");
  EXPECT_EQ(explain::plain_message("\"npp::cmath::sqrt\" of '{anonymous}::Kernel12::call'"),
            "'sqrt' of 'call'");
}

}  // namespace
}  // namespace numpy_plugin::jit
