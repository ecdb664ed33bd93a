// Type signatures: every spelling, every mistake with its complete message, the order of loops.
#include "numpy_plugin/signature/signature.hpp"

#include <gtest/gtest.h>

#include <string>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Texts = std::vector<std::string>;

constexpr OperandCounts kTwoInputs{2, 1};

std::optional<CoreSignature> layout_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_core_signature(text);
}

// The message of the error for signatures; empty where they are valid.
std::string error_of_signatures(const Texts& texts, const std::string& layout = "",
                                const std::optional<OperandCounts>& counts = {}) {
  try {
    parse_type_signatures(texts, layout_of(layout), counts);
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kSignature);
    return error.what();
  }
}

struct GoodSignature {
  std::string text;
  std::string meaning;  // TypeSignature::text()
  std::string numpy_types;
  std::string layout = "";
};

class spelling_test : public testing::TestWithParam<GoodSignature> {};

TEST_P(spelling_test, is_understood) {
  const GoodSignature& row = GetParam();
  const auto signatures = parse_type_signatures({row.text}, layout_of(row.layout), kTwoInputs);
  ASSERT_EQ(signatures.size(), 1u);
  EXPECT_EQ(signatures[0].text(), row.meaning);
  EXPECT_EQ(signatures[0].numpy_types(), row.numpy_types);
}

INSTANTIATE_TEST_SUITE_P(
    signature_test, spelling_test,
    testing::Values(
        GoodSignature{"float32(float32, float32)", "float32(float32, float32)", "ff->f"},
        GoodSignature{"float32(float32,float32)", "float32(float32, float32)", "ff->f"},
        GoodSignature{" float32 ( float32\t,\nfloat32 ) ", "float32(float32, float32)", "ff->f"},
        GoodSignature{"datetime64[s](datetime64[15m], float64)",
                      "datetime64[s](datetime64[15m], float64)", "Md->M"},
        GoodSignature{"m8(M8, M8[D])", "timedelta64(datetime64, datetime64[D])", "MM->m"},
        GoodSignature{"Mm->M", "datetime64(datetime64, timedelta64)", "Mm->M"},
        GoodSignature{"void(M8[D][:], m8[:])", "void(datetime64[D][:], timedelta64[:])", "M->m",
                      "(n)->(n)"},
        GoodSignature{"float64, float64(float64)", "float64, float64(float64)", "d->dd"},
        GoodSignature{"(float64, int32)(float64)", "float64, int32(float64)", "d->di"},
        GoodSignature{"(float64)(float64)", "float64(float64)", "d->d"},
        GoodSignature{"ff->f", "float32(float32, float32)", "ff->f"},
        GoodSignature{" d d -> d d ", "float64, float64(float64, float64)", "dd->dd"},
        GoodSignature{"?->?", "bool(bool)", "?->?"},
        GoodSignature{"bBhHiIlLqQpP->eE",
                      "float16, bfloat16(int8, uint8, int16, uint16, int32, uint32, "
                      "int64, uint64, int64, uint64, int64, uint64)",
                      "bBhHiIlLlLlL->eE"},
        GoodSignature{"FD->D", "complex128(complex64, complex128)", "FD->D"},
        GoodSignature{"float32", "float32(float32, float32)", "ff->f"},
        GoodSignature{" f8 ", "float64(float64, float64)", "dd->d"},
        GoodSignature{"i4(intc, i8, intp)", "int32(int32, int64, int64)", "ill->i"},
        GoodSignature{"b1(boolean, bool_, bool)", "bool(bool, bool, bool)",
                      "??"
                      "?->?"},
        GoodSignature{"c8(complex64, c16)", "complex64(complex64, complex128)", "FD->F"},
        GoodSignature{"bfloat16(float16, bfloat16)", "bfloat16(float16, bfloat16)", "eE->E"},
        GoodSignature{"(float32, int64)", "void(float32, int64)", "fl->"},
        GoodSignature{"float32, int64", "void(float32, int64)", "fl->"},
        GoodSignature{"(float32,)", "void(float32)", "f->"},
        GoodSignature{" int64 , ", "void(int64)", "l->"}));

INSTANTIATE_TEST_SUITE_P(
    signature_with_layout_test, spelling_test,
    testing::Values(
        GoodSignature{"void(float64[:,:], float64[:])", "void(float64[:,:], float64[:])", "d->d",
                      "(m,n)->(n)"},
        GoodSignature{"void(float64[:, ::1], float64[::1])", "void(float64[:,:], float64[:])",
                      "d->d", "(m,n)->(n)"},
        GoodSignature{"void(float64[::1, :], float64 [ : ])", "void(float64[:,:], float64[:])",
                      "d->d", "(m,n)->(n)"},
        GoodSignature{"void(float64[:], float64, float64[:])",
                      "void(float64[:], float64, float64[:])", "dd->d", "(n),()->(n)"},
        GoodSignature{"dd->d", "void(float64[:], float64, float64[:])", "dd->d", "(n),()->(n)"},
        GoodSignature{"float64", "void(float64[:], float64, float64[:])", "dd->d", "(n),()->(n)"},
        GoodSignature{"float32(float64[:])", "void(float64[:], float32[:])", "d->f", "(n)->()"},
        GoodSignature{"void(float64[:], float32)", "void(float64[:], float32[:])", "d->f",
                      "(n)->()"},
        GoodSignature{"void(float64[:], float32[:])", "void(float64[:], float32[:])", "d->f",
                      "(n)->()"},
        GoodSignature{"void(float64[:], float32[:])", "void(float64[:], float32[:])", "d->f",
                      "()->()"},
        GoodSignature{"void(f8[:], f8[:], i8[:])", "void(float64[:], float64[:], int64[:])",
                      "d->dl", "(n)->(n),()"},
        GoodSignature{"d->dl", "void(float64[:], float64[:], int64[:])", "d->dl", "(n)->(n),()"},
        GoodSignature{"float64[:], float32[:]", "void(float64[:], float32[:])", "d->f", "(n)->(n)"},
        GoodSignature{"(float64[:], float32[::1],)", "void(float64[:], float32[:])", "d->f",
                      "(n)->(n)"},
        GoodSignature{"(f8[:,:], int64, f8[:])", "void(float64[:,:], int64, float64[:])", "dl->d",
                      "(m,n),()->(n)"}));

struct BadSignature {
  Texts texts;
  std::string error;
  std::string layout = "";
};

class mistake_test : public testing::TestWithParam<BadSignature> {};

TEST_P(mistake_test, is_explained) {
  EXPECT_EQ(error_of_signatures(GetParam().texts, GetParam().layout), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    signature_type_test, mistake_test,
    testing::Values(
        BadSignature{{"flaot32(float32)"},
                     "unknown type 'flaot32'\n"
                     "  signature 1: flaot32(float32)\n"
                     "               ^^^^^^^\n"
                     "  hint: did you mean 'float32'?"},
        BadSignature{{"float32(float32)", "float64(np.float64)"},
                     "unknown type 'np.float64'\n"
                     "  signature 2: float64(np.float64)\n"
                     "                       ^^^^^^^^^^\n"
                     "  hint: did you mean 'float64'?"},
        BadSignature{
            {"float32(дробь)"},
            "unknown type 'дробь'\n"
            "  signature 1: float32(дробь)\n"
            "                       ^^^^^\n"
            "  hint: expected one of bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
            "float32, float64, complex64, complex128, datetime64, timedelta64"},
        BadSignature{
            {"str(float32)"},
            "'str' is not a kernel type\n"
            "  signature 1: str(float32)\n"
            "               ^^^\n"
            "  hint: expected one of bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
            "float32, float64, complex64, complex128, datetime64, timedelta64"},
        BadSignature{
            {"float32(void)"},
            "'void' is not a kernel type\n"
            "  signature 1: float32(void)\n"
            "                       ^^^^\n"
            "  hint: expected one of bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
            "float32, float64, complex64, complex128, datetime64, timedelta64"},
        BadSignature{{"fz->f"},
                     "unknown type 'z'\n"
                     "  signature 1: fz->f\n"
                     "                ^\n"
                     "  hint: expected one of ? b B h H i I l L e E f d F D"},
        BadSignature{
            {"gg->g"},
            "'g' is not a kernel type\n"
            "  signature 1: gg->g\n"
            "               ^\n"
            "  hint: expected one of bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
            "float32, float64, complex64, complex128, datetime64, timedelta64"}));

INSTANTIATE_TEST_SUITE_P(
    signature_form_test, mistake_test,
    testing::Values(BadSignature{{},
                                 "the list of signatures is empty\n"
                                 "  hint: leave it out to compile for the types of each call"},
                    BadSignature{{"float32(float32)", "  "},
                                 "signature 2 is empty\n"
                                 "  hint: \"float32(float32)\""},
                    BadSignature{{"float32(float32, float32"},
                                 "')' is missing\n"
                                 "  signature 1: float32(float32, float32\n"
                                 "               ^^^^^^^^^^^^^^^^^^^^^^^^"},
                    BadSignature{{"float32(float32))"},
                                 "')' has no '('\n"
                                 "  signature 1: float32(float32))\n"
                                 "                               ^"},
                    BadSignature{{"float32 float32"},
                                 "a signature is result(operands), found 'float32 float32'\n"
                                 "  signature 1: float32 float32\n"
                                 "               ^^^^^^^^^^^^^^^\n"
                                 "  hint: \"float32(float32)\""},
                    BadSignature{{"(int64) int64"},
                                 "nothing can follow ')', found 'int64'\n"
                                 "  signature 1: (int64) int64\n"
                                 "                       ^^^^^"},
                    BadSignature{{"int64[:],, int64"},
                                 "an operand is missing between the commas\n"
                                 "  signature 1: int64[:],, int64\n"
                                 "                       ^^",
                                 "(n),()->(n)"},
                    BadSignature{{"(,)"},
                                 "an operand is missing before the comma\n"
                                 "  signature 1: (,)\n"
                                 "                ^"},
                    BadSignature{{"float64[:]"},
                                 "a signature is result(operands), found 'float64[:]'\n"
                                 "  signature 1: float64[:]\n"
                                 "               ^^^^^^^^^^\n"
                                 "  hint: \"float64(float64)\"",
                                 "(n)->(n)"},
                    BadSignature{{"float32(float32,, float32)"},
                                 "an operand is missing between the commas\n"
                                 "  signature 1: float32(float32,, float32)\n"
                                 "                              ^^"},
                    BadSignature{{"float32(float32, )"},
                                 "an operand is missing after the comma\n"
                                 "  signature 1: float32(float32, )\n"
                                 "                              ^"},
                    BadSignature{{"float32(,float32)"},
                                 "an operand is missing before the comma\n"
                                 "  signature 1: float32(,float32)\n"
                                 "                       ^"},
                    BadSignature{{"float32, (float32)"},
                                 "a result is missing after the comma\n"
                                 "  signature 1: float32, (float32)\n"
                                 "                      ^"},
                    BadSignature{{"float32()"},
                                 "the signature has no operand\n"
                                 "  signature 1: float32()\n"
                                 "               ^^^^^^^^^"},
                    BadSignature{{"()(float32)"},
                                 "the signature has no result\n"
                                 "  signature 1: ()(float32)\n"
                                 "               ^^^^^^^^^^^"},
                    BadSignature{{"float32(float32 int32)"},
                                 "',' is missing between the operands\n"
                                 "  signature 1: float32(float32 int32)\n"
                                 "                       ^^^^^^^^^^^^^"},
                    BadSignature{{"float32(float32; int32)"},
                                 "',' or ')' is expected here, found ';'\n"
                                 "  signature 1: float32(float32; int32)\n"
                                 "                              ^"},
                    BadSignature{{"float32((float32))"},
                                 "a type is expected here, found '('\n"
                                 "  signature 1: float32((float32))\n"
                                 "                       ^"},
                    BadSignature{{"float32(float32) int32"},
                                 "nothing can follow ')', found 'int32'\n"
                                 "  signature 1: float32(float32) int32\n"
                                 "                                ^^^^^"},
                    BadSignature{{"(float32) int32(float32)"},
                                 "'(' is expected here, found 'int32'\n"
                                 "  signature 1: (float32) int32(float32)\n"
                                 "                         ^^^^^"},
                    BadSignature{{"f->f->f"},
                                 "'->' appears twice\n"
                                 "  signature 1: f->f->f\n"
                                 "                   ^^"},
                    BadSignature{{"->f"},
                                 "the signature has no operand before '->'\n"
                                 "  signature 1: ->f\n"
                                 "               ^^"},
                    BadSignature{{"ff->"},
                                 "the signature has no result after '->'\n"
                                 "  signature 1: ff->\n"
                                 "                 ^^"},
                    BadSignature{{"d,d->d"},
                                 "'->' signatures use one character per type, found ','\n"
                                 "  signature 1: d,d->d\n"
                                 "                ^\n"
                                 "  hint: \"dd->d\""},
                    BadSignature{{"f4->f8"},
                                 "'->' signatures use one character per type, found 'f4'\n"
                                 "  signature 1: f4->f8\n"
                                 "               ^^^^^^\n"
                                 "  hint: \"float32(float32)\""},
                    BadSignature{{"float64"},
                                 "a bare type does not determine the number of operands\n"
                                 "  signature 1: float64\n"
                                 "               ^^^^^^^\n"
                                 "  hint: \"float64(float64)\""}));

INSTANTIATE_TEST_SUITE_P(
    signature_dimension_test, mistake_test,
    testing::Values(BadSignature{{"void(float64[:, float64[:])"},
                                 "a dimension must be ':', found 'float64'\n"
                                 "  signature 1: void(float64[:, float64[:])\n"
                                 "                               ^^^^^^^",
                                 "(n)->(n)"},
                    BadSignature{{"void(float64[:], float64[:)"},
                                 "']' is missing\n"
                                 "  signature 1: void(float64[:], float64[:)\n"
                                 "                                       ^^",
                                 "(n)->(n)"},
                    BadSignature{{"float64["},
                                 "']' is missing\n"
                                 "  signature 1: float64[\n"
                                 "                      ^"},
                    BadSignature{{"void(float64[3], float64[:])"},
                                 "a dimension must be ':', found '3'\n"
                                 "  signature 1: void(float64[3], float64[:])\n"
                                 "                            ^",
                                 "(n)->(n)"},
                    BadSignature{{"void(float64[::2], float64[:])"},
                                 "',' or ']' is expected here, found ':'\n"
                                 "  signature 1: void(float64[::2], float64[:])\n"
                                 "                             ^",
                                 "(n)->(n)"},
                    BadSignature{
                        {"void(float32)"},
                        "a vectorize kernel returns its result, found void\n"
                        "  signature 1: void(float32)\n"
                        "               ^^^^\n"
                        "  hint: write the result's type, such as float32, or use npp.guvectorize"},
                    BadSignature{{"float64(float64, float64[:])"},
                                 "operand 2 is float64[:]; arrays are for guvectorize\n"
                                 "  signature 1: float64(float64, float64[:])\n"
                                 "                                ^^^^^^^^^^\n"
                                 "  hint: \"float64\", or npp.guvectorize with a layout"},
                    BadSignature{{"float64[:](float64)"},
                                 "a result is float64[:]; arrays are for guvectorize\n"
                                 "  signature 1: float64[:](float64)\n"
                                 "               ^^^^^^^^^^\n"
                                 "  hint: \"float64\", or npp.guvectorize with a layout"}));

INSTANTIATE_TEST_SUITE_P(
    signature_agreement_test, mistake_test,
    testing::Values(
        BadSignature{{"float32(float32)", "float64(float64, float64)"},
                     "signature 2 has 2 operands, signature 1 has 1\n"
                     "  signature 2: float64(float64, float64)\n"
                     "               ^^^^^^^^^^^^^^^^^^^^^^^^^"},
        BadSignature{{"dd->dd", "ff->f"},
                     "signature 2 has 1 result, signature 1 has 2\n"
                     "  signature 2: ff->f\n"
                     "               ^^^^^"},
        BadSignature{{"void(float64[:], float64[:])"},
                     "the layout names 3 operands, the signature has 2\n"
                     "  layout: (n),(n)->()\n"
                     "          ^^^^^^^^^^^",
                     "(n),(n)->()"},
        BadSignature{{"dd->d", "void(float64[:], float64[:])"},
                     "the layout names 3 operands, signature 2 has 2\n"
                     "  layout: (n),(n)->()\n"
                     "          ^^^^^^^^^^^",
                     "(n),(n)->()"},
        BadSignature{{"d->dd"},
                     "the layout names 2 inputs, the signature has 1\n"
                     "  layout: (n),(n)->()\n"
                     "          ^^^^^^^^^^^",
                     "(n),(n)->()"},
        BadSignature{{"void(float64[:], float64[:])"},
                     "operand 1 is float64[:] with 1 dimension, the layout (m,n) has 2\n"
                     "  signature 1: void(float64[:], float64[:])\n"
                     "                    ^^^^^^^^^^\n"
                     "  hint: float64[:,:]",
                     "(m,n)->(n)"},
        BadSignature{{"void(float64, float64[:])"},
                     "operand 1 is float64 with 0 dimensions, the layout (n) has 1\n"
                     "  signature 1: void(float64, float64[:])\n"
                     "                    ^^^^^^^\n"
                     "  hint: float64[:]",
                     "(n)->(n)"},
        BadSignature{{"void(float64[:,:], float64[:,:])"},
                     "operand 1 is float64[:,:] with 2 dimensions, the layout () has 0\n"
                     "  signature 1: void(float64[:,:], float64[:,:])\n"
                     "                    ^^^^^^^^^^^^\n"
                     "  hint: float64",
                     "()->()"},
        BadSignature{{"void(float64, float64[:,:])"},
                     "operand 2 is float64[:,:] with 2 dimensions, the layout () has 0\n"
                     "  signature 1: void(float64, float64[:,:])\n"
                     "                             ^^^^^^^^^^^^\n"
                     "  hint: float64[:]",
                     "()->()"}));

TEST(signature_test, allows_64_operands_and_results_and_no_more) {
  const std::string text = std::string(63, 'd') + "->d";
  EXPECT_EQ(parse_type_signatures({text}, {}).front().inputs.size(), 63u);
  EXPECT_EQ(error_of_signatures({"d" + text}).substr(0, 53),
            "65 operands and results; a ufunc has at most 64");
}

TEST(signature_test, keeps_equal_signatures_once_in_the_order_given) {
  const auto signatures = parse_type_signatures({"d->d", "f->f", "float64(float64)", "l->l"}, {});
  ASSERT_EQ(signatures.size(), 3u);
  EXPECT_EQ(signatures[0].numpy_types(), "d->d");
  EXPECT_EQ(signatures[1].numpy_types(), "f->f");
  EXPECT_EQ(signatures[2].numpy_types(), "l->l");
}

Texts duplicates(const Texts& texts, const std::string& layout = {}) {
  Texts found;
  for (const ArgumentMistake& mistake : check_type_signatures(texts, layout_of(layout))) {
    found.push_back(mistake.text());
  }
  return found;
}

TEST(signature_test, warns_of_equal_signatures) {
  EXPECT_EQ(duplicates({"float32(float32)", "f->f", "d->d", " f -> f "}),
            (Texts{"signature 2 is the same as signature 1\n"
                   "  signature 2: f->f\n"
                   "               ^^^^",
                   "signature 4 is the same as signature 1\n"
                   "  signature 4:  f -> f \n"
                   "                ^^^^^^"}));
  EXPECT_EQ(duplicates({"d->d", "void(float64[:], float64)"}, "(n)->()").size(), 1u);
  EXPECT_TRUE(duplicates({"d->d", "d->f"}).empty());
}

TEST(signature_test, passes_over_bare_types_before_there_is_a_kernel) {
  EXPECT_TRUE(duplicates({"float32", "f->f", "d->d"}).empty());
  EXPECT_EQ(duplicates({"float32", "f->f", "f->f"}).size(), 1u);
  EXPECT_EQ(duplicates({"float32", "d->d"}, "(n)->(n)").size(), 0u);
  try {
    duplicates({"float32", "f->f", "dd->d"});
    FAIL();
  } catch (const DeclarationError& error) {
    EXPECT_EQ(error.mistake().message, "signature 3 has 2 operands, signature 2 has 1");
    EXPECT_EQ(error.mistake().source.argument(), "signatures");
    EXPECT_EQ(error.mistake().source.item, 2);
  }
}

TEST(signature_test, prints_void_where_there_are_no_results) {
  EXPECT_EQ((TypeSignature{{{DType::kFloat32}, {DType::kInt8}}, {}}).text(), "void(float32, int8)");
}

// From NumPy's can_cast(..., "safe") with ml_dtypes' bfloat16; one row per source dtype.
TEST(signature_order_test, casts_as_numpy_does) {
  constexpr DType kOrder[] = {
      DType::kBool,     DType::kInt8,    DType::kUInt8,   DType::kInt16,     DType::kUInt16,
      DType::kInt32,    DType::kUInt32,  DType::kInt64,   DType::kUInt64,    DType::kFloat16,
      DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128};
  const Texts expected = {"111111111111111", "010101010111111", "001111111111111",
                          "000101010001111", "000011111001111", "000001010000101",
                          "000000111000101", "000000010000101", "000000001000101",
                          "000000000101111", "000000000011111", "000000000001111",
                          "000000000000101", "000000000000011", "000000000000001"};
  Texts actual;
  for (const DType from : kOrder) {
    actual.emplace_back();
    for (const DType to : kOrder) actual.back() += can_cast_safely(from, to) ? '1' : '0';
  }
  EXPECT_EQ(actual, expected);
}

struct OrderCase {
  Texts given;
  Texts sorted;
};

class order_test : public testing::TestWithParam<OrderCase> {};

TEST_P(order_test, puts_what_casts_first) {
  Texts actual;
  for (const TypeSignature& types : sort_by_casting(parse_type_signatures(GetParam().given, {}))) {
    actual.push_back(types.numpy_types());
  }
  EXPECT_EQ(actual, GetParam().sorted);
}

INSTANTIATE_TEST_SUITE_P(
    signature_order_test, order_test,
    testing::Values(OrderCase{{"d->d", "f->f"}, {"f->f", "d->d"}},
                    OrderCase{{"f->f", "l->l", "d->d"}, {"f->f", "l->l", "d->d"}},
                    OrderCase{{"d->d", "l->l", "f->f"}, {"l->l", "f->f", "d->d"}},
                    OrderCase{{"D->D", "F->F", "d->d", "f->f", "l->l", "i->i", "?->?"},
                              {"?->?", "f->f", "F->F", "i->i", "l->l", "d->d", "D->D"}},
                    OrderCase{{"dd->d", "df->d", "fd->d", "ff->f"},
                              {"ff->f", "df->d", "fd->d", "dd->d"}},
                    OrderCase{{"f->d", "f->f"}, {"f->d", "f->f"}},
                    OrderCase{{"L->L", "l->l"}, {"L->L", "l->l"}}));

}  // namespace
}  // namespace numpy_plugin::declare
