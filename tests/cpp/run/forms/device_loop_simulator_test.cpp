// Loops on the simulated device, with NVRTC's code: every launch form gives the values of a loop
// over all elements.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"
#include "run/forms/simulator_fixture.hpp"
#include "run/launch/call_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
using base::DType;

emit::Program program() {
  const declare::CppBody body{"blend", "return 2 * x + y;", {"x", "y"}, {}};
  declare::TypeSignature signature;
  signature.inputs = {{kF4, 0}, {kF4, 0}};
  signature.outputs = {{kF4, 0}};
  return {"blend", {declare::type_cpp_kernel(body, signature, {})}, {}, ""};
}

// Operands x, y, optionally a mask, and the result in one buffer each. Elements are small integers,
// so that all arithmetic is exact.
class Arrays {
 public:
  static constexpr std::size_t kBytes = 1 << 22;

  explicit Arrays(const std::shared_ptr<Stream>& stream) : stream_(stream) {
    for (std::size_t i = 0; i < 4; ++i) {
      buffers_.push_back(std::make_unique<DeviceBuffer>(stream, kBytes));
      bytes_.emplace_back(kBytes);
    }
  }

  std::uint64_t address(std::size_t i, std::int64_t offset) const {
    return buffers_[i]->address() + static_cast<std::uint64_t>(offset);
  }
  std::byte* bytes(std::size_t i) { return bytes_[i].data(); }

  template <class T>
  void fill(std::size_t i, std::mt19937& random, unsigned most) {
    for (std::size_t at = 0; at < kBytes; at += sizeof(T)) {
      const T value = static_cast<T>(random() % (most + 1));
      std::memcpy(bytes(i) + at, &value, sizeof(T));
    }
  }
  void copy_to_device() {
    const CurrentContext current(*stream_->device());
    const load::Driver& driver = stream_->device()->driver();
    for (std::size_t i = 0; i < 4; ++i)
      driver.check(driver.cuMemcpyHtoDAsync(address(i, 0), bytes(i), kBytes, stream_->handle()),
                   "to copy");
  }
  std::vector<std::byte> result() {
    std::vector<std::byte> bytes(kBytes);
    const CurrentContext current(*stream_->device());
    const load::Driver& driver = stream_->device()->driver();
    driver.check(driver.cuMemcpyDtoHAsync(bytes.data(), address(3, 0), kBytes, stream_->handle()),
                 "to copy");
    stream_->synchronize();
    return bytes;
  }

 private:
  std::shared_ptr<Stream> stream_;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
  std::vector<std::vector<std::byte>> bytes_;
};

class DeviceLoopSimulatorTest : public OnSimulator<testing::Test> {
 protected:
  void SetUp() override {
    OnSimulator::SetUp();
    if (IsSkipped()) return;
    arrays_ = std::make_unique<Arrays>(stream_);
  }

  std::shared_ptr<DeviceLoop> make_loop(std::vector<DType> stored) {
    return std::make_shared<DeviceLoop>(
        device_, DeviceLoop::Recipe{program(), std::move(stored),
                                    [this](const Device&, const emit::Source& s) {
                                      ++n_compilations_;
                                      return jit::compile_to_ptx(s, {.arch = "sm_90"});
                                    }});
  }

  std::unique_ptr<Arrays> arrays_;
  std::atomic<int> n_compilations_ = 0;
};

// A call on Arrays: offsets and strides in elements.
struct Case {
  const char* name;
  LaunchForm form;
  Numbers shape;
  struct {
    std::int64_t offset;
    Numbers strides;
  } x, y, out;
  Numbers mask = {};
};

constexpr LaunchForm kContiguous = LaunchForm::kContiguous, kRows = LaunchForm::kRows,
                     kShortRows = LaunchForm::kShortRows, kTransposed = LaunchForm::kTransposed,
                     kStrided = LaunchForm::kStrided;

const Case kCases[] = {
    {"one", kContiguous, {}, {3, {}}, {5, {}}, {7, {}}},
    {"few", kContiguous, {1001}, {1, {1}}, {0, {1}}, {2, {1}}},
    {"many", kContiguous, {300, 1003}, {0, {1003, 1}}, {4, {1003, 1}}, {0, {1003, 1}}},
    {"many with a scalar", kContiguous, {300001}, {0, {1}}, {3, {0}}, {0, {1}}},
    {"many downwards", kContiguous, {300000}, {299999, {-1}}, {299999, {-1}}, {299999, {-1}}},
    {"many, unaligned", kStrided, {300001}, {0, {1}}, {1, {1}}, {0, {1}}},
    {"rows", kRows, {9, 2048}, {0, {2100, 1}}, {4, {2048, 1}}, {0, {2048, 1}}},
    {"rows, unaligned", kRows, {9, 1201}, {0, {1300, 1}}, {1, {1201, 1}}, {0, {1201, 1}}},
    {"outer", kShortRows, {60, 700}, {1, {1, 0}}, {0, {0, 1}}, {0, {700, 1}}},
    {"a row of scalars", kRows, {3, 4, 1024}, {0, {4, 1, 0}}, {0, {0, 0, 1}}, {0, {8400, 2100, 1}}},
    {"steps", kStrided, {5000}, {0, {3}}, {2, {2}}, {1, {5}}},
    {"transposed", kStrided, {90, 70}, {0, {1, 90}}, {0, {70, 1}}, {0, {71, 1}}},
    {"planes",
     kTransposed,
     {7, 200, 105},
     {0, {21000, 1, 200}},
     {3, {0, 105, 1}},
     {0, {21005, 105, 1}}},
    {"masked planes", kTransposed, {200, 705}, {0, {1, 200}}, {3, {0, 1}}, {0, {705, 1}}, {1, 200}},
    {"backwards", kStrided, {90, 70}, {6299, {-70, -1}}, {0, {70, 1}}, {0, {70, 1}}},
    {"five",
     kStrided,
     {3, 4, 5, 6, 7},
     {0, {1, 3, 12, 60, 360}},
     {9, {0, 7, 0, 1, 0}},
     {0, {9000, 2000, 300, 40, 1}}},
    {"masked", kStrided, {40, 130}, {0, {130, 1}}, {0, {0, 1}}, {0, {130, 1}}, {1, 40}},
    {"many, masked",
     kContiguous,
     {300, 1003},
     {0, {1003, 1}},
     {4, {1003, 1}},
     {0, {1003, 1}},
     {1003, 1}},
    {"masked rows", kRows, {9, 2048}, {0, {2100, 1}}, {4, {0, 1}}, {0, {2048, 1}}, {2048, 1}},
    {"a mask of rows", kRows, {9, 2048}, {0, {2100, 1}}, {4, {0, 1}}, {0, {2048, 1}}, {1, 0}},
    {"short rows", kShortRows, {2000, 96}, {0, {100, 1}}, {4, {0, 1}}, {0, {104, 1}}},
    {"few short rows", kShortRows, {9, 1200}, {0, {1300, 1}}, {4, {1200, 1}}, {0, {1200, 1}}},
    {"short rows of scalars",
     kShortRows,
     {30, 40, 8},
     {1, {1, 30, 0}},
     {0, {0, 0, 1}},
     {0, {400, 8, 1}}},
    {"masked short rows",
     kShortRows,
     {40, 1200},
     {0, {1204, 1}},
     {4, {0, 1}},
     {0, {1200, 1}},
     {1200, 1}},
};

struct Types {
  const char* name;
  DType x, y, out;
};

template <class T>
double number(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<double>(value);
}
double read(DType dtype, const std::byte* at) {
  return dtype == kF4 ? number<float>(at) : dtype == kI4 ? number<int>(at) : number<double>(at);
}
void write(DType dtype, std::byte* at, double value) {
  if (dtype == kF8) std::memcpy(at, &value, sizeof(value));
  const auto narrow = static_cast<float>(value);
  if (dtype == kF4) std::memcpy(at, &narrow, sizeof(narrow));
}

Numbers in_bytes(Numbers strides, DType dtype) {
  for (std::int64_t& stride : strides)
    stride *= static_cast<std::int64_t>(base::info(dtype).n_bytes);
  return strides;
}
std::int64_t in_bytes(std::int64_t n, DType dtype) {
  return n * static_cast<std::int64_t>(base::info(dtype).n_bytes);
}

// Expected bytes of the output.
std::vector<std::byte> expected_result(const Case& example, const Types& types, Arrays& arrays) {
  std::vector<std::byte> result(arrays.bytes(3), arrays.bytes(3) + Arrays::kBytes);
  Numbers index(example.shape.size(), 0);
  const auto offset = [&](std::int64_t first, const Numbers& strides) {
    for (std::size_t axis = 0; axis < strides.size(); ++axis) first += strides[axis] * index[axis];
    return first;
  };
  for (;;) {
    const bool is_wanted = example.mask.empty() ||
                           number<std::uint8_t>(arrays.bytes(2) + offset(0, example.mask)) != 0;
    const double x = read(
        types.x, arrays.bytes(0) + in_bytes(offset(example.x.offset, example.x.strides), types.x));
    const double y = read(
        types.y, arrays.bytes(1) + in_bytes(offset(example.y.offset, example.y.strides), types.y));
    if (is_wanted)
      write(types.out,
            result.data() + in_bytes(offset(example.out.offset, example.out.strides), types.out),
            2 * x + y);
    std::size_t axis = index.size();
    while (axis > 0 && ++index[axis - 1] == example.shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return result;
  }
}

BuiltCall build(const Case& example, const Types& types, const Arrays& arrays) {
  const auto place = [&](std::size_t i, DType dtype, std::int64_t first, const Numbers& strides) {
    return Place{dtype, arrays.address(i, in_bytes(first, dtype)), in_bytes(strides, dtype)};
  };
  std::vector<Place> places = {place(0, types.x, example.x.offset, example.x.strides),
                               place(1, types.y, example.y.offset, example.y.strides)};
  if (!example.mask.empty()) places.push_back(place(2, kBool, 0, example.mask));
  places.push_back(place(3, types.out, example.out.offset, example.out.strides));
  return BuiltCall(example.shape, places, 2, !example.mask.empty());
}

bool has_vectors(const Case& example) {
  const std::string_view name = example.name;
  return example.form != kStrided && example.form != kTransposed && name != "one" &&
         name != "few" && name != "rows, unaligned";
}

constexpr Types kTypes[] = {{"of the kernel's types", kF4, kF4, kF4},
                            {"with casts", kI4, kF8, kF8}};

void fill(Arrays& arrays, const Types& types) {
  std::mt19937 random(7);
  types.x == kF4 ? arrays.fill<float>(0, random, 100) : arrays.fill<int>(0, random, 100);
  types.y == kF4 ? arrays.fill<float>(1, random, 100) : arrays.fill<double>(1, random, 100);
  arrays.fill<std::uint8_t>(2, random, 1);
  arrays.fill<float>(3, random, 100);
}

TEST_F(DeviceLoopSimulatorTest, ComputesInEveryForm) {
  for (const Types& types : kTypes) {
    const auto loop = make_loop({types.x, types.y, types.out});
    fill(*arrays_, types);
    for (const Case& example : kCases) {
      SCOPED_TRACE(std::string(example.name) + ", " + types.name);
      const BuiltCall built = build(example, types, *arrays_);
      const LaunchExplanation explanation = loop->explain(built.call());
      EXPECT_EQ(explanation.form, example.form) << explanation.reason;
      EXPECT_EQ(explanation.vector_bytes > 0, has_vectors(example)) << explanation.reason;
      arrays_->copy_to_device();
      loop->launch(stream_, built.call());
      EXPECT_TRUE(arrays_->result() == expected_result(example, types, *arrays_));
    }
  }
  EXPECT_EQ(n_compilations_, 24);
}

// Kernels for 2^31 elements and more, whose calls would take too long here: launched with their
// arguments for fewer elements.
TEST_F(DeviceLoopSimulatorTest, ComputesInSixtyFourBits) {
  const Types& types = kTypes[0];
  fill(*arrays_, types);
  for (const Case& example : kCases) {
    SCOPED_TRACE(example.name);
    const BuiltCall built = build(example, types, *arrays_);
    const Iteration iteration(built.call().shape, built.strides());
    const PlacedCall placed{built.call(), iteration, 2};
    analysis::DeviceForm form;
    form.is_wide = true;
    form.is_masked = built.call().is_masked;
    const auto shape_of = [&](LaunchForm launch, int n_dimensions) {
      form.launch = launch;
      form.n_dimensions = n_dimensions;
      return emit::emit_cuda(program(), form).launch_shapes.front();
    };
    LaunchChoice choice = choose_launch(
        placed, {shape_of(kContiguous, 4), shape_of(kRows, 4), shape_of(kTransposed, 4),
                 shape_of(kStrided, 1), shape_of(kStrided, 4), /*n_multiprocessors=*/4});
    choice.is_wide = true;
    form.launch = choice.form;
    form.n_dimensions = choice.n_dimensions;
    const emit::Source source = emit::emit_cuda(program(), form);
    const std::string& name = source.entry_points.front();
    const DeviceModule module(device_, jit::compile_to_ptx(source, {.arch = "sm_90"}), name, {},
                              CodeAuthor::kPackage);
    ArgumentBuffer arguments;
    const unsigned grid = pack_launch(placed, choice, source.launch_shapes.front(), arguments);
    arrays_->copy_to_device();
    launch_kernel(*stream_, {module.function(name), name, grid, kLaunchThreads}, arguments);
    EXPECT_TRUE(arrays_->result() == expected_result(example, types, *arrays_));
  }
}

TEST_F(DeviceLoopSimulatorTest, TakesValues) {
  const auto loop = make_loop({kI4, kF4, kF4});
  BuiltCall built({300},
                  {{kI4, 0, {}, true}, {kF4, 0, {}, true}, {kF4, arrays_->address(3, 0), {4}}}, 2);
  built.set_value(0, 20);
  built.set_value(1, 0.5f);
  loop->launch(stream_, built.call());
  const BuiltCall steps({300},
                        {{kI4, 0, {}, true},
                         {kF4, arrays_->address(3, 0), {4}},
                         {kF4, arrays_->address(3, 4096), {8}}},
                        2);
  loop->launch(stream_, steps.call());
  const std::vector<std::byte> result = arrays_->result();
  EXPECT_EQ(number<float>(result.data() + 4 * 299), 40.5);
  EXPECT_EQ(number<float>(result.data() + 4096 + 8 * 299), 40.5);
}

TEST_F(DeviceLoopSimulatorTest, CompilesOnceForManyThreads) {
  const auto loop = make_loop({kF4, kF4, kF4});
  fill(*arrays_, kTypes[0]);
  arrays_->copy_to_device();
  stream_->synchronize();
  const BuiltCall built = build(kCases[1], kTypes[0], *arrays_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto stream = std::make_shared<Stream>(device_, Stream::Kind::kOwn);
      loop->launch(stream, built.call());
      stream->synchronize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(n_compilations_, 1);
  EXPECT_TRUE(arrays_->result() == expected_result(kCases[1], kTypes[0], *arrays_));
}

}  // namespace
}  // namespace numpy_plugin::run
