#include "numpy_plugin/run/cpu/reduce/reduction_tree.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace numpy_plugin::run {

using std::intptr_t;

LaneBuffer::LaneBuffer(std::span<const std::size_t> item_bytes, intptr_t n_lanes, bool is_masked) {
  const auto n = static_cast<std::size_t>(n_lanes);
  for (const std::size_t n_bytes : item_bytes) items_.emplace_back(n * n_bytes);
  for (std::vector<char>& item : items_) lanes_.items.push_back(item.data());
  if (!is_masked) return;
  present_.resize(n);
  lanes_.present = present_.data();
}

void Combiner::call(Operand left, Operand right, const Lanes& to, intptr_t n) const {
  PerOperand<char*> args;
  PerOperand<intptr_t> steps;
  const auto add = [&](const Operand& operand) {
    for (std::size_t i = 0; i < item_bytes_.size(); ++i) {
      args.push_back(operand.lanes.items[i]);
      steps.push_back(operand.step * static_cast<intptr_t>(item_bytes_[i]));
    }
  };
  add(left);
  add(right);
  add({to});
  loop_(args.data(), steps.data(), n);
}

void Combiner::copy(const Lanes& to, const Lanes& from, intptr_t n) const {
  const auto count = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < item_bytes_.size(); ++i) {
    std::memcpy(to.items[i], from.items[i], count * item_bytes_[i]);
  }
  if (to.present != nullptr) std::copy_n(from.present, count, to.present);
}

// In runs of lanes that are alike: `call_both` takes their first lane and their number.
template <class Call>
void Combiner::combine_present(const Lanes& to, const Lanes& from, intptr_t n,
                               const Call& call_both) const {
  if (to.present == nullptr) return call_both(0, n);
  for (intptr_t begin = 0, end = 0; begin < n; begin = end) {
    const auto kind = [&](intptr_t i) { return 2 * from.present[i] + to.present[i]; };
    end = begin + 1;
    while (end < n && kind(end) == kind(begin)) ++end;
    if (kind(begin) == 3) call_both(begin, end - begin);
    if (kind(begin) == 2) copy(at(to, begin), at(from, begin), end - begin);
  }
}

void Combiner::accumulate(const Lanes& to, const Lanes& from, intptr_t n) const {
  combine_present(to, from, n, [&](intptr_t first, intptr_t count) {
    const Lanes left = at(to, first), right = at(from, first);
    call({left}, {right}, left, count);
  });
}

void Combiner::prepend(const Lanes& to, const Lanes& from, intptr_t n) const {
  combine_present(to, from, n, [&](intptr_t first, intptr_t count) {
    const Lanes left = at(from, first), right = at(to, first);
    call({left}, {right}, right, count);
  });
}

void Combiner::combine_pairs(const Lanes& from, const Lanes& to, intptr_t n_pairs) const {
  if (from.present == nullptr) {
    const Lanes right = at(from, 1);
    return call({from, 2}, {right, 2}, to, n_pairs);
  }
  for (intptr_t pair = 0; pair < n_pairs; ++pair) {
    const Lanes into = at(to, pair);
    copy(into, at(from, 2 * pair), 1);
    accumulate(into, at(from, 2 * pair + 1), 1);
  }
}

const Lanes& Combiner::combine_slots(const Lanes& slots, const Lanes& other, intptr_t n) const {
  const Lanes* from = &slots;
  const Lanes* to = &other;
  for (; n > 1; n = (n + 1) / 2) {
    combine_pairs(*from, *to, n / 2);
    if (n % 2 != 0) copy(at(*to, n / 2), at(*from, n - 1), 1);
    std::swap(from, to);
  }
  return *from;
}

ChunkReducer::ChunkReducer(const ReductionSource& source, const ReductionLoop& combine)
    : source_(source),
      combiner_(combine, source.item_bytes()),
      loaded_(source.item_bytes(), kChunkElements, source.is_masked()),
      slots_(source.item_bytes(), kMaxOutputs, source.is_masked()) {}

void ChunkReducer::reduce_elements(intptr_t output, intptr_t chunk, const Lanes& to) {
  const intptr_t first = chunk * kChunkElements;
  const intptr_t n = std::min(kChunkElements, source_.n_elements() - first);
  const Lanes& slots = loaded_;
  source_.load_elements({output, first}, n, slots);
  for (intptr_t row = kSlots; row < n; row += kSlots) {
    combiner_.accumulate(slots, lanes_from(slots, row, source_.item_bytes()),
                         std::min(kSlots, n - row));
  }
  combiner_.copy(to, combiner_.combine_slots(slots, slots_, std::min(kSlots, n)), 1);
}

// A binary counter: level k has the value of 2^k slots where the bit k of their number is set.
void ChunkReducer::reduce_outputs(intptr_t first_output, intptr_t n, intptr_t chunk,
                                  const Lanes& to) {
  if (levels_.empty()) {
    for (std::size_t i = 0; i < kLevels; ++i) {
      levels_.emplace_back(source_.item_bytes(), kMaxOutputs, source_.is_masked());
    }
  }
  const intptr_t first = chunk * kChunkElements;
  const intptr_t end = std::min(first + kChunkElements, source_.n_elements());
  const intptr_t n_slots = std::min(kSlots, end - first);
  for (intptr_t slot = 0; slot < n_slots; ++slot) {
    const Lanes& value = slots_;
    source_.load_outputs({first_output, first + slot}, n, value);
    for (intptr_t element = first + slot + kSlots; element < end; element += kSlots) {
      source_.load_outputs({first_output, element}, n, loaded_);
      combiner_.accumulate(value, loaded_, n);
    }
    std::size_t level = 0;
    for (; (slot >> level & 1) != 0; ++level) combiner_.prepend(value, levels_[level], n);
    combiner_.copy(levels_[level], value, n);
  }
  bool has_value = false;
  for (std::size_t level = 0; level < kLevels; ++level) {
    if ((n_slots >> level & 1) == 0) continue;
    has_value ? combiner_.prepend(to, levels_[level], n) : combiner_.copy(to, levels_[level], n);
    has_value = true;
  }
}

}  // namespace numpy_plugin::run
