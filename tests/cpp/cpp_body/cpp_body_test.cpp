// Checks of C++ bodies before any compiler runs: rejected ones with their messages, valid ones, and
// detection of calls and branches.
#include "numpy_plugin/cpp_body/cpp_body.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {
namespace {

using Names = std::vector<std::string>;

TypeSignature types(const std::string& text, const std::optional<CoreSignature>& layout = {}) {
  return parse_type_signatures({text}, layout).front();
}

TypedKernel declare_two_operands(const std::string& body, const Names& outs = {}) {
  const std::string signature = outs.size() == 2 ? "dd->dd" : "dd->d";
  return type_cpp_kernel({"hypot", body, {"x", "y"}, outs}, types(signature), {});
}

// Kind and text of a call's exception; empty where it throws nothing.
template <typename Call>
std::string error_of(base::ErrorKind kind, const Call& call) {
  try {
    call();
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
}

struct BadBody {
  std::string body;
  std::string error;
  Names outs = {};
};

class bad_body_test : public testing::TestWithParam<BadBody> {};

TEST_P(bad_body_test, is_explained) {
  const BadBody& row = GetParam();
  EXPECT_EQ(
      error_of(base::ErrorKind::kCompiler, [&row] { declare_two_operands(row.body, row.outs); }),
      row.error);
}

INSTANTIATE_TEST_SUITE_P(brackets_test, bad_body_test,
                         testing::Values(BadBody{"double s = (x*x + y*y;\nreturn s;",
                                                 "'(' has no ')'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    double s = (x*x + y*y;\n"
                                                 "               ^"},
                                         BadBody{"if (x > y) {\n  return x;\nreturn y;",
                                                 "'{' has no '}'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    if (x > y) {\n"
                                                 "               ^"},
                                         BadBody{"return x; }\nint z = 0;",
                                                 "'}' has no '{'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    return x; }\n"
                                                 "              ^"},
                                         BadBody{"return x; } static int z = 0; {",
                                                 "'}' has no '{'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    return x; } static int z = 0; {\n"
                                                 "              ^"},
                                         BadBody{"double a[2] = {x, y};\nreturn a[0);",
                                                 "'[' has no ']'\n"
                                                 "  File \"<body of 'hypot'>\", line 2\n"
                                                 "    return a[0);\n"
                                                 "            ^"},
                                         BadBody{"return x);",
                                                 "')' has no '('\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    return x);\n"
                                                 "            ^"},
                                         BadBody{"return a]0];",
                                                 "']' has no '['\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    return a]0];\n"
                                                 "            ^"}));

INSTANTIATE_TEST_SUITE_P(comments_and_texts_test, bad_body_test,
                         testing::Values(BadBody{"return x; /* y",
                                                 "'/*' has no closing '*/'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    return x; /* y\n"
                                                 "              ^^"},
                                         BadBody{"const char* s = \"a\\\";\nreturn x;",
                                                 "'\"' has no closing '\"'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    const char* s = \"a\\\";\n"
                                                 "                    ^"},
                                         BadBody{"char c = '(;\nreturn x;",
                                                 "''' has no closing '''\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    char c = '(;\n"
                                                 "             ^"},
                                         BadBody{"auto s = R\"m(a)\";\nreturn x;",
                                                 "'R\"m(' has no closing ')m\"'\n"
                                                 "  File \"<body of 'hypot'>\", line 1\n"
                                                 "    auto s = R\"m(a)\";\n"
                                                 "             ^^^^"}));

INSTANTIATE_TEST_SUITE_P(
    other_languages_test, bad_body_test,
    testing::Values(BadBody{"return x**2 + y**3;",
                            "C++ has no '**'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x**2 + y**3;\n"
                            "            ^^\n"
                            "  hint: x*x, or pow(x, 2)\n"
                            "\n"
                            "C++ has no '**'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x**2 + y**3;\n"
                            "                   ^^\n"
                            "  hint: pow(y, 3)"},
                    BadBody{"return (x + y)**2;",
                            "C++ has no '**'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return (x + y)**2;\n"
                            "                  ^^\n"
                            "  hint: pow(base, exponent)"},
                    BadBody{"return x**f(y);",
                            "C++ has no '**'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x**f(y);\n"
                            "            ^^\n"
                            "  hint: pow(x, exponent)"},
                    BadBody{"double t = x;\nt **= 2;\nreturn t;",
                            "C++ has no '**'\n"
                            "  File \"<body of 'hypot'>\", line 2\n"
                            "    t **= 2;\n"
                            "      ^^\n"
                            "  hint: pow(base, exponent)"},
                    BadBody{"return x // y;",
                            "'//' starts a comment in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x // y;\n"
                            "             ^^\n"
                            "  hint: floor(x / y)"},
                    BadBody{"double q = 2*x // y\n + 1;\nreturn q;",
                            "'//' starts a comment in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    double q = 2*x // y\n"
                            "                   ^^\n"
                            "  hint: floor(a / b)"},
                    BadBody{"return (x // 2) * y;",
                            "'//' starts a comment in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return (x // 2) * y;\n"
                            "              ^^\n"
                            "  hint: floor(a / b)"},
                    BadBody{"return x > 0 ? True : False;",
                            "unknown name 'True'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x > 0 ? True : False;\n"
                            "                   ^^^^\n"
                            "  hint: did you mean 'true'?"},
                    BadBody{"if (x == None) return y;\nreturn x;",
                            "unknown name 'None'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    if (x == None) return y;\n"
                            "             ^^^^"},
                    BadBody{"#include <cmath>\nreturn std::sqrt(x);",
                            "'#include' inside a body\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    #include <cmath>\n"
                            "    ^^^^^^^^^^^^^^^^\n"
                            "  hint: sqrt(x) needs no #include; put other headers into preamble="},
                    BadBody{"%: include <cmath>\nreturn x;",
                            "'#include' inside a body\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    %: include <cmath>\n"
                            "    ^^^^^^^^^^^^^^^^^^\n"
                            "  hint: sqrt(x) needs no #include; put other headers into preamble="},
                    BadBody{"/* a */ # /* b */ include <cmath>\nreturn x;",
                            "'#include' inside a body\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    /* a */ # /* b */ include <cmath>\n"
                            "            ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                            "  hint: sqrt(x) needs no #include; put other headers into preamble="},
                    BadBody{
                        "return x**2;\n  #  include \"a.h\"\n",
                        "C++ has no '**'\n"
                        "  File \"<body of 'hypot'>\", line 1\n"
                        "    return x**2;\n"
                        "            ^^\n"
                        "  hint: x*x, or pow(x, 2)\n"
                        "\n"
                        "'#include' inside a body\n"
                        "  File \"<body of 'hypot'>\", line 2\n"
                        "    #  include \"a.h\"\n"
                        "    ^^^^^^^^^^^^^^^^\n"
                        "  hint: sqrt(x) needs no #include; put other headers into preamble="}));

INSTANTIATE_TEST_SUITE_P(
    habits_test, bad_body_test,
    testing::Values(BadBody{"if x > y:\n    return x\nreturn y",
                            "'(' is missing after 'if'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    if x > y:\n"
                            "    ^^\n"
                            "  hint: if (x > y)"},
                    BadBody{"for i in range(1, 3): q = x;\nreturn y;",
                            "'(' is missing after 'for'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    for i in range(1, 3): q = x;\n"
                            "    ^^^\n"
                            "  hint: for (int i = 1; i < 3; ++i)"},
                    BadBody{"return x if x > y else y;",
                            "'if' inside an expression\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x if x > y else y;\n"
                            "             ^^\n"
                            "  hint: x > y ? x : y"},
                    BadBody{"if (x > 0) return 1;\nelif (y > 0) return 2;\nreturn 3;",
                            "C++ has no 'elif'\n"
                            "  File \"<body of 'hypot'>\", line 2\n"
                            "    elif (y > 0) return 2;\n"
                            "    ^^^^\n"
                            "  hint: else if (...)"},
                    BadBody{"auto g = lambda v, w: v * w;\nreturn g(x, y);",
                            "C++ has no 'lambda'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    auto g = lambda v, w: v * w;\n"
                            "             ^^^^^^\n"
                            "  hint: [](auto v, auto w) { return v * w; }"},
                    BadBody{"# don't\nreturn x;",
                            "'#' does not start a comment in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    # don't\n"
                            "    ^\n"
                            "  hint: // don't"},
                    BadBody{"return x;  # don't",
                            "'#' does not start a comment in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x;  # don't\n"
                            "               ^\n"
                            "  hint: //"},
                    BadBody{"return 2x;",
                            "'2x' is not a valid C++ number\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return 2x;\n"
                            "           ^^\n"
                            "  hint: 2 * x"},
                    BadBody{"return 1f;",
                            "'1f' is not a valid C++ number\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return 1f;\n"
                            "           ^^\n"
                            "  hint: 1.0f"},
                    BadBody{"return 09;",
                            "'09' is not a valid C++ number\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return 09;\n"
                            "           ^^\n"
                            "  hint: 9"},
                    BadBody{"return 1_000;",
                            "'1_000' is not a valid C++ number\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return 1_000;\n"
                            "           ^^^^^\n"
                            "  hint: 1000"},
                    BadBody{"return 1.0.0;",
                            "'1.0.0' is not a valid C++ number\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return 1.0.0;\n"
                            "           ^^^^^"},
                    BadBody{"return x \u2212 y;",
                            "'\u2212' has no meaning in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x \u2212 y;\n"
                            "             ^\n"
                            "  hint: write -"},
                    BadBody{"return x\u00a0+ y;",
                            "a no-break space has no meaning in C++\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    return x\u00a0+ y;\n"
                            "            ^\n"
                            "  hint: write a plain space"},
                    BadBody{"if (x < 0) throw 1;\nreturn x;",
                            "'throw' cannot be used in C++ here\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    if (x < 0) throw 1;\n"
                            "               ^^^^^\n"
                            "  hint: return NAN; 'raise' and 'assert' are for Python kernels"},
                    BadBody{"for (int i = 0, i < 3, ++i) {}\nreturn x;",
                            "two ';' are missing in this 'for'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    for (int i = 0, i < 3, ++i) {}\n"
                            "    ^^^\n"
                            "  hint: for (int i = 0; i < n; ++i)"},
                    BadBody{"#line 7\nreturn x;",
                            "'#line' cannot be used here\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    #line 7\n"
                            "    ^^^^^\n"
                            "  hint: leave it out"},
                    BadBody{"#if 1\nreturn x;",
                            "'#if' has no '#endif'\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    #if 1\n"
                            "    ^^^"},
                    BadBody{"return x;\n#endif",
                            "'#endif' has no '#if'\n"
                            "  File \"<body of 'hypot'>\", line 2\n"
                            "    #endif\n"
                            "    ^^^^^^"},
                    BadBody{"x + y",
                            "the body returns nothing\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    x + y\n"
                            "    ^^^^^\n"
                            "  hint: return x + y;"}));

INSTANTIATE_TEST_SUITE_P(
    results_test, bad_body_test,
    testing::Values(BadBody{"q = floor(x / y);",
                            "'r' is never assigned\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    q = floor(x / y);\n"
                            "    ^^^^^^^^^^^^^^^^^\n"
                            "  hint: r = ...;",
                            {"q", "r"}},
                    BadBody{"\n  q = r + (r == x);\n  // r = 2;\n",
                            "'r' is never assigned\n"
                            "  File \"<body of 'hypot'>\", line 2\n"
                            "    q = r + (r == x);\n"
                            "    ^^^^^^^^^^^^^^^^^\n"
                            "  hint: r = ...;",
                            {"q", "r"}},
                    BadBody{"double s = x;\ns += y;",
                            "the body returns nothing\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    double s = x;\n"
                            "    ^^^^^^^^^^^^^\n"
                            "    ...\n"
                            "  hint: add a 'return', or name the result with outs="},
                    BadBody{" // return x;\n",
                            "the body is empty\n"
                            "  File \"<body of 'hypot'>\", line 1\n"
                            "    // return x;\n"
                            "    ^^^^^^^^^^^^\n"
                            "    ...\n"
                            "  hint: return ...;"}));

class good_body_test : public testing::TestWithParam<std::string> {};

TEST_P(good_body_test, is_taken_as_it_is) {
  const TypedKernel kernel = declare_two_operands(GetParam());
  EXPECT_EQ(std::get<CppKernel>(kernel.body).body, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    cpp_body_test, good_body_test,
    testing::Values("return sqrt(x*x + y*y);",
                    "double s = x*x   // the square\n  + y*y;\nreturn s;",
                    "double s = x*x  // x squared;\n  + y*y;\nreturn s;",
                    "double s = x*x  // don't stop; go on\n  + y*y;\nreturn s;", "return x; // y;",
                    "if (x > y)  // y;\n  return x;\nreturn y;", "return max(x,  // y;\n  y);",
                    "/* ) ] } ** True #include */ return x;",
                    "// unmatched ( and x**2 \\\n and ) more {\nreturn x;",
                    "const char* s = \")} \\\" **\"; char c = '{', d = '\\''; return x;",
                    "const char* s = R\"m()\" { x**2 )m\"; return x;",
                    "int n = 1'000'000; return x * n;", "double **p = nullptr; return p ? **p : x;",
                    "return x * *(&y);", "struct Pair { double None; } p{x}; return p.None;",
                    "#pragma unroll\nfor (int i = 0; i < 2; ++i) x_t t = x;\nreturn y;",
                    "#define GIVE return\nGIVE x;",
                    "auto f = [&](double a) { return a; };\r\nreturn f(x);\r\n",
                    "return x and not y;", "return 0x1p-3 * x + 1e-5f + .5;",
                    "double lambda = x; return x > y ? lambda : y;", "return 0b101 + 017 + 0ull;",
                    "#if 0\nif x: don't 2x\n#endif\nreturn x;",
                    "#ifdef A\nif (x > y) {\n#else\n{\n#endif\n} return x;",
                    "return 1'000.5e3L + 1.f + 2.5_km + 0xFFu;", "if constexpr (1 < 2) return x;"));

TEST(preamble_test, is_checked_as_a_body_is) {
  EXPECT_EQ(error_of(base::ErrorKind::kCompiler,
                     [] { check_preamble("f", "#include <cmath>\nint g() {\n  return 1;\n"); }),
            "'{' has no '}'\n"
            "  File \"<preamble of 'f'>\", line 2\n"
            "    int g() {\n"
            "            ^");
  EXPECT_NO_THROW(check_preamble("f", "#include <cmath>\nint g() { return 1; }\n"));
}

class assigned_test : public testing::TestWithParam<std::string> {};

TEST_P(assigned_test, is_seen) {
  EXPECT_NO_THROW(declare_two_operands("q = x; " + GetParam(), {"q", "r"}));
}

INSTANTIATE_TEST_SUITE_P(cpp_body_test, assigned_test,
                         testing::Values("r = y;", "r += y;", "r >>= 2;", "++r;", "r--;",
                                         "r[0] = y;", "r[i[0]].real = y;", "sincos(x, &q, &r);",
                                         "split(x, q, r);", "split(r);"));

TEST(cpp_body_test, binds_a_body_to_its_signature) {
  const TypedKernel kernel = declare_two_operands("q = x; r = y;", {"q", "r"});
  EXPECT_EQ(kernel.name, "hypot");
  EXPECT_EQ(kernel.signature.numpy_types(), "dd->dd");
  EXPECT_FALSE(kernel.layout.has_value());
  const auto& body = std::get<CppKernel>(kernel.body);
  EXPECT_EQ(body.input_names, (Names{"x", "y"}));
  EXPECT_EQ(body.output_names, (Names{"q", "r"}));
  EXPECT_FALSE(body.calls_functions);
  EXPECT_FALSE(body.has_control_flow);
}

TEST(cpp_body_test, takes_a_generalized_body_that_writes_its_outputs_as_arrays) {
  const CoreSignature layout = parse_core_signature("(n)->()");
  const TypeSignature signature = types("d->d", layout);
  const TypedKernel kernel =
      type_cpp_kernel({"f", "store(out, a(0));", {"a"}, {"out"}}, signature, layout);
  EXPECT_EQ(kernel.layout->text, "(n)->()");
  EXPECT_EQ(
      error_of(base::ErrorKind::kCompiler,
               [&] {
                 type_cpp_kernel({"f", "double s = a[0];", {"a"}, {"out"}}, signature, layout);
               }),
      "'out' is never assigned\n"
      "  File \"<body of 'f'>\", line 1\n"
      "    double s = a[0];\n"
      "    ^^^^^^^^^^^^^^^^\n"
      "  hint: out(...) = ...;");
  EXPECT_EQ(error_of(base::ErrorKind::kSignature,
                     [&] {
                       type_cpp_kernel({"f", "return a[0];", {"a"}, {}}, signature, layout);
                     }),
            "1 result needs a name\n"
            "  hint: outs=\"out\"");
}

struct NamesCase {
  std::string signature;
  Names args;
  Names outs;
  std::string error;
};

class names_test : public testing::TestWithParam<NamesCase> {};

TEST_P(names_test, are_checked) {
  const NamesCase& row = GetParam();
  EXPECT_EQ(
      error_of(base::ErrorKind::kSignature,
               [&row] {
                 type_cpp_kernel({"f", "q = x;", row.args, row.outs}, types(row.signature), {});
               }),
      row.error);
}

INSTANTIATE_TEST_SUITE_P(
    cpp_body_test, names_test,
    testing::Values(NamesCase{"dd->d",
                              {"x"},
                              {},
                              "args names 1 operand, the signature has 2\n"
                              "  args: x\n"
                              "        ^"},
                    NamesCase{"dd->d", {}, {}, "2 operands need names\n  hint: args=\"x, y\""},
                    NamesCase{"d->dd",
                              {"x"},
                              {},
                              "2 results need names\n"
                              "  hint: outs=\"q, r\""},
                    NamesCase{"d->dddd",
                              {"x"},
                              {},
                              "4 results need names\n"
                              "  hint: outs=\"out1, out2, out3, out4\""},
                    NamesCase{"d->dd",
                              {"x"},
                              {"q"},
                              "outs names 1 result, the signature has 2\n"
                              "  outs: q\n"
                              "        ^"},
                    NamesCase{"dd->d",
                              {"x", "2x"},
                              {},
                              "'2x' is not a valid C++ name\n"
                              "  args: x, 2x\n"
                              "           ^^"},
                    NamesCase{"dd->d",
                              {"é", "x"},
                              {},
                              "'é' is not a valid C++ name\n"
                              "  args: é, x\n"
                              "        ^"},
                    NamesCase{"dd->d",
                              {"x", "double"},
                              {},
                              "'double' is a C++ keyword\n"
                              "  args: x, double\n"
                              "           ^^^^^^"},
                    NamesCase{"dd->d",
                              {"x", "npp"},
                              {},
                              "'npp' is a reserved name\n"
                              "  args: x, npp\n"
                              "           ^^^"},
                    NamesCase{"d->d",
                              {"__x"},
                              {},
                              "'__x' is a reserved name\n"
                              "  args: __x\n"
                              "        ^^^"},
                    NamesCase{"dd->d",
                              {"x", "x"},
                              {},
                              "'x' is duplicated\n"
                              "  args: x, x\n"
                              "           ^"},
                    NamesCase{"d->dd",
                              {"x"},
                              {"q", "x"},
                              "'x' is duplicated\n"
                              "  outs: q, x\n"
                              "           ^"},
                    NamesCase{"dd->d",
                              {"x", ""},
                              {},
                              "a name is missing\n"
                              "  args: x, \n"
                              "           ^"}));

TEST(cpp_body_test, tells_what_calls_functions) {
  for (const char* body : {"return x + y;", "return sqrt(x*x + y*y);", "return std::max(x, y);",
                           "return double(x) / T(y) + x_t(1);", "return (x + y) * (x - y);",
                           "return static_cast<double>(x); // exp(x)", "return fabs(x);"}) {
    EXPECT_FALSE(calls_functions(body)) << body;
  }
  for (const char* body :
       {"return exp(x);", "return sqrt(pow(x, 2));", "return f<double>(x);", "return x > (y);",
        "return fs[0](x);", "#define E exp\nreturn x;", "return [](double a) { return a; }(x);"}) {
    EXPECT_TRUE(calls_functions(body)) << body;
  }
}

TEST(cpp_body_test, tells_what_branches) {
  for (const char* body : {"return x > y;", "return max(x, y); // if", "return x & y | 1;",
                           "const char* s = \"if\"; return x;", "double iffy = x; return iffy;"}) {
    EXPECT_FALSE(has_control_flow(body)) << body;
  }
  for (const char* body :
       {"return x > y ? x : y;", "if (x > y) return x; return y;", "return x > 0 && y > 0;",
        "return x > 0 or y > 0;", "while (x > 1) break; return x;",
        "for (int i = 0; i < 3; ++i) ; return x;", "#define Q ?\nreturn x;"}) {
    EXPECT_TRUE(has_control_flow(body)) << body;
  }
}

}  // namespace
}  // namespace numpy_plugin::declare
