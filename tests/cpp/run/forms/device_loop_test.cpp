// Loops on the stub device, whose "compiled" code is the name of its kernel: what is compiled when,
// and the state after failures.
#include "numpy_plugin/run/forms/device_loop.hpp"

#include <memory>

#include "load/stub_test.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "run/launch/call_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
using base::DType;

emit::Program saxpy() {
  const declare::CppBody body{"saxpy", "return 2 * x + y;", {"x", "y"}, {}};
  declare::TypeSignature signature;
  signature.inputs = {{kF4, 0}, {kF4, 0}};
  signature.outputs = {{kF4, 0}};
  return {"saxpy", {declare::type_cpp_kernel(body, signature, {})}, {}, ""};
}

class DeviceLoopTest : public StubTest {
 protected:
  // Records compilations; fails `n_failures` times.
  std::string compile(const emit::Source& source) {
    if (n_failures_-- > 0) throw base::Error(base::ErrorKind::kCompiler, "it does not compile");
    compiled_.push_back(source.entry_points.front());
    return is_broken_ ? "" : compiled_.back();
  }

  std::shared_ptr<DeviceLoop> make_loop(std::vector<DType> stored = {kF4, kF4, kF4}) {
    return std::make_shared<DeviceLoop>(
        device_, DeviceLoop::Recipe{saxpy(), std::move(stored),
                                    [this](const Device&, const emit::Source& source) {
                                      return compile(source);
                                    }});
  }

  static BuiltCall contiguous(std::int64_t n) {
    return BuiltCall({n}, {{kF4, 0x1000, {4}}, {kF4, 0x20000, {4}}, {kF4, 0x30000, {4}}}, 2);
  }

  template <class Error>
  std::string error_of(const DeviceLoop& loop, const BuiltCall& built) {
    try {
      loop.launch(stream_, built.call());
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  const load::OpenedDriver opened_ = load::open_driver(NPP_STUB_DRIVER);
  std::shared_ptr<Device> device_ = std::make_shared<Device>(*opened_.driver, 0);
  std::shared_ptr<Stream> stream_ = std::make_shared<Stream>(device_, Stream::Kind::kDefault);
  std::vector<std::string> compiled_;
  int n_failures_ = 0;
  bool is_broken_ = false;
};

TEST_F(DeviceLoopTest, CompilesEachFormWhenItIsFirstLaunched) {
  const auto loop = make_loop();
  EXPECT_TRUE(compiled_.empty());
  const auto plain = contiguous(5000), short_call = contiguous(100);
  loop->launch(stream_, plain.call());
  loop->launch(stream_, short_call.call());
  EXPECT_EQ(compiled_, std::vector<std::string>{"npp_contiguous_0"});
  const BuiltCall rows({3, 1024},
                       {{kF4, 0x1000, {0, 4}}, {kF4, 0x2000, {4, 0}}, {kF4, 0x3000, {4096, 4}}}, 2);
  const BuiltCall strided({100}, {{kF4, 0x1000, {8}}, {kF4, 0x2000, {4}}, {kF4, 0x3000, {4}}}, 2);
  const BuiltCall masked(
      {100}, {{kF4, 0x1000, {4}}, {kF4, 0x2000, {4}}, {kBool, 0x2800, {1}}, {kF4, 0x3000, {4}}}, 2,
      /*is_masked=*/true);
  const BuiltCall wide(
      {2, 100},
      {{kF4, 0x1000, {std::int64_t{1} << 31, 8}}, {kF4, 0x2000, {400, 4}}, {kF4, 0x3000, {400, 4}}},
      2);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const BuiltCall* built : {&rows, &strided, &masked, &wide})
      loop->launch(stream_, built->call());
    EXPECT_EQ(compiled_.size(), 5u);
  }
  ASSERT_EQ(state().launches.size(), 10u);
  EXPECT_EQ(state().n_modules, 5);
  EXPECT_EQ(state().launches[0].block, 128u);
  EXPECT_EQ(state().launches[1].grid, 1u);
  EXPECT_EQ(state().launches[2].grid, 3u);
  EXPECT_EQ(state().n_pushed, 0);
}

TEST_F(DeviceLoopTest, LaunchesNothingForNothing) {
  const auto loop = make_loop();
  const auto built = contiguous(0);
  loop->launch(stream_, built.call());
  EXPECT_TRUE(compiled_.empty());
  EXPECT_TRUE(state().launches.empty());
  EXPECT_EQ(loop->explain(built.call()).reason, "nothing is launched: the call has no elements");
}

TEST_F(DeviceLoopTest, IsAsBeforeWhereCompilingFailed) {
  const auto loop = make_loop();
  const auto built = contiguous(100);
  n_failures_ = 1;
  EXPECT_EQ(error_of<base::Error>(*loop, built), "it does not compile");
  EXPECT_EQ(state().n_modules, 0);
  is_broken_ = true;
  const std::string error = error_of<load::CudaError>(*loop, built);
  for (const char* words :
       {"the CUDA driver failed to load 'saxpy', compiled",
        "CUDA_ERROR_INVALID_IMAGE (words of the stub); this driver of CUDA 13.0"}) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
  }
  is_broken_ = false;
  EXPECT_TRUE(state().launches.empty());
  loop->launch(stream_, built.call());
  EXPECT_EQ(state().launches.size(), 1u);
  EXPECT_EQ(state().n_modules, 1);
}

TEST_F(DeviceLoopTest, IsAsBeforeWhereTheLaunchFailed) {
  const auto loop = make_loop();
  const auto built = contiguous(100);
  state().launch_result = CUDA_ERROR_NOT_FOUND;
  EXPECT_EQ(error_of<load::CudaError>(*loop, built),
            "the CUDA driver failed to launch 'saxpy': CUDA_ERROR_NOT_FOUND "
            "(words of the stub)");
  EXPECT_EQ(state().n_pushed, 0);
  state().launch_result = 0;
  loop->launch(stream_, built.call());
  EXPECT_EQ(state().launches.size(), 1u);
  EXPECT_EQ(compiled_.size(), 1u);
}

TEST_F(DeviceLoopTest, UnloadsItsModules) {
  auto loop = make_loop();
  const auto built = contiguous(100);
  loop->launch(stream_, built.call());
  EXPECT_EQ(state().n_modules, 1);
  loop.reset();
  EXPECT_EQ(state().n_modules, 1);  // a kernel may still be running
  device_->synchronize();
  EXPECT_EQ(state().n_modules, 0);
  EXPECT_EQ(state().n_pushed, 0);
}

TEST_F(DeviceLoopTest, KeepsNoDeviceAlive) {
  const auto loop = make_loop();
  const auto built = contiguous(100);
  loop->launch(stream_, built.call());
  const std::weak_ptr<Device> device = device_;
  stream_.reset();
  device_.reset();
  EXPECT_TRUE(device.expired());
}

TEST_F(DeviceLoopTest, RefusesOperandsItIsNotMadeFor) {
  const auto loop = make_loop({kI4, kF4, kF4});
  const auto built = contiguous(100);
  EXPECT_NE(error_of<base::Error>(*loop, built).find("operand 0"), std::string::npos);
  const BuiltCall misaligned({100}, {{kI4, 0x1000, {4}}, {kF4, 0x2002, {4}}, {kF4, 0x3000, {4}}},
                             2);
  EXPECT_NE(error_of<base::Error>(*loop, misaligned).find("operand 1 at 8194"), std::string::npos);
  EXPECT_TRUE(state().launches.empty());
}

TEST_F(DeviceLoopTest, ExplainsWhatItWouldLaunch) {
  const auto loop = make_loop({kI4, kF4, DType::kFloat64});
  const BuiltCall built(
      {1 << 20}, {{kI4, 0x1000, {4}}, {kF4, 0, {}, true}, {DType::kFloat64, 0x3000, {8}}}, 2);
  const LaunchExplanation explanation = loop->explain(built.call());
  EXPECT_EQ(explanation.form, LaunchForm::kContiguous);
  EXPECT_FALSE(explanation.is_wide);
  EXPECT_FALSE(explanation.is_masked);
  EXPECT_EQ(explanation.casts, (std::vector<std::string>{"input 1: int32 to float32",
                                                         "output 1: float32 to float64"}));
  EXPECT_EQ(make_loop()->explain(contiguous(1 << 20).call()).vector_bytes, 16u);
  EXPECT_EQ(explanation.reason, "contiguous: the operands are one dimension of 1048576 elements");
  loop->launch(stream_, built.call());
  EXPECT_EQ(explanation.grid, state().launches[0].grid);
  EXPECT_EQ(explanation.grid * static_cast<unsigned>(explanation.elements_per_thread) * 128,
            1 << 20);

  const BuiltCall short_call(
      {200}, {{kI4, 0x1000, {4}}, {kF4, 0, {}, true}, {DType::kFloat64, 0x3000, {8}}}, 2);
  EXPECT_EQ(loop->explain(short_call.call()).elements_per_thread, 1);
  EXPECT_EQ(loop->explain(short_call.call()).vector_bytes, 0u);
  EXPECT_EQ(loop->explain(short_call.call()).grid, 2u);
}

}  // namespace
}  // namespace numpy_plugin::run
