#include "emit/source/example_programs.hpp"

#include "kernel/kernel_builder.hpp"

namespace numpy_plugin::emit::test {
namespace {

using enum Operation;

TypedKernel gaussian_pdf() {
  Builder f("gaussian_pdf");
  f.parameter("x", kF4).parameter("mean", kF4).parameter("sigma", kF4);
  const auto t = f.assign(
      "t", call(kTrueDivide, {call(kSubtract, {f.local("x"), f.local("mean")}), f.local("sigma")}));
  const Expression exponent = call(kMultiply, {number(kF4, -0.5), call(kSquare, {f.local("t")})});
  const Expression scale = call(kMultiply, {f.local("sigma"), number(kF4, 2.5066283)});
  return python_kernel(
      "fff->f", f.finish(ValueType::scalar(kF4),
                         {t, give_back(call(kTrueDivide, {call(kExp, {exponent}), scale}))}));
}

TypedKernel polar_distance() {
  const ValueType point = ValueType::tuple({ValueType::scalar(kF8), ValueType::scalar(kF8)});
  Builder d("polar_to_cartesian");
  d.parameter("rho", kF8).parameter("theta", kF8);
  const auto part = [&](Operation operation) {
    return call(kMultiply, {d.local("rho"), call(operation, {d.local("theta")})});
  };
  const Function device = d.finish(point, {give_back(tuple({part(kCos), part(kSin)}))});

  Builder f("polar_distance");
  f.parameter("rho1", kF8).parameter("theta1", kF8).parameter("rho2", kF8).parameter("theta2", kF8);
  std::vector<Statement> body;
  body.push_back(f.assign("p", call_function(0, point, {f.local("rho1"), f.local("theta1")})));
  body.push_back(f.assign("q", call_function(0, point, {f.local("rho2"), f.local("theta2")})));
  const auto squared_difference = [&](int i) {
    return call(kSquare, {call(kSubtract, {item(f.local("p"), i), item(f.local("q"), i)})});
  };
  body.push_back(
      give_back(call(kSqrt, {call(kAdd, {squared_difference(0), squared_difference(1)})})));
  return python_kernel("dddd->d", f.finish(ValueType::scalar(kF8), body), {device});
}

TypedKernel mandelbrot() {
  Builder f("mandelbrot");
  f.parameter("c", DType::kComplex128).parameter("maxiter", kI4);
  const Expression zero = number(DType::kComplex128, std::complex<double>(0, -0.0));
  const Statement start = f.assign("z", zero);
  const Statement count = f.assign("n", number(kI4, std::int64_t{0}));
  const Statement stop = branch(call(kGreater, {call(kAbsolute, {f.local("z")}), number(kF8, 2.0)}),
                                {jump(StatementKind::kBreak)});
  const Statement step =
      f.assign("z", call(kAdd, {call(kMultiply, {f.local("z"), f.local("z")}), f.local("c")}));
  const Statement next = f.assign("n", call(kAdd, {f.local("n"), number(kI4, std::int64_t{1})}));
  return python_kernel(
      "Di->i",
      f.finish(ValueType::scalar(kI4),
               {start, count,
                loop_while(call(kLess, {f.local("n"), f.local("maxiter")}), {stop, step, next}),
                give_back(f.local("n"))}));
}

TypedKernel intpow() {
  Builder f("intpow");
  f.parameter("x", kF8).parameter("n", kI8);
  f.add_local("i", ValueType::scalar(kI8));
  const Statement start = f.assign("out", number(kF8, 1.0));
  const Statement step = f.assign("out", call(kMultiply, {f.local("out"), f.local("x")}));
  return python_kernel(
      "dl->d", f.finish(ValueType::scalar(kF8),
                        {start, f.for_range("i", {integer(0), f.local("n"), integer(1)}, {step}),
                         give_back(f.local("out"))}));
}

// Every kind of for: hoisted bounds, a non-constant step, a variable used after the loop.
TypedKernel ranges() {
  Builder f("ranges");
  f.parameter("n", kI8).parameter("step", kI8);
  for (const char* name : {"i", "j", "k", "last"}) f.add_local(name, ValueType::scalar(kI8));
  const Statement start = f.assign("total", integer(0));
  const auto add = [&](const char* name) {
    return f.assign("total", call(kAdd, {f.local("total"), f.local(name)}));
  };
  const Statement shrink = f.assign("n", call(kSubtract, {f.local("n"), integer(1)}));
  const Expression half = call(kFloorDivide, {f.local("n"), integer(2)});
  return python_kernel(
      "ll->l",
      f.finish(ValueType::scalar(kI8),
               {start, f.for_range("i", {integer(0), half, integer(1)}, {add("i")}),
                f.for_range("j", {f.local("n"), integer(0), integer(-1)}, {add("j"), shrink}),
                f.for_range("k", {integer(0), f.local("n"), f.local("step")},
                            {branch(call(kEqual, {f.local("k"), integer(7)}),
                                    {jump(StatementKind::kContinue)}),
                             add("k")}),
                f.assign("last", integer(-1)),
                f.for_range("last", {integer(0), integer(3), integer(1)}, {add("last")}),
                give_back(call(kAdd, {f.local("total"), f.local("last")}))}));
}

TypedKernel matmul() {
  Builder f("matmul");
  for (const char* name : {"a", "b", "out"}) f.parameter(name, ValueType::array(kF8, 2));
  for (const char* name : {"i", "j", "k"}) f.add_local(name, ValueType::scalar(kI8));
  const Statement start = f.assign("s", number(kF8, 0.0));
  const Expression product = call(kMultiply, {f.load("a", {f.local("i"), f.local("k")}),
                                              f.load("b", {f.local("k"), f.local("j")})});
  const Statement step = f.assign("s", call(kAdd, {f.local("s"), product}));
  const auto range = [&](const char* array, int axis) {
    return std::vector<Expression>{integer(0), f.size(array, axis), integer(1)};
  };
  const Statement inner = f.for_range("k", range("a", 1), {step});
  const Statement row =
      f.for_range("j", range("b", 1),
                  {start, inner, f.store("out", {f.local("i"), f.local("j")}, f.local("s"))});
  return generalized_kernel("(m,k),(k,n)->(m,n)", "dd->d",
                            f.finish({}, {f.for_range("i", range("a", 0), {row})}));
}

// A local array, a view of one of its rows, and elements of a constant array.
TypedKernel arrays() {
  using Kind = declare::ArrayStorage::Kind;
  const auto table = std::make_shared<const declare::ConstantArray>(
      declare::ConstantArray{DType::kInt16, {2}, std::string("\x05\x00\xff\xff", 4)});
  Builder f("arrays");
  f.parameter("a", ValueType::array(kF8, 1, true)).parameter("out", ValueType::array(kF8, 1));
  f.add_local("i", ValueType::scalar(kI8));
  f.add_local("pair", ValueType::array(kF8, 2), {Kind::kLocal, {2, 3}, nullptr});
  f.add_local("table", ValueType::array(DType::kInt16, 1, true), {Kind::kConstant, {2}, table});
  const ValueType row_type = ValueType::array(kF8, 1);
  const Expression i = f.local("i");
  const Expression row = node(ExpressionKind::kView, row_type,
                              {f.local("pair"), integer(1), node(ExpressionKind::kSlice, {})});
  const Expression scaled =
      call(kMultiply, {f.load("a", {i}), cast(kF8, f.load("table", {integer(-1)}))});
  const Statement loop =
      f.for_range("i", {integer(0), f.size("a", 0), integer(1)},
                  {f.assign("pair", node(ExpressionKind::kZeroArray, ValueType::array(kF8, 2))),
                   f.assign("row", row), f.store("row", {integer(2)}, scaled),
                   f.store("out", {i}, f.load("pair", {integer(1), integer(2)}))});
  return generalized_kernel("(n)->(n)", "d->d", f.finish({}, {loop}));
}

TypedKernel moving_average() {
  Builder f("moving_average");
  f.parameter("a", ValueType::array(kF8, 1)).parameter("window", kI8);
  f.parameter("out", ValueType::array(kF8, 1)).parameter("total", ValueType::array(kF8, 1));
  f.add_local("i", ValueType::scalar(kI8));
  const Expression i = f.local("i");
  const Statement start = f.assign("s", number(kF8, 0.0));
  const Statement add = f.assign("s", call(kAdd, {f.local("s"), f.load("a", {i})}));
  const Expression old = f.load("a", {call(kSubtract, {i, f.local("window")})});
  const Statement drop = branch(call(kGreaterEqual, {i, f.local("window")}),
                                {f.assign("s", call(kSubtract, {f.local("s"), old}))});
  const Statement count =
      f.assign("n", call(kMinimum, {call(kAdd, {i, integer(1)}), f.local("window")}));
  const Statement write =
      f.store("out", {i}, call(kTrueDivide, {f.local("s"), cast(kF8, f.local("n"))}));
  return generalized_kernel(
      "(n),()->(n),()", "dl->dd",
      f.finish({}, {start,
                    f.for_range("i", {integer(0), f.size("a", 0), integer(1)},
                                {add, drop, count, write}),
                    f.store("total", {integer(0)}, f.local("s")), jump(StatementKind::kReturn)}));
}

TypedKernel two_outputs() {
  Builder f("divmod2");
  f.parameter("x", kF8).parameter("y", kF8);
  const Expression operands[] = {f.local("x"), f.local("y")};
  const Expression both_results = tuple({call(kFloorDivide, {operands[0], operands[1]}),
                                         call(kRemainder, {operands[0], operands[1]})});
  return python_kernel("dd->dd", f.finish(both_results.type, {give_back(both_results)}));
}

TypedKernel conditions() {
  Builder f("conditions");
  f.parameter("x", kF8).parameter("y", kF8);
  f.add_local("sign", ValueType::scalar(kF8));
  const auto compare = [&](Operation operation, const char* name, double value) {
    return call(operation, {f.local(name), number(kF8, value)});
  };
  const Statement set = branch(
      both(compare(kGreater, "x", 0), either(compare(kLess, "y", 1), call(kIsNan, {f.local("y")}))),
      {f.assign("sign", number(kF8, 1.0))},
      {branch(compare(kLess, "x", 0), {f.assign("sign", number(kF8, -1.0))},
              {f.assign("sign", number(kF8, 0.0))})});
  const Expression pick =
      select(call(kEqual, {f.local("sign"), number(kF8, 0.0)}), f.local("y"), f.local("x"));
  return python_kernel(
      "dd->d",
      f.finish(ValueType::scalar(kF8), {set, give_back(call(kCopySign, {pick, f.local("sign")}))}));
}

TypedKernel clashes() {
  Builder f("double");
  for (const char* name : {"double", "npp", "double_", "日本", "__x", "_X", "call", "NPP_FUNCTION"})
    f.parameter(name, kF4);
  Expression sum = f.local("double");
  for (const char* name : {"npp", "double_", "日本", "__x", "_X", "call", "NPP_FUNCTION"})
    sum = call(kAdd, {sum, f.local(name)});
  return python_kernel("ffffffff->f", f.finish(ValueType::scalar(kF4), {give_back(sum)}));
}

TypedKernel constants() {
  Builder f("constants");
  f.parameter("x", DType::kFloat16);
  const auto limit = std::numeric_limits<std::int64_t>::min();
  const Statement least = f.assign("least", integer(limit));
  const Statement most = f.assign("most", number(DType::kUInt64, ~std::uint64_t{0}));
  const Statement infinite = f.assign("infinite", number(kF8, -HUGE_VAL));
  const Statement unit = f.assign("unit", number(DType::kComplex64, std::complex<double>(0, 1)));
  const Statement flag = f.assign("flag", boolean(true));
  return python_kernel(
      "e->e", f.finish(ValueType::scalar(DType::kFloat16),
                       {least, most, infinite, unit, flag,
                        give_back(call(kMultiply, {f.local("x"), number(DType::kFloat16, 0.1)}))}));
}

TypedKernel cpp_kernel(const std::string& name, std::string_view types,
                       const declare::CppKernel& body) {
  return {name, signature(types), {}, body};
}

Program cpp_return() {
  Program result = program(
      cpp_kernel("hypot \"2\"", "ff->f", {"return sqrt(x*x + scale*y*y);", {"x", "y"}, {}}));
  result.preamble = "static constexpr float scale = 2;";
  return result;
}

Program cpp_outputs() {
  return program(
      cpp_kernel("divide", "dl->dl",
                 {"if (y == 0) return;\nq = x / y;\nwhole = q;", {"x", "y"}, {"q", "whole"}}));
}

Program cpp_generalized() {
  TypedKernel kernel =
      cpp_kernel("scaled_sum", "dd->d",
                 {"double s = 0;\nfor (int i = 0; i < 3; ++i) s += w * a(i);\nout[0] = s;",
                  {"a", "w"},
                  {"out"}});
  kernel.layout = declare::parse_core_signature("(3),()->()");
  return program(kernel);
}

Program two_kernels() {
  Program result = program(gaussian_pdf());
  result.name = "two";
  result.math = declare::MathMode::kLibm;
  result.kernels.push_back(polar_distance());
  result.kernels.push_back(polar_distance());
  return result;
}

// A body that a device computes on four elements at once.
TypedKernel packed() {
  constexpr DType kU1 = DType::kUInt8;
  Builder f("packed");
  f.parameter("x", kU1).parameter("y", kU1);
  const Expression sum = call(kAdd, {f.local("x"), number(kU1, std::uint64_t{200})});
  const Expression bits = call(kBitwiseOr, {sum, call(kInvert, {f.local("y")})});
  const Expression difference = call(kSubtract, {bits, call(kBitwiseAnd, {f.local("x"), sum})});
  return python_kernel(
      "BB->B",
      f.finish(ValueType::scalar(kU1), {give_back(call(kBitwiseXor, {difference, f.local("y")}))}));
}

}  // namespace

std::vector<Example> examples() {
  return {{"gaussian_pdf", program(gaussian_pdf())},
          {"polar_distance", program(polar_distance())},
          {"mandelbrot", program(mandelbrot())},
          {"intpow", program(intpow())},
          {"ranges", program(ranges())},
          {"matmul", program(matmul())},
          {"arrays", program(arrays())},
          {"moving_average", program(moving_average())},
          {"two_outputs", program(two_outputs())},
          {"conditions", program(conditions())},
          {"clashes", program(clashes())},
          {"constants", program(constants())},
          {"cpp_return", cpp_return()},
          {"cpp_outputs", cpp_outputs()},
          {"cpp_generalized", cpp_generalized()},
          {"two_kernels", two_kernels()},
          {"packed", program(packed())}};
}

}  // namespace numpy_plugin::emit::test
