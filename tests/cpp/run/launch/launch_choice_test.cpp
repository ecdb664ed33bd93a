// Selection of a launch over a table; nothing is launched, so that shapes may be huge.
#include "numpy_plugin/run/launch/launch_choice.hpp"

#include <gtest/gtest.h>

#include "numpy_plugin/run/launch/launch_reason.hpp"
#include "run/launch/call_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
using base::DType;

constexpr LaunchForm kContiguous = LaunchForm::kContiguous, kRows = LaunchForm::kRows,
                     kShortRows = LaunchForm::kShortRows, kTransposed = LaunchForm::kTransposed,
                     kStrided = LaunchForm::kStrided;

constexpr LaunchTraits kVectorTraits{.contiguous = {/*tile=*/1024, /*width=*/4},
                                     .rows = {/*tile=*/256, /*width=*/4},
                                     .transposed = {/*tile=*/1024, /*width=*/1},
                                     .line = {/*tile=*/2048, /*width=*/1},
                                     .strided = {/*tile=*/512, /*width=*/1},
                                     .n_multiprocessors = 4};

const std::string kFew =
    "contiguous, one element per thread: under 4096 elements, tiles of 1024 would leave "
    "multiprocessors without work";

struct ChoiceCase {
  Numbers shape;
  std::vector<Place> operands;
  std::size_t n_inputs;
  LaunchForm form;
  bool is_wide;
  bool has_vectors;
  std::string reason;
  bool is_masked = false;
};

const ChoiceCase kChoiceCases[] = {
    {{4096},
     {{kF4, 0x1000, {4}}, {kF4, 0x8000, {4}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements"},
    {{64, 64},
     {{kF4, 0x1000, {256, 4}}, {kF4, 0x8000, {256, 4}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements"},
    {{4095}, {{kF4, 0x1000, {4}}, {kF4, 0x8000, {4}}}, 1, kContiguous, false, false, kFew},
    {{}, {{kF4, 0x1004, {}}, {kF4, 0x8004, {}}}, 1, kContiguous, false, false, kFew},
    {{4095}, {{kF4, 0x1004, {4}}, {kF4, 0x8000, {4}}}, 1, kContiguous, false, false, kFew},
    {{4096},
     {{kF4, 0x1004, {4}}, {kF4, 0x8000, {4}}},
     1,
     kStrided,
     false,
     false,
     "strided, in one dimension: input 1 is contiguous, but its address is not a multiple of 16 "
     "bytes"},
    {{4096},
     {{kI1, 0x1002, {1}}, {kF8, 0x8020, {8}}},
     1,
     kStrided,
     false,
     false,
     "strided, in one dimension: input 1 is contiguous, but its address is not a multiple of 4 "
     "bytes"},
    {{4096},
     {{kI1, 0x1004, {1}}, {kF8, 0x8020, {8}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements"},
    {{4096},
     {{kI1, 0x1004, {1}}, {kF8, 0x8010, {8}}},
     1,
     kStrided,
     false,
     false,
     "strided, in one dimension: output 1 is contiguous, but its address is not a multiple of 32 "
     "bytes"},
    // A scalar may be misaligned.
    {{4096},
     {{kF4, 0x1004, {0}}, {kF4, 0, {}, true}, {kF4, 0x8000, {4}}},
     2,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements"},
    {{4096},
     {{kF4, 0x5000, {-4}}, {kF4, 0x9000, {-4}}},
     1,
     kStrided,
     false,
     false,
     "strided, in one dimension: input 1 is contiguous, but its address is not a multiple of 16 "
     "bytes"},
    {{4096},
     {{kF4, 0x4ffc, {-4}}, {kF4, 0x8ffc, {-4}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements"},
    {{4096},
     {{kF4, 0x4ffc, {-4}}, {kF4, 0x8000, {4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are -4 bytes apart along the innermost dimension, of 4096 "
     "elements"},
    {{64, 63},
     {{kF4, 0x1000, {4, 256}}, {kF4, 0x8000, {252, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 256 bytes apart along the innermost dimension, of 63 "
     "elements"},
    {{64, 64},
     {{kF4, 0x1000, {4, 256}}, {kF4, 0x8000, {256, 4}}},
     1,
     kTransposed,
     false,
     false,
     "transposed: input 1 is contiguous along a dimension of 64 elements and the outputs along one "
     "of 64, in tiles of 32 by 32 in shared memory"},
    {{300, 16},
     {{kF4, 0x1000, {64, 4}}, {kBool, 0x7000, {1, 300}}, {kF4, 0x8000, {64, 4}}},
     1,
     kTransposed,
     false,
     false,
     "transposed: where= is contiguous along a dimension of 300 elements and the outputs along one "
     "of 16, in tiles of 32 by 32 in shared memory",
     true},
    {{300, 15},
     {{kF4, 0x1000, {4, 1200}}, {kF4, 0x8000, {60, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 1200 bytes apart along the innermost dimension, of 15 "
     "elements"},
    {{15, 300},
     {{kF4, 0x1000, {4, 60}}, {kF4, 0x8000, {1200, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 60 bytes apart along the innermost dimension, of 300 "
     "elements"},
    // Outputs along different dimensions, and one that is not contiguous along either.
    {{64, 64},
     {{kF4, 0x1000, {4, 256}}, {kF4, 0x8000, {4, 256}}, {kF4, 0xc000, {256, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 256 bytes apart along the innermost dimension, of 64 "
     "elements"},
    {{64, 64},
     {{kF4, 0x1000, {4, 256}}, {kF4, 0x8000, {512, 8}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 256 bytes apart along the innermost dimension, of 64 "
     "elements"},
    {{1 << 24, 64, 64},
     {{kI1, 0x1000, {0, 1, 64}}, {kI1, 0x8000, {4096, 64, 1}}},
     1,
     kTransposed,
     true,
     false,
     "transposed: input 1 is contiguous along a dimension of 64 elements and the outputs along one "
     "of 64, in tiles of 32 by 32 in shared memory; 64-bit indices: the elements' numbers do not "
     "fit in 32 bits"},
    {{1 << 30, 64, 64},
     {{kI1, 0x1000, {0, 1, 64}}, {kI1, 0x8000, {4096, 64, 1}}},
     1,
     kStrided,
     true,
     false,
     "strided: elements of input 1 are 64 bytes apart along the innermost dimension, of 64 "
     "elements; 64-bit indices: the elements' numbers do not fit in 32 bits"},
    {{64, 64},
     {{kF4, 0x1000, {4, 256}}, {kF4, 0x8000, {4, 256}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements"},
    // Rows.
    {{9, 256},
     {{kF4, 0x1000, {2048, 4}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kRows,
     false,
     true,
     "rows of 256 elements: input 1 is not contiguous across rows"},
    {{9, 256},
     {{kF4, 0x1000, {1028, 4}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kRows,
     false,
     false,
     "rows of 256 elements: input 1 is not contiguous across rows; rows do not begin at "
     "multiples of a vector"},
    {{9, 256},
     {{kF4, 0x1000, {1024, 4}}, {kF4, 0x8004, {2048, 4}}},
     1,
     kRows,
     false,
     false,
     "rows of 256 elements: output 1 is not contiguous across rows; rows do not begin at "
     "multiples of a vector"},
    {{9, 256},
     {{kF4, 0x1004, {4, 0}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kRows,
     false,
     true,
     "rows of 256 elements: input 1 is not contiguous across rows"},
    {{9, 256},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kRows,
     false,
     true,
     "rows of 256 elements: input 1 is not contiguous across rows"},
    {{9, 128 + 1},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {1020, 4}}},
     1,
     kRows,
     false,
     false,
     "rows of 129 elements: input 1 is not contiguous across rows; rows do not begin at multiples "
     "of a vector"},
    {{9, 127},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: rows of 127 elements are shorter than 128, half of what a block processes, and not "
     "aligned vectors of 4 elements"},
    {{90, 96},
     {{kF4, 0x1004, {4, 0}}, {kF4, 0x8000, {512, 4}}},
     1,
     kShortRows,
     false,
     true,
     "short rows: several rows of 96 elements per block, as vectors of 4"},
    {{90, 4},
     {{kF4, 0x1000, {0, 4}}, {kBool, 0x7000, {4, 1}}, {kF4, 0x8000, {16, 4}}},
     1,
     kShortRows,
     false,
     true,
     "short rows: several rows of 4 elements per block, as vectors of 4",
     true},
    {{90, 96},
     {{kF4, 0x1004, {0, 4}}, {kF4, 0x8000, {512, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: rows of 96 elements are shorter than 128, half of what a block processes, and not "
     "aligned vectors of 4 elements"},
    {{90, 96},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {500, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: rows of 96 elements are shorter than 128, half of what a block processes, and not "
     "aligned vectors of 4 elements"},
    // Nine tenths of a row in full tiles are worth blocks of its own.
    {{90, 2560 + 256},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {4 * 2816, 4}}},
     1,
     kRows,
     false,
     true,
     "rows of 2816 elements: input 1 is not contiguous across rows"},
    {{90, 256 + 200},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {4 * 456, 4}}},
     1,
     kShortRows,
     false,
     true,
     "short rows: several rows of 456 elements per block, as vectors of 4"},
    {{2, 96},
     {{kF4, 0x1000, {2 * kGiga, 4}}, {kF4, 0x8000, {384, 4}}},
     1,
     kShortRows,
     true,
     true,
     "short rows: several rows of 96 elements per block, as vectors of 4; 64-bit indices: offsets "
     "do not fit in 32 bits"},
    {{9, 128},
     {{kF4, 0x1000, {1024, 8}}, {kF4, 0x8000, {512, 4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 8 bytes apart along the innermost dimension, of 1152 "
     "elements"},
    // A mask.
    {{4096},
     {{kF4, 0x1000, {4}}, {kBool, 0x7004, {1}}, {kF4, 0x8000, {4}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements",
     true},
    {{4096},
     {{kF4, 0x1000, {4}}, {kBool, 0x7001, {0}}, {kF4, 0x8000, {4}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 4096 elements",
     true},
    {{4096},
     {{kF4, 0x1000, {4}}, {kBool, 0x7002, {1}}, {kF4, 0x8000, {4}}},
     1,
     kStrided,
     false,
     false,
     "strided, in one dimension: where= is contiguous, but its address is not a multiple of 4 "
     "bytes",
     true},
    {{4096},
     {{kF4, 0x1000, {4}}, {kBool, 0x7000, {2}}, {kF4, 0x8000, {4}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of where= are 2 bytes apart along the innermost dimension, of 4096 "
     "elements",
     true},
    {{9, 256},
     {{kF4, 0x1000, {1024, 4}}, {kBool, 0x7000, {1, 0}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kRows,
     false,
     true,
     "rows of 256 elements: where= is not contiguous across rows",
     true},
    {{9, 256},
     {{kF4, 0x1000, {1024, 4}}, {kBool, 0x7000, {258, 1}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kRows,
     false,
     false,
     "rows of 256 elements: where= is not contiguous across rows; rows do not begin at multiples "
     "of a vector",
     true},
    // 2^31 elements and more, offsets of 2^31 bytes and more.
    {{kGiga, 2},
     {{kI1, 0x1000, {0, 0}}, {kI1, 0x8000, {2, 1}}},
     1,
     kContiguous,
     true,
     true,
     "contiguous: the operands are one dimension of 2147483648 elements; 64-bit indices: the "
     "elements' numbers do not fit in 32 bits"},
    {{2 * kGiga - 1},
     {{kF8, 0x1000, {8}}, {kF8, 0x8000, {8}}},
     1,
     kContiguous,
     false,
     true,
     "contiguous: the operands are one dimension of 2147483647 elements"},
    {{kGiga},
     {{kF4, 0x1000, {8}}, {kI1, 0x8000, {1}}},
     1,
     kStrided,
     true,
     false,
     "strided: elements of input 1 are 8 bytes apart along the innermost dimension, of 1073741824 "
     "elements; 64-bit indices: offsets do not fit in 32 bits"},
    {{kGiga / 8},
     {{kF4, 0x1000, {8}}, {kI1, 0x8000, {1}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 8 bytes apart along the innermost dimension, of 134217728 "
     "elements"},
    {{2, 2},
     {{kI1, 0x1000, {3 * kGiga / 2, kGiga}}, {kI1, 0x8000, {2, 1}}},
     1,
     kStrided,
     true,
     false,
     "strided: elements of input 1 are 1073741824 bytes apart along the innermost dimension, of 2 "
     "elements; 64-bit indices: offsets do not fit in 32 bits"},
    {{2, 2},
     {{kI1, 0x1000, {3 * kGiga / 2, 2}}, {kI1, 0x8000, {2, 1}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of input 1 are 2 bytes apart along the innermost dimension, of 2 elements"},
    // Excluded by callers that apply overlap.hpp; still no scalar.
    {{4096},
     {{kF4, 0x1000, {4}}, {kF4, 0x8000, {0}}},
     1,
     kStrided,
     false,
     false,
     "strided: elements of output 1 are 0 bytes apart along the innermost dimension, of 4096 "
     "elements"},
    {{2, 512},
     {{kF4, 0x1000, {2 * kGiga, 4}}, {kF4, 0x8000, {2048, 4}}},
     1,
     kRows,
     true,
     true,
     "rows of 512 elements: input 1 is not contiguous across rows; 64-bit indices: offsets do not "
     "fit in 32 bits"},
    {{2, 512},
     {{kF4, 0x1000, {kGiga, 4}}, {kF4, 0x8000, {2048, 4}}},
     1,
     kRows,
     false,
     true,
     "rows of 512 elements: input 1 is not contiguous across rows"},
    {{8 * kGiga, 256},
     {{kF4, 0x1000, {0, 4}}, {kF4, 0x8000, {1024, 4}}},
     1,
     kStrided,
     true,
     false,
     "strided: 8589934592 rows of 256 elements need more blocks than a launch can have; 64-bit "
     "indices: the elements' numbers do not fit in 32 bits"},
    {{2, 3, 4, 5},
     {{kC16, 0x1008, {1600, 400, 80, 16}}, {kC16, 0x8008, {960, 320, 80, 16}}},
     1,
     kStrided,
     false,
     false,
     "strided: rows of 20 elements are shorter than 128, half of what a block processes, and not "
     "aligned vectors of 4 elements"},
};

TEST(LaunchChoiceTest, DependsOnWhereOperandsLie) {
  for (const ChoiceCase& example : kChoiceCases) {
    SCOPED_TRACE(example.reason);
    const BuiltCall built(example.shape, example.operands, example.n_inputs, example.is_masked);
    const Iteration iteration(built.call().shape, built.strides());
    const PlacedCall placed{built.call(), iteration, built.n_inputs()};
    const LaunchChoice choice = choose_launch(placed, kVectorTraits);
    EXPECT_EQ(choice.form, example.form);
    EXPECT_EQ(choice.is_wide, example.is_wide);
    EXPECT_EQ(choice.has_vectors, example.has_vectors);
    EXPECT_EQ(choice.is_masked, example.is_masked);
    EXPECT_EQ(reason_text(placed, choice, kVectorTraits), example.reason);
  }
}

}  // namespace
}  // namespace numpy_plugin::run
