// The packing of a call: its iteration has the result's dimensions, in which index arrays have the
// strides of their own dimensions, and the indexed array those of all others.
#include "numpy_plugin/run/selection/indexed_call.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <npp/select/arguments.hpp>

#include "numpy_plugin/run/launch/launch_choice.hpp"
#include "numpy_plugin/run/selection/search.hpp"
#include "numpy_plugin/run/selection/template_kernel.hpp"

namespace numpy_plugin::run {
namespace {

using Strides = std::vector<std::int64_t>;

constexpr std::int64_t kElementsPerBlock = 4 * std::int64_t{kLaunchThreads};

// Operands of a launch, as npp::IndexedArguments has them.
struct IndexedOperands {
  std::vector<std::uint64_t> addresses;
  std::vector<Strides> strides;

  void add(std::uint64_t address, Strides operand_strides) {
    addresses.push_back(address);
    strides.push_back(std::move(operand_strides));
  }
};

// Strides in the result's dimensions of an array over the index arrays' dimensions.
Strides in_result(const Selection& selection, const Strides& own) {
  Strides strides(selection.shape.size(), 0);
  const std::size_t missing = selection.n_dimensions - own.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    strides[selection.first_dimension + missing + i] = own[i];
  }
  return strides;
}

// Strides of an index array, 0 where it is broadcast.
Strides index_strides(const ArrayLayout& layout) {
  Strides strides = layout.strides;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (layout.shape[i] == 1) strides[i] = 0;
  }
  return strides;
}

std::vector<std::int64_t> index_shape(const Selection& selection) {
  const auto first =
      selection.shape.begin() + static_cast<std::ptrdiff_t>(selection.first_dimension);
  return {first, first + static_cast<std::ptrdiff_t>(selection.n_dimensions)};
}

// Strides that number the index arrays' elements in C order.
Strides number_strides(const Selection& selection) {
  return make_layout(index_shape(selection), 1, ArrayOrder::kC).strides;
}

IndexedOperands operands_of(const Selection& selection, const DeviceMemory* values) {
  IndexedOperands operands;
  operands.add(0, in_result(selection, number_strides(selection)));
  operands.add(selection.array.buffer == nullptr ? 0 : selection.array.address(),
               selection.array.layout.strides);
  for (const IndexArray& index : selection.indices) {
    operands.add(index.positions.address(),
                 in_result(selection, index_strides(index.positions.layout)));
  }
  const Strides none(selection.shape.size(), 0);
  operands.add(values == nullptr ? 0 : values->address(),
               values == nullptr ? none : values->layout.strides);
  return operands;
}

// The largest power of two up to 16 that divides the element's size, its addresses and strides.
std::int64_t word_bytes(const Selection& selection, const DeviceMemory& values) {
  std::int64_t all = values.layout.item_bytes;
  for (const DeviceMemory* const memory : {&selection.array, &values}) {
    all |= static_cast<std::int64_t>(memory->address());
    for (const std::int64_t stride : memory->layout.strides) all |= stride;
  }
  for (const IndexArray& index : selection.indices) all |= index.stride;
  std::int64_t n_bytes = 16;
  while (all % n_bytes != 0) n_bytes /= 2;
  return n_bytes;
}

TemplateKernel indexed_kernel(const std::string& operation, const std::string& name,
                              const std::string& parameters = "") {
  return {"select/indexed.hpp", "npp_" + name, operation, "", "npp::" + name + parameters};
}

class IndexedLaunch {
 public:
  IndexedLaunch(const Selection& selection, const IndexedOperands& operands)
      : selection_(selection), operands_(operands) {}

  void launch(const std::shared_ptr<Stream>& stream, TemplateKernel kernel,
              const npp::IndexedFields& fields) const {
    std::vector<const std::int64_t*> strides;
    for (const Strides& each : operands_.strides) strides.push_back(each.data());
    const Iteration iteration(selection_.shape, strides);
    if (iteration.n_elements() == 0) return;
    const bool is_wide = iteration.n_elements() >= kNarrowLimit ||
                         !has_narrow_offsets(iteration, operands_.strides.size());
    const std::size_t n_dimensions = iteration.n_dimensions() <= 4 ? 4 : kMaxDimensions;
    ArgumentBuffer arguments;
    put(arguments, iteration, {.n_dimensions = n_dimensions, .is_wide = is_wide}, fields);
    kernel.arguments = format("npp::IndexedArguments<npp::{}, {}, {}>", is_wide ? "Wide" : "Narrow",
                              selection_.indices.size(), n_dimensions);
    launch_template(stream, kernel, blocks_of(iteration.n_elements(), kElementsPerBlock),
                    arguments);
  }

 private:
  void put(ArgumentBuffer& arguments, const Iteration& iteration, const StridedLaunch& launch,
           const npp::IndexedFields& fields) const {
    for (std::size_t i = 0; i < operands_.addresses.size(); ++i) {
      arguments.put(operands_.addresses[i] + static_cast<std::uint64_t>(iteration.offset(i)));
      arguments.put(std::uint64_t{0});
    }
    put_strided_fields(arguments, iteration, launch);
    arguments.put(fields);
    for (const IndexArray& index : selection_.indices) {
      arguments.put(npp::IndexedAxis{index.size, index.stride});
    }
    arguments.align(16);
  }

  const Selection& selection_;
  const IndexedOperands& operands_;
};

void use_indices(const Selection& selection, const std::shared_ptr<Stream>& stream) {
  for (const IndexArray& index : selection.indices) {
    index.positions.buffer->use_on(stream, Access::kRead);
  }
}

// Launches a kernel that reads through the indices and sets a flag for those out of bounds.
template <class Launch>
bool launch_checked(const std::shared_ptr<Stream>& stream, const Selection& selection,
                    const Launch& launch) {
  std::optional<HostNumber> fault;
  if (!selection.is_checked) fault.emplace(stream->device());
  launch(fault ? fault->address() : 0);
  return !fault || fault->wait(*stream) == 0;
}

// The index arrays alone, without the dimensions of the rest.
Selection of_indices(const Selection& selection) {
  Selection alone;
  alone.shape = index_shape(selection);
  alone.n_dimensions = alone.shape.size();
  alone.array.layout.strides.assign(alone.shape.size(), 0);
  alone.indices = selection.indices;
  alone.is_checked = selection.is_checked;
  return alone;
}

std::int64_t n_places(const Selection& selection) {
  std::int64_t n = 1;
  for (const IndexArray& index : selection.indices) n *= index.size;
  return n;
}

// Selects the number of each place in C order of the index arrays' axes.
Selection of_place_numbers(const Selection& selection) {
  Selection numbers = of_indices(selection);
  std::int64_t n = 1;
  for (auto index = numbers.indices.rbegin(); index != numbers.indices.rend(); ++index) {
    index->stride = n;
    n *= index->size;
  }
  return numbers;
}

std::shared_ptr<DeviceBuffer> winners_buffer(const std::shared_ptr<Stream>& stream,
                                             const ArrayLayout& layout) {
  return std::make_shared<DeviceBuffer>(stream, static_cast<std::size_t>(layout.n_bytes()),
                                        "repeated indices");
}

// Of the elements that select one place, those that are stored.
struct Winners {
  std::string rank;                      // type in the kernels
  std::shared_ptr<DeviceBuffer> buffer;  // a rank for each place, or a mark for each element
};

// By a table of all places. Both return nothing where an index is out of bounds.
std::optional<Winners> find_in_table(const std::shared_ptr<Stream>& stream,
                                     const Selection& indices, bool is_wide) {
  const std::string rank = is_wide ? "unsigned long long" : "unsigned";
  const ArrayLayout layout = make_layout({n_places(indices)}, is_wide ? 8 : 4, ArrayOrder::kC);
  const auto winners = winners_buffer(stream, layout);
  const std::uint64_t zero = 0;
  fill(stream, {winners, layout}, &zero);
  const IndexedOperands operands = operands_of(indices, nullptr);
  const bool is_inside = launch_checked(stream, indices, [&](std::uint64_t fault) {
    IndexedLaunch(indices, operands)
        .launch(stream, indexed_kernel("index assignment", "find_winners", format("<{}>", rank)),
                {winners->address(), fault, 0});
  });
  if (!is_inside) return std::nullopt;
  return Winners{rank, winners};
}

// By a sort of the elements, where they are few.
std::optional<Winners> find_by_sort(const std::shared_ptr<Stream>& stream, const Selection& indices,
                                    std::int64_t n) {
  const ArrayLayout row = make_layout({1, n}, sizeof(std::int64_t), ArrayOrder::kC);
  const DeviceMemory places = {winners_buffer(stream, row), row};
  const DeviceMemory order = {winners_buffer(stream, row), row};
  const auto marks = winners_buffer(stream, make_layout({n}, 1, ArrayOrder::kC));
  DeviceMemory numbers = places;
  numbers.layout = make_layout(indices.shape, sizeof(std::int64_t), ArrayOrder::kC);
  if (!find_places(stream, of_place_numbers(indices), numbers)) return std::nullopt;
  argsort_numbers(stream, places, n_places(indices), order);
  const npp::LastMarks arguments = {places.address(), order.address(),
                                    static_cast<std::uint64_t>(n), marks->address()};
  TemplateKernel kernel = indexed_kernel("index assignment", "mark_last");
  kernel.arguments = "npp::LastMarks";
  launch_template(stream, kernel, blocks_of(n, std::int64_t{kLaunchThreads}), arguments);
  return Winners{"bool", marks};
}

std::optional<Winners> find_winners(const std::shared_ptr<Stream>& stream,
                                    const Selection& selection) {
  constexpr std::int64_t kPlacesPerElement = 16;  // of a table that costs less than a sort
  const Selection indices = of_indices(selection);
  const std::int64_t n = make_layout(indices.shape, 1, ArrayOrder::kC).size();
  const bool are_few = n_places(indices) / kPlacesPerElement > n && n < kMaxSortedRow;
  if (are_few && n > 0) return find_by_sort(stream, indices, n);
  return find_in_table(stream, indices, n >= kNarrowLimit);
}

}  // namespace

bool gather(const std::shared_ptr<Stream>& stream, const Selection& selection,
            const DeviceMemory& values) {
  const std::int64_t n_bytes = word_bytes(selection, values);
  use_indices(selection, stream);
  selection.array.buffer->use_on(stream, Access::kRead);
  values.buffer->use_on(stream);
  const IndexedOperands operands = operands_of(selection, &values);
  return launch_checked(stream, selection, [&](std::uint64_t fault) {
    IndexedLaunch(selection, operands)
        .launch(stream, indexed_kernel("indexing", "gather", format("<{}>", n_bytes)),
                {0, fault, static_cast<std::uint64_t>(values.layout.item_bytes / n_bytes)});
  });
}

bool find_places(const std::shared_ptr<Stream>& stream, const Selection& selection,
                 const DeviceMemory& places) {
  use_indices(selection, stream);
  places.buffer->use_on(stream);
  IndexedOperands operands = operands_of(selection, &places);
  operands.addresses[1] = static_cast<std::uint64_t>(selection.array.layout.offset);
  return launch_checked(stream, selection, [&](std::uint64_t fault) {
    IndexedLaunch(selection, operands)
        .launch(stream, indexed_kernel("ufunc.at", "find_places"), {0, fault, 0});
  });
}

bool scatter(const std::shared_ptr<Stream>& stream, const Selection& selection,
             const DeviceMemory& values) {
  use_indices(selection, stream);
  std::optional<Winners> winners = Winners{"unsigned", nullptr};
  if (selection.has_repeats) winners = find_winners(stream, selection);
  if (!winners) return false;
  const std::int64_t n_bytes = word_bytes(selection, values);
  selection.array.buffer->use_on(stream);
  values.buffer->use_on(stream, Access::kRead);
  const IndexedOperands operands = operands_of(selection, &values);
  IndexedLaunch(selection, operands)
      .launch(
          stream,
          indexed_kernel("index assignment", "scatter", format("<{}, {}>", n_bytes, winners->rank)),
          {winners->buffer == nullptr ? 0 : winners->buffer->address(), 0,
           static_cast<std::uint64_t>(values.layout.item_bytes / n_bytes)});
  return true;
}

bool update_atomically(const std::shared_ptr<Stream>& stream, const Selection& selection,
                       const DeviceMemory& values, const std::string& update,
                       const std::string& type) {
  use_indices(selection, stream);
  if (!selection.is_checked) {
    const Selection indices = of_indices(selection);
    const IndexedOperands operands = operands_of(indices, nullptr);
    const bool is_inside = launch_checked(stream, selection, [&](std::uint64_t fault) {
      IndexedLaunch(indices, operands)
          .launch(stream, indexed_kernel("ufunc.at", "check_places"), {0, fault, 0});
    });
    if (!is_inside) return false;
  }
  selection.array.buffer->use_on(stream);
  values.buffer->use_on(stream, Access::kRead);
  const IndexedOperands operands = operands_of(selection, &values);
  TemplateKernel kernel =
      indexed_kernel("ufunc.at", "update_places", format("<npp::{}, {}>", update, type));
  kernel.header = "select/atomic_updates.hpp";
  IndexedLaunch(selection, operands).launch(stream, std::move(kernel), {0, 0, 0});
  return true;
}

}  // namespace numpy_plugin::run
