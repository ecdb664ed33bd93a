// Copies and fills on the stub device, whose memory is the host's: every stride, and the number of
// driver calls.
#include "numpy_plugin/run/memory/device_copy.hpp"

#include <cstring>
#include <numeric>
#include <vector>

#include "load/stub_test.hpp"
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

class DeviceCopyTest : public StubTest {
 protected:
  // Numbers from 0 in an array of a shape.
  DeviceMemory make_array(const std::vector<std::int64_t>& shape) {
    const ArrayLayout layout = make_layout(shape, sizeof(double), ArrayOrder::kC);
    DeviceMemory array = {
        std::make_shared<DeviceBuffer>(stream_, static_cast<std::size_t>(layout.n_bytes())),
        layout};
    std::vector<double> values(static_cast<std::size_t>(layout.size()));
    std::iota(values.begin(), values.end(), 0.0);
    copy_from_host(stream_, array, values.data());
    return array;
  }
  std::vector<double> values_of(const DeviceMemory& array) {
    std::vector<double> values(static_cast<std::size_t>(array.layout.size()), -1);
    copy_to_host(stream_, array, values.data());
    return values;
  }

  const load::OpenedDriver opened_ = load::open_driver(NPP_STUB_DRIVER);
  const std::shared_ptr<Device> device_ = std::make_shared<Device>(*opened_.driver, 0);
  const std::shared_ptr<Stream> stream_ = std::make_shared<Stream>(device_, Stream::Kind::kDefault);
};

using Values = std::vector<double>;

TEST_F(DeviceCopyTest, ContiguousArraysTakeOneCall) {
  const DeviceMemory array = make_array({2, 3, 4});
  state().n_copies = 0;
  const Values values = values_of(array);
  EXPECT_EQ(values[23], 23.0);
  EXPECT_EQ(state().n_copies, 1);
  const DeviceMemory turned = {array.buffer, transposed(array.layout, {2, 0, 1})};
  EXPECT_EQ(values_of(turned), values);
  EXPECT_EQ(state().n_copies, 2);
}

TEST_F(DeviceCopyTest, ColumnsTakeOnePitchedCall) {
  const DeviceMemory array = make_array({3, 4});
  state().n_copies = 0;
  const DeviceMemory columns = {array.buffer, sliced(array.layout, 1, 1, 1, 2)};
  EXPECT_EQ(values_of(columns), (Values{1, 2, 5, 6, 9, 10}));
  const DeviceMemory column = {array.buffer, selected(array.layout, 1, 2)};
  EXPECT_EQ(values_of(column), (Values{2, 6, 10}));
  EXPECT_EQ(state().n_copies, 2);
}

TEST_F(DeviceCopyTest, BackwardViewsAreCopiedInTheOrderOfMemory) {
  const DeviceMemory array = make_array({5});
  const DeviceMemory backward = {array.buffer, sliced(array.layout, 0, 4, -2, 3)};
  EXPECT_EQ(values_of(backward), (Values{0, 2, 4}));  // 4, 2, 0 in packed() layout
}

TEST_F(DeviceCopyTest, ManyPiecesAreGatheredOnTheHost) {
  const DeviceMemory array = make_array({40, 3, 2});
  state().n_copies = 0;
  const DeviceMemory pieces = {array.buffer, sliced(sliced(array.layout, 2, 0, 2, 1), 1, 0, 2, 2)};
  Values expected;
  for (int i = 0; i < 40; ++i) {
    expected.push_back(6 * i);
    expected.push_back(6 * i + 4);
  }
  EXPECT_EQ(values_of(pieces), expected);
  EXPECT_EQ(state().n_copies, 1);
}

TEST_F(DeviceCopyTest, WritesNothingBetweenItsElements) {
  const DeviceMemory array = make_array({2, 3, 4});
  const DeviceMemory part = {array.buffer, sliced(sliced(array.layout, 2, 3, -3, 2), 1, 0, 2, 2)};
  const Values given = {100, 101, 102, 103, 104, 105, 106, 107};
  copy_from_host(stream_, part, given.data());
  const Values values = values_of(array);
  EXPECT_EQ(values, (Values{100, 1,  2,  101, 4,  5,  6,  7,  102, 9,  10, 103,
                            104, 13, 14, 105, 16, 17, 18, 19, 106, 21, 22, 107}));
}

TEST_F(DeviceCopyTest, CopiesBetweenOrdersOnTheDevice) {
  const DeviceMemory from = make_array({2, 3});
  const DeviceMemory to = make_array({3, 2});
  copy_on_device(stream_, {to.buffer, transposed(to.layout, {1, 0})}, from);
  EXPECT_EQ(values_of(to), (Values{0, 3, 1, 4, 2, 5}));
}

TEST_F(DeviceCopyTest, FillsWordsOfAnyPattern) {
  const DeviceMemory array = make_array({3, 4});
  const double value = 1.0 / 3;
  fill(stream_, array, &value);
  EXPECT_EQ(values_of(array), Values(12, value));
  state().n_fills = 0;
  const double zero = 0;
  fill(stream_, array, &zero);
  EXPECT_EQ(state().n_fills, 1);
  EXPECT_EQ(values_of(array), Values(12, 0.0));
}

TEST_F(DeviceCopyTest, FillsViews) {
  const DeviceMemory array = make_array({3, 4});
  const double value = 0.1;
  fill(stream_, {array.buffer, sliced(array.layout, 1, 3, -2, 2)}, &value);
  EXPECT_EQ(values_of(array), (Values{0, 0.1, 2, 0.1, 4, 0.1, 6, 0.1, 8, 0.1, 10, 0.1}));
  const double zero = 0;
  fill(stream_, {array.buffer, sliced(array.layout, 1, 1, 1, 2)}, &zero);
  EXPECT_EQ(values_of(array), (Values{0, 0, 0, 0.1, 4, 0, 0, 0.1, 8, 0, 0, 0.1}));
}

TEST_F(DeviceCopyTest, FillsElementsThatAreNoMultipleOfFourBytes) {
  const ArrayLayout layout = make_layout({4}, 3, ArrayOrder::kC);
  const DeviceMemory array = {std::make_shared<DeviceBuffer>(stream_, 12), layout};
  fill(stream_, array, "abc");
  char bytes[13] = {};
  copy_to_host(stream_, array, bytes);
  EXPECT_STREQ(bytes, "abcabcabcabc");
}

TEST_F(DeviceCopyTest, NothingIsDoneForNothing) {
  const DeviceMemory array = make_array({3, 0});
  EXPECT_EQ(array.address(), 0u);
  EXPECT_TRUE(values_of(array).empty());
  EXPECT_EQ(state().n_buffers, 0);
}

TEST_F(DeviceCopyTest, MemoryIsGivenBack) {
  { make_array({100}); }
  EXPECT_EQ(state().n_buffers, 0);
  EXPECT_EQ(state().n_pushed, 0);
}

TEST_F(DeviceCopyTest, SaysHowMuchMemoryWasMissing) {
  state().failing_allocation = 1;
  try {
    const DeviceBuffer buffer(stream_, 4000);
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kDeviceMemory);
    EXPECT_STREQ(error.what(),
                 "the CUDA driver failed to allocate 4000 bytes on 'Stub GPU' (1073741824 bytes in "
                 "all): CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  }
  EXPECT_EQ(state().n_pushed, 0);
}

TEST_F(DeviceCopyTest, DefaultStreamsWaitForOthersThatUseTheMemory) {
  const DeviceMemory array = make_array({4});
  const auto one = std::make_shared<Stream>(device_, Stream::Kind::kOwn);
  const auto other = std::make_shared<Stream>(device_, Stream::Kind::kOwn);
  state().n_waits = 0;
  array.buffer->use_on(stream_);
  EXPECT_EQ(state().n_waits, 0);
  array.buffer->use_on(one);  // waits for the default stream
  EXPECT_EQ(state().n_waits, 1);
  array.buffer->use_on(other);  // likewise, and not for the first
  EXPECT_EQ(state().n_waits, 2);
  array.buffer->use_on(stream_);  // waits for both
  EXPECT_EQ(state().n_waits, 4);
  array.buffer->use_on(stream_);
  EXPECT_EQ(state().n_waits, 4);
  EXPECT_EQ(array.buffer->last_stream(), stream_);
}

TEST_F(DeviceCopyTest, StreamsKeepObjectsUntilTheyAreDone) {
  const auto object = std::make_shared<int>(3);
  Stream stream(device_, Stream::Kind::kOwn);
  stream.keep(object);
  EXPECT_EQ(object.use_count(), 2);
  stream.synchronize();
  EXPECT_EQ(object.use_count(), 1);
  stream.keep(object);
  stream.synchronize();
  EXPECT_EQ(state().n_events, 1);  // the device keeps it for the next
}

}  // namespace
}  // namespace numpy_plugin::run
