// Memory of scratch arrays: which arrays exist at a time, and their sizes for a launch.
#include <gtest/gtest.h>

#include <limits>

#include "kernel/kernel_builder.hpp"
#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"

namespace numpy_plugin::emit::test {
namespace {

const ValueType kScratchRow = ValueType::array(kF8, 1);

// A kernel with the layout (n),(m)->(n) of arrays a, b and out.
class ScratchKernel : public Builder {
 public:
  ScratchKernel() : Builder("f") {
    for (const char* name : {"a", "b", "out"}) parameter(name, kScratchRow);
  }

  Statement make(const std::string& name, Expression size) {
    add_local(name, kScratchRow, {declare::ArrayStorage::Kind::kScratch, {}, nullptr});
    Expression made = node(ExpressionKind::kScratchArray, kScratchRow, {std::move(size)});
    made.exception = 0;
    return assign(name, std::move(made));
  }

  TypedKernel kernel(std::vector<Statement> body) {
    declare::PythonKernel python;
    python.function = finish({}, std::move(body));
    python.exceptions.resize(1);
    return {"f", {}, declare::parse_core_signature("(n),(m)->(n)"), std::move(python)};
  }
};

std::optional<std::int64_t> bytes_of(const TypedKernel& kernel, std::vector<std::int64_t> sizes) {
  const analysis::DeviceScratch scratch = analysis::device_scratch(kernel);
  EXPECT_FALSE(scratch.obstacle);
  return analysis::scratch_bytes(scratch, *kernel.layout, sizes);
}

Expression product(Expression left, Expression right) {
  return node(ExpressionKind::kCall, ValueType::scalar(kI8), {std::move(left), std::move(right)},
              Operation::kMultiply);
}

TEST(scratch_sites_test, outside_of_loops_an_array_has_one_slot) {
  ScratchKernel f;
  Statement made = f.make("t", f.size("a", 0));
  Statement named = f.assign("u", f.local("t"));
  const TypedKernel kernel = f.kernel({std::move(made), std::move(named)});
  const auto sites =
      analysis::find_scratch_sites(std::get<declare::PythonKernel>(kernel.body).function);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_FALSE(sites[0].is_in_loop);
  EXPECT_EQ(sites[0].n_slots(), 1);
}

// for i in range(9): cur = new; part = cur; prev = cur
TEST(scratch_sites_test, in_loops_arrays_that_outlive_the_trip_take_slots) {
  ScratchKernel f;
  f.add_local("i", ValueType::scalar(kI8));
  Statement before = f.assign("prev", f.local("a"));
  std::vector<Statement> body = {f.make("cur", f.size("a", 0))};
  body.push_back(f.assign("part", f.local("cur")));
  body.push_back(f.assign("prev", f.local("part")));
  Statement loop = f.for_range("i", {integer(0), integer(9), integer(1)}, std::move(body));
  const int prev = f.find("prev");
  const TypedKernel kernel = f.kernel({std::move(before), std::move(loop)});
  const auto sites =
      analysis::find_scratch_sites(std::get<declare::PythonKernel>(kernel.body).function);
  ASSERT_EQ(sites.size(), 1u);
  ASSERT_EQ(sites[0].held.size(), 1u);
  EXPECT_EQ(sites[0].held[0].local, prev);
  EXPECT_EQ(bytes_of(kernel, {10, 3}), 2 * 80);
}

TEST(scratch_sizes_test, follow_from_core_dimensions_and_variables) {
  ScratchKernel f;
  Statement size = f.assign("k", product(f.size("b", 0), integer(3)));
  Statement first = f.make("t", f.local("k"));
  Statement second = f.make("u", f.size("t", 0));
  const TypedKernel kernel = f.kernel({std::move(size), std::move(first), std::move(second)});
  EXPECT_EQ(bytes_of(kernel, {5, 2}), 2 * 48);
  EXPECT_EQ(bytes_of(kernel, {5, 0}), 0);
}

TEST(scratch_sizes_test, elements_take_the_bytes_of_the_largest_dtype) {
  ScratchKernel f;
  Statement first = f.make("t", f.size("a", 0));
  Statement second = f.make("u", f.size("b", 0));
  second.value->type.dtype = base::DType::kInt8;
  TypedKernel kernel = f.kernel({std::move(first), std::move(second)});
  EXPECT_EQ(bytes_of(kernel, {5, 2}), (5 + 2) * 8);
}

// Of two arrays of n and m elements, one of which may have one element.
TEST(scratch_sizes_test, one_of_two_sizes) {
  ScratchKernel f;
  Expression is_one = node(ExpressionKind::kCall, ValueType::scalar(base::DType::kBool),
                           {f.size("a", 0), integer(1)}, Operation::kEqual);
  Expression size = node(ExpressionKind::kSelect, ValueType::scalar(kI8),
                         {std::move(is_one), f.size("b", 0), f.size("a", 0)});
  Statement made = f.make("t", std::move(size));
  const TypedKernel kernel = f.kernel({std::move(made)});
  EXPECT_EQ(bytes_of(kernel, {5, 2}), 40);
  EXPECT_EQ(bytes_of(kernel, {1, 2}), 16);
}

TEST(scratch_sizes_test, calls_take_as_much_as_the_largest) {
  ScratchKernel called;
  called.parameter("number", kI8);
  Statement row = called.make("t", product(called.size("b", 0), called.local("number")));
  const declare::Function function = called.finish({}, {std::move(row)});
  ScratchKernel f;
  Statement made = f.make("t", f.size("a", 0));
  std::vector<Statement> body;
  body.push_back(std::move(made));
  for (const int number : {3, 5, 2}) {
    Expression sum = call_function(0, ValueType::scalar(kF8),
                                   {f.local("a"), f.local("b"), f.local("out"), integer(number)});
    body.push_back(f.assign("sum", std::move(sum)));
  }
  TypedKernel kernel = f.kernel(std::move(body));
  std::get<declare::PythonKernel>(kernel.body).device_functions.push_back(function);
  EXPECT_EQ(bytes_of(kernel, {7, 10}), 8 * (7 + 5 * 10));
}

TEST(scratch_sizes_test, beyond_int64_there_are_none) {
  ScratchKernel f;
  Statement made = f.make("t", product(f.size("a", 0), integer(-1)));
  Statement large = f.make("u", f.size("b", 0));
  const TypedKernel kernel = f.kernel({std::move(made), std::move(large)});
  EXPECT_EQ(bytes_of(kernel, {5, 2}), 16) << "an array of negative size takes nothing";
  EXPECT_EQ(bytes_of(kernel, {5, std::numeric_limits<std::int64_t>::max() / 4}), std::nullopt);
}

TEST(scratch_sizes_test, sizes_from_elements_are_an_obstacle) {
  ScratchKernel f;
  f.parameter("number", kI8);
  Statement made = f.make("t", f.local("number"));
  const TypedKernel kernel = f.kernel({std::move(made)});
  const auto obstacle = analysis::device_scratch(kernel).obstacle;
  ASSERT_TRUE(obstacle);
  EXPECT_EQ(obstacle->message,
            "on a device, the size of an array must follow from core dimensions");
  EXPECT_THROW(analysis::require_device_scratch(kernel), declare::KernelError);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
