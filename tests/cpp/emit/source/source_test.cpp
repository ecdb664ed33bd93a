// Parts of a Source other than its text: entry points, launch shapes, the label of a body.
#include <gtest/gtest.h>

#include "emit/source/example_programs.hpp"
#include "kernel/kernel_builder.hpp"
#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit::test {
namespace {

const Program& example_program(const std::string& name) {
  static const std::vector<Example> all = examples();
  for (const Example& each : all)
    if (each.name == name) return each.program;
  throw std::out_of_range(name);
}

// A kernel of these types that adds its inputs, or returns its only one.
Program sum(std::string_view types) {
  Builder f("sum");
  const declare::TypeSignature operands = signature(types);
  for (std::size_t i = 0; i < operands.inputs.size(); ++i)
    f.parameter("x" + std::to_string(i), operands.inputs[i].dtype);
  Expression value = f.local("x0");
  for (std::size_t i = 1; i < operands.inputs.size(); ++i)
    value = call(Operation::kAdd, {value, f.local("x" + std::to_string(i))});
  const ValueType type = value.type;
  return program(python_kernel(types, f.finish(type, {give_back(value)})));
}

analysis::LaunchShape contiguous_shape(const Program& program, int architecture = 90) {
  return emit_cuda(program, {.stored = {}, .architecture = architecture}).launch_shapes.at(0);
}

TEST(Source, names_an_entry_point_a_kernel) {
  const Program& two = example_program("two_kernels");
  using Names = std::vector<std::string>;
  EXPECT_EQ(emit_cpu(two).entry_points, (Names{"npp_loop_0", "npp_loop_1", "npp_loop_2"}));
  EXPECT_EQ(emit_cuda(two, {.launch = analysis::LaunchForm::kStrided, .stored = {}}).entry_points,
            (Names{"npp_strided_0", "npp_strided_1", "npp_strided_2"}));
  EXPECT_EQ(emit_cuda(example_program("matmul"),
                      {.launch = analysis::LaunchForm::kGeneralized, .stored = {}})
                .entry_points,
            (Names{"npp_generalized_0"}));
}

TEST(Source, labels_bodies_in_cpp_alone) {
  EXPECT_EQ(emit_cpu(example_program("cpp_return")).user_text.label, "<body of 'hypot '2''>");
  EXPECT_EQ(emit_cpu(example_program("gaussian_pdf")).user_text.label, "");
}

TEST(Source, asks_for_vector_math_only_where_the_mode_does) {
  EXPECT_TRUE(
      emit_cpu(example_program("gaussian_pdf")).text.starts_with("#define NPP_VECTOR_MATH 1\n"));
  for (const char* exact : {"two_kernels", "matmul"})
    EXPECT_EQ(emit_cpu(example_program(exact)).text.find("NPP_VECTOR_MATH"), std::string::npos);
}

TEST(Source, leaves_out_headers_of_types_without_a_value) {
  const auto leaves_out = [](const Program& program, const char* macro) {
    return emit_cpu(program).text.find(std::string("#define ") + macro) != std::string::npos;
  };
  constexpr const char* kNoComplex = "NPP_WITHOUT_COMPLEX";
  constexpr const char* kNoHalf = "NPP_WITHOUT_FLOAT16";
  EXPECT_TRUE(leaves_out(sum("d->d"), kNoComplex));
  EXPECT_TRUE(leaves_out(sum("d->d"), kNoHalf));
  EXPECT_FALSE(leaves_out(sum("F->F"), kNoComplex));
  EXPECT_TRUE(leaves_out(sum("F->F"), kNoHalf));
  EXPECT_FALSE(leaves_out(sum("e->e"), kNoHalf));
  EXPECT_TRUE(leaves_out(example_program("cpp_return"), kNoComplex));
  EXPECT_TRUE(leaves_out(example_program("cpp_return"), "NPP_WITHOUT_SPECIAL_NAMES"));
}

TEST(Source, keeps_a_preamble_before_the_kernels) {
  const std::string text = emit_cpu(example_program("cpp_return")).text;
  EXPECT_LT(text.find("static constexpr float scale"), text.find("namespace {"));
}

TEST(LaunchShape, follows_the_widest_operand) {
  EXPECT_EQ(contiguous_shape(sum("ff->f")), (analysis::LaunchShape{128 * 4 * 2, 4}));
  EXPECT_EQ(contiguous_shape(sum("dd->d")), (analysis::LaunchShape{128 * 2 * 2, 2}));
  EXPECT_EQ(contiguous_shape(sum("DD->D")), (analysis::LaunchShape{128 * 1 * 2, 1}));
  EXPECT_EQ(contiguous_shape(sum("fi->d")), (analysis::LaunchShape{128 * 2 * 2, 2}));
}

TEST(LaunchShape, leaves_registers_free) {
  EXPECT_EQ(contiguous_shape(sum("bb->h")), (analysis::LaunchShape{128 * 8 * 2, 8}));
  EXPECT_EQ(contiguous_shape(sum("bb->?")), (analysis::LaunchShape{128 * 16, 16}));
  EXPECT_EQ(contiguous_shape(sum("dddddddd->d")), (analysis::LaunchShape{128 * 2, 2}));
}

TEST(LaunchShape, gives_long_bodies_fewer_elements) {
  EXPECT_EQ(contiguous_shape(example_program("gaussian_pdf")),
            (analysis::LaunchShape{128 * 4 * 2, 4}));
  EXPECT_EQ(contiguous_shape(example_program("polar_distance")),
            (analysis::LaunchShape{128 * 2, 2}));
  EXPECT_EQ(contiguous_shape(example_program("two_outputs")), (analysis::LaunchShape{128, 1}));
  EXPECT_EQ(contiguous_shape(example_program("mandelbrot")), (analysis::LaunchShape{128, 1}));
}

TEST(LaunchShape, has_more_in_flight_where_little_is_loaded) {
  EXPECT_EQ(contiguous_shape(sum("f->f")), (analysis::LaunchShape{128 * 4 * 4, 4}));
  EXPECT_EQ(contiguous_shape(sum("f->f"), 80), (analysis::LaunchShape{128 * 4 * 2, 4}));
  EXPECT_EQ(contiguous_shape(sum("D->D")), (analysis::LaunchShape{128 * 4, 1}));
}

TEST(LaunchShape, has_long_vectors_where_the_architecture_has) {
  EXPECT_EQ(contiguous_shape(sum("ff->f"), 100), (analysis::LaunchShape{128 * 8, 8}));
  EXPECT_EQ(contiguous_shape(sum("f->f"), 120), (analysis::LaunchShape{128 * 8 * 2, 8}));
  EXPECT_EQ(contiguous_shape(sum("bb->b"), 100), (analysis::LaunchShape{128 * 32, 32}));
  EXPECT_EQ(contiguous_shape(sum("DD->D"), 100), (analysis::LaunchShape{128 * 2, 2}));
  // Too many registers for long ones.
  EXPECT_EQ(contiguous_shape(sum("ddddd->d"), 100), (analysis::LaunchShape{128 * 2, 2}));
  const analysis::DeviceForm form{.stored = {}, .has_short_vectors = true, .architecture = 100};
  EXPECT_EQ(emit_cuda(sum("ff->f"), form).launch_shapes.at(0),
            (analysis::LaunchShape{128 * 4 * 2, 4}));
}

TEST(LaunchShape, packs_narrow_integers) {
  EXPECT_EQ(contiguous_shape(sum("bb->b")), (analysis::LaunchShape{128 * 16 * 2, 16}));
  EXPECT_EQ(contiguous_shape(sum("b->b")), (analysis::LaunchShape{128 * 16 * 4, 16}));
}

TEST(LaunchShape, follows_the_types_in_memory) {
  const Source source = emit_cuda(sum("ff->f"), {.stored = {DType::kInt8, kF8, kF4}});
  EXPECT_EQ(source.launch_shapes.at(0), (analysis::LaunchShape{128 * 2 * 2, 2}));
}

TEST(LaunchShape, of_the_strided_form_has_no_vectors) {
  const auto items = [](const char* types, int n_dimensions, bool is_masked = false) {
    const analysis::DeviceForm form{.launch = analysis::LaunchForm::kStrided,
                                    .is_masked = is_masked,
                                    .stored = {},
                                    .n_dimensions = n_dimensions};
    const analysis::LaunchShape shape = emit_cuda(sum(types), form).launch_shapes.at(0);
    EXPECT_EQ(shape.width, 1);
    return shape.tile / 128;
  };
  EXPECT_EQ(items("ff->f", 1), 4);
  EXPECT_EQ(items("ff->f", 4), 4);
  EXPECT_EQ(items("f->f", 1), 8);
  EXPECT_EQ(items("hh->h", 1), 8);
  EXPECT_EQ(items("bb->b", 1), 24);
  EXPECT_EQ(items("bbb->b", 4), 16);
  EXPECT_EQ(items("b->b", 64), 48);
  EXPECT_EQ(items("bb->b", 1, true), 16);
  EXPECT_EQ(items("ddd->d", 1), 4);
}

TEST(LaunchShape, of_the_transposed_form_fits_shared_memory) {
  const auto items = [](const char* types) {
    const analysis::DeviceForm form{.launch = analysis::LaunchForm::kTransposed, .stored = {}};
    return emit_cuda(sum(types), form).launch_shapes.at(0).tile / 128;
  };
  EXPECT_EQ(items("ff->f"), 8);
  EXPECT_EQ(items("b->b"), 40);
  EXPECT_EQ(items("bb->b"), 24);
  EXPECT_EQ(items("dd->d"), 8);
  EXPECT_EQ(items("DD->D"), 8);
  EXPECT_EQ(items("DDD->D"), 1);  // not launched
}

TEST(KernelTraits, count_powers_of_integers_as_exact) {
  const auto power = [](DType dtype, std::string_view types) {
    Builder f("power");
    f.parameter("x", dtype);
    const Expression value = call(Operation::kPower, {f.local("x"), f.local("x")});
    return analysis::traits(
        python_kernel(types, f.finish(ValueType::scalar(dtype), {give_back(value)})));
  };
  EXPECT_FALSE(power(kI8, "l->l").has_vector_math);
  EXPECT_TRUE(power(kF8, "d->d").has_vector_math);
}

TEST(KernelTraits, see_what_device_functions_do) {
  const analysis::KernelTraits polar =
      analysis::traits(example_program("polar_distance").kernels[0]);
  EXPECT_TRUE(polar.has_vector_math);
  EXPECT_FALSE(polar.has_branches);
  const analysis::KernelTraits complex = analysis::traits(example_program("mandelbrot").kernels[0]);
  EXPECT_TRUE(complex.has_vector_math);  // abs of a complex number is hypot
  EXPECT_TRUE(complex.has_branches);
  EXPECT_TRUE(complex.has_loops);
}

TEST(KernelTraits, look_for_loops_in_a_body_in_cpp) {
  const auto has_loops = [](const char* body) {
    return analysis::traits({"f", signature("d->d"), {}, declare::CppKernel{body, {"x"}, {}}})
        .has_loops;
  };
  EXPECT_TRUE(has_loops("while (x > 1) x /= 2; return x;"));
  EXPECT_FALSE(has_loops("return before * x_for + awhile;"));
}

}  // namespace
}  // namespace numpy_plugin::emit::test
