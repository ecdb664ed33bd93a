// Each lane has a stream and the memory of one piece, on both sides. While the device computes one
// lane's piece, the host gathers the elements of the next and scatters those of the previous one.
#include "numpy_plugin/run/offload/host_call.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "numpy_plugin/run/memory/device_copy.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"

namespace numpy_plugin::run {
namespace {

constexpr std::int64_t kMostLanes = 3;
// Alignment of operands within a piece.
constexpr std::size_t kOperandAlignment = 256;

PieceCut cut(const HostCall& call) {
  return cut_into_pieces(call, kStagingBytes - call.operands.size() * kOperandAlignment);
}

ArrayLayout packed_at(const ArrayLayout& block, std::int64_t offset) {
  ArrayLayout layout = make_layout(block.shape, block.item_bytes, ArrayOrder::kC);
  layout.offset = offset;
  return layout;
}

// Strides of a packed block in a piece's shape.
std::vector<std::int64_t> launch_strides(const ArrayLayout& packed) {
  std::vector<std::int64_t> strides = packed.strides;
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    if (packed.shape[axis] == 1) strides[axis] = 0;
  return strides;
}

Piece whole(const HostCall& call) {
  return {std::vector<std::int64_t>(call.shape.size(), 0), call.shape};
}

// Operands that all pieces read: on the device for the whole call.
class SharedOperands {
 public:
  SharedOperands(const std::shared_ptr<Stream>& stream, const HostCall& call, const PieceCut& cut)
      : arrays_(call.operands.size()) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      if (is_shared(call, call.operands[i], cut)) copy(stream, call, i);
    }
    stream->synchronize();
  }

  // Null for operands that differ between pieces.
  const DeviceMemory* find(std::size_t operand) const {
    return arrays_[operand] ? &*arrays_[operand] : nullptr;
  }

 private:
  void copy(const std::shared_ptr<Stream>& stream, const HostCall& call, std::size_t i) {
    const HostBlock block = block_of(call.operands[i], whole(call));
    DeviceMemory& array = arrays_[i].emplace();
    array.layout = packed_at(block.layout, 0);
    array.buffer = std::make_shared<DeviceBuffer>(
        stream, static_cast<std::size_t>(array.layout.n_bytes()), "an operand of a ufunc");
    std::vector<std::byte> elements(array.buffer->n_bytes());
    block.gather(elements.data());
    copy_from_host(stream, array, elements.data());
    stream->synchronize();
  }

  std::vector<std::optional<DeviceMemory>> arrays_;
};

class Lane {
 public:
  Lane(const std::shared_ptr<Device>& device, const HostCall& call)
      : call_(call),
        stream_(std::make_shared<Stream>(device, Stream::Kind::kOfCall)),
        staging_(device),
        buffer_(std::make_shared<DeviceBuffer>(stream_, kStagingBytes, "operands of a ufunc")) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  ~Lane() {
    try {
      stream_->synchronize();       // copies of the staging memory may be in flight
    } catch (const base::Error&) {  // already reported where it occurred
    }
  }

  // Submits a piece to the device, after finishing the lane's previous one.
  void start(const DeviceLoop& loop, const SharedOperands& shared, const Piece& piece) {
    place(shared, piece);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].is_copied && call_.operands[i].is_read) send(parts_[i]);
    }
    launch(loop, piece);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (call_.operands[i].is_output)
        copy_to_host(stream_, parts_[i].array, staging_.data() + parts_[i].array.layout.offset);
    }
  }

  // Waits for the piece and writes its results; no effect without a piece.
  void finish() {
    if (parts_.empty()) return;
    stream_->synchronize();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (call_.operands[i].is_output)
        parts_[i].block.scatter(staging_.data() + parts_[i].array.layout.offset);
    }
    parts_.clear();
  }

 private:
  struct Part {
    HostBlock block;
    DeviceMemory array;
    std::vector<std::int64_t> strides;
    bool is_copied = false;  // with this piece
  };

  void place(const SharedOperands& shared, const Piece& piece) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < call_.operands.size(); ++i) {
      Part& part = parts_.emplace_back();
      if (call_.operands[i].is_value) continue;
      if (const DeviceMemory* array = shared.find(i)) {
        part.array = *array;
      } else {
        part.block = block_of(call_.operands[i], piece);
        part.array = {buffer_, packed_at(part.block.layout, static_cast<std::int64_t>(offset))};
        part.is_copied = true;
        const auto n_bytes = static_cast<std::size_t>(part.array.layout.n_bytes());
        offset += (n_bytes + kOperandAlignment - 1) / kOperandAlignment * kOperandAlignment;
      }
      part.strides = launch_strides(part.array.layout);
    }
    NPP_ASSERT(offset <= kStagingBytes, format("{} bytes of a piece", offset));
  }

  void send(const Part& part) {
    std::byte* const staged = staging_.data() + part.array.layout.offset;
    part.block.gather(staged);
    copy_from_host(stream_, part.array, staged);
  }

  void launch(const DeviceLoop& loop, const Piece& piece) const {
    std::vector<CallOperand> operands;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const HostCallOperand& from = call_.operands[i];
      CallOperand& operand = operands.emplace_back();
      operand.dtype = from.dtype;
      operand.is_value = from.is_value;
      operand.slot = from.slot;
      if (from.is_value) continue;
      operand.address = parts_[i].array.address();
      operand.strides = parts_[i].strides.data();
    }
    loop.launch(stream_, {piece.shape, operands, call_.is_masked});
  }

  const HostCall& call_;
  std::shared_ptr<Stream> stream_;
  Staging staging_;
  std::shared_ptr<DeviceBuffer> buffer_;
  std::vector<Part> parts_;  // of the piece in flight
};

}  // namespace

HostTraffic host_traffic(const HostCall& call) {
  HostTraffic traffic;
  traffic.n_pieces = count_pieces(call, cut(call));
  for (const HostCallOperand& operand : call.operands) {
    if (operand.is_value) continue;
    const std::int64_t n_bytes = block_of(operand, whole(call)).layout.n_bytes();
    if (operand.is_read) traffic.bytes_to_device += n_bytes;
    if (operand.is_output) traffic.bytes_to_host += n_bytes;
  }
  return traffic;
}

void run_host_call(const std::shared_ptr<Device>& device, const DeviceLoop& loop,
                   const HostCall& call) {
  const PieceCut pieces = cut(call);
  // Outlives the lanes, which wait for work that reads it.
  const SharedOperands shared(std::make_shared<Stream>(device, Stream::Kind::kOfCall), call,
                              pieces);
  std::deque<Lane> lanes;
  const std::int64_t n_lanes = std::min(kMostLanes, count_pieces(call, pieces));
  for (std::int64_t i = 0; i < n_lanes; ++i) lanes.emplace_back(device, call);
  std::size_t next = 0;
  for_each_piece(call, pieces, [&](const Piece& piece) {
    Lane& lane = lanes[next++ % lanes.size()];
    lane.finish();
    lane.start(loop, shared, piece);
  });
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[(next + i) % lanes.size()].finish();
}

}  // namespace numpy_plugin::run
