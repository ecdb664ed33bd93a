#include "numpy_plugin/run/cpu/reduce/map_reduce.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "numpy_plugin/run/reports/kernel_reports.hpp"

namespace numpy_plugin::run {

using std::intptr_t;

void ReductionLoop::operator()(char** args, const intptr_t* steps, intptr_t n) const {
  if (!loop.can_raise) return loop.loop(args, &n, steps, nullptr);
  RaisedError& raised = raised_error();
  if (raised.is_set()) return;
  loop.loop(args, &n, steps, nullptr);
  if (raised.is_set()) raised.kernel = kernel;
}

Lanes lanes_from(const Lanes& lanes, intptr_t first, std::span<const std::size_t> item_bytes) {
  Lanes moved = lanes;
  for (std::size_t i = 0; i < moved.items.size(); ++i) {
    moved.items[i] += first * static_cast<intptr_t>(item_bytes[i]);
  }
  if (moved.present != nullptr) moved.present += first;
  return moved;
}

// Elements that are adjacent in one dimension, and where their values go.
struct ReductionSource::Run {
  PerOperand<char*> addresses;
  std::span<const intptr_t> steps;
  const std::int64_t* index = nullptr;
  intptr_t index_step = 0;
  intptr_t n = 0;
  Lanes to;

  Run part(intptr_t first, intptr_t count, std::span<const std::size_t> item_bytes) const {
    Run run = *this;
    for (std::size_t i = 0; i < run.addresses.size(); ++i) run.addresses[i] += first * steps[i];
    if (index != nullptr) run.index += first * index_step;
    run.n = count;
    run.to = lanes_from(to, first, item_bytes);
    return run;
  }
};

void ReductionSource::Dimensions::add(intptr_t size, std::vector<intptr_t> of_operands) {
  n_elements *= size;
  if (size == 1) return;
  const auto continues = [&] {
    for (std::size_t i = 0; i < of_operands.size(); ++i) {
      if (strides.back()[i] != of_operands[i] * size) return false;
    }
    return true;
  };
  if (!sizes.empty() && continues()) {
    sizes.back() *= size;
    strides.back() = std::move(of_operands);
  } else {
    sizes.push_back(size);
    strides.push_back(std::move(of_operands));
  }
}

intptr_t ReductionSource::Dimensions::advance(intptr_t element,
                                              PerOperand<char*>& addresses) const {
  intptr_t n_left = 0;
  for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
    const intptr_t position = element % sizes[dimension];
    element /= sizes[dimension];
    if (dimension + 1 == sizes.size()) n_left = sizes[dimension] - position;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      addresses[i] += position * strides[dimension][i];
    }
  }
  return n_left;
}

ReductionSource::Dimensions ReductionSource::dimensions(const ReductionInput& input,
                                                        std::size_t begin, std::size_t end) {
  Dimensions found;
  for (std::size_t dimension = begin; dimension < end; ++dimension) {
    std::vector<intptr_t> strides;
    for (const ReducedOperand& operand : input.operands) {
      strides.push_back(operand.strides[dimension]);
    }
    found.add(input.shape[dimension], std::move(strides));
  }
  if (found.sizes.empty()) {
    found.sizes.push_back(found.n_elements);
    found.strides.emplace_back(input.operands.size(), 0);
  }
  return found;
}

ReductionSource::ReductionSource(const ReductionInput& input)
    : outputs_(dimensions(input, 0, input.n_outer)),
      reduced_(dimensions(input, input.n_outer, input.shape.size())),
      item_bytes_(input.item_bytes),
      is_masked_(input.is_masked),
      has_index_(input.has_index),
      map_(input.map) {
  for (const ReducedOperand& operand : input.operands) addresses_.push_back(operand.address);
}

bool ReductionSource::has_near_outputs() const {
  const auto reach = [](const Dimensions& dimensions) {
    const auto strides = dimensions.inner_strides();
    return std::accumulate(strides.begin(), strides.end(), intptr_t{0},
                           [](intptr_t sum, intptr_t stride) { return sum + std::abs(stride); });
  };
  constexpr intptr_t kFewElements = 64;
  return n_outputs() > 1 && (reach(outputs_) < reach(reduced_) || n_elements() < kFewElements);
}

void ReductionSource::load_elements(Position first, intptr_t n, const Lanes& to) const {
  PerOperand<char*> addresses = addresses_;
  outputs_.advance(first.output, addresses);
  Run run{{}, reduced_.inner_strides(), nullptr, 1, n, to};
  std::array<std::int64_t, kMaxLoad> numbers;
  if (has_index_) {
    std::iota(numbers.begin(), numbers.begin() + n, std::int64_t{first.element});
    run.index = numbers.data();
  }
  load(reduced_, first.element, addresses, run);
}

void ReductionSource::load_outputs(Position first, intptr_t n, const Lanes& to) const {
  PerOperand<char*> addresses = addresses_;
  reduced_.advance(first.element, addresses);
  const std::int64_t number = first.element;
  const Run run{{}, outputs_.inner_strides(), has_index_ ? &number : nullptr, 0, n, to};
  load(outputs_, first.output, addresses, run);
}

void ReductionSource::load(const Dimensions& along, intptr_t first,
                           const PerOperand<char*>& addresses, const Run& run) const {
  for (intptr_t n_done = 0; n_done < run.n;) {
    Run part = run.part(n_done, 0, item_bytes_);
    part.addresses = addresses;
    const intptr_t n_adjacent = along.advance(first + n_done, part.addresses);
    part.n = std::min(run.n - n_done, n_adjacent);
    load_run(part);
    n_done += part.n;
  }
}

void ReductionSource::load_run(const Run& run) const {
  if (is_masked_) return load_present(run);
  map_ != nullptr ? map(run) : copy(run);
}

// Masked elements are not mapped: their operands may be outside the map's domain.
void ReductionSource::load_present(const Run& run) const {
  const char* mask = run.addresses[run.addresses.size() - 1];
  const intptr_t step = run.steps.back();
  for (intptr_t i = 0; i < run.n; ++i) run.to.present[i] = mask[i * step] != 0;
  const std::uint8_t* const present = run.to.present;
  for (intptr_t end = 0; end < run.n;) {
    const intptr_t begin = std::find(present + end, present + run.n, 1) - present;
    end = std::find(present + begin, present + run.n, 0) - present;
    if (begin == end) continue;
    const Run part = run.part(begin, end - begin, item_bytes_);
    map_ != nullptr ? map(part) : copy(part);
  }
}

void ReductionSource::map(const Run& run) const {
  const std::size_t n_inputs = run.addresses.size() - (is_masked_ ? 1 : 0);
  PerOperand<char*> args;
  PerOperand<intptr_t> steps;
  for (std::size_t i = 0; i < n_inputs; ++i) {
    args.push_back(run.addresses[i]);
    steps.push_back(run.steps[i]);
  }
  if (run.index != nullptr) {
    args.push_back(reinterpret_cast<char*>(const_cast<std::int64_t*>(run.index)));
    steps.push_back(run.index_step * static_cast<intptr_t>(sizeof(std::int64_t)));
  }
  for (std::size_t i = 0; i < item_bytes_.size(); ++i) {
    args.push_back(run.to.items[i]);
    steps.push_back(static_cast<intptr_t>(item_bytes_[i]));
  }
  (*map_)(args.data(), steps.data(), run.n);
}

void ReductionSource::copy(const Run& run) const {
  for (std::size_t item = 0; item < item_bytes_.size(); ++item) {
    const std::size_t n_bytes = item_bytes_[item];
    for (intptr_t i = 0; i < run.n; ++i) {
      std::memcpy(run.to.items[item] + i * static_cast<intptr_t>(n_bytes),
                  run.addresses[item] + i * run.steps[item], n_bytes);
    }
  }
}

}  // namespace numpy_plugin::run
