// Elements of arrays that index arrays and masks select.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {

// Positions of the selected elements of a mask.

// A mask whose selected elements have been counted.
class CountedMask {
 public:
  // `mask`: bools in C order. Counts them and waits. Throws base::Error (kCompiler),
  // load::CudaError.
  CountedMask(const std::shared_ptr<Stream>& stream, const DeviceMemory& mask);

  std::int64_t count() const { return count_; }
  // Writes the coordinates of the selected elements, in C order, to an int64 array (dimensions of
  // the mask, count()) in C order.
  void write_positions(const DeviceMemory& positions) const;

 private:
  std::shared_ptr<Stream> stream_;
  DeviceMemory mask_;
  std::shared_ptr<DeviceBuffer> states_;
  std::int64_t count_ = 0;
};

// Reads and writes of the elements of an array that index arrays select, as launches.

// Index array of one axis: int64, broadcast to the shape of all of them.
struct IndexArray {
  DeviceMemory positions;
  std::int64_t size = 0;    // of the axis
  std::int64_t stride = 0;  // of the axis, in bytes
};

// The elements that an index selects, as a view without the indexed axes.
struct Selection {
  std::vector<std::int64_t> shape;  // of the result
  std::size_t first_dimension = 0;  // of the index arrays' dimensions in it
  std::size_t n_dimensions = 0;     // of the index arrays
  DeviceMemory array;               // layout: result's shape, stride 0 in those dimensions
  std::vector<IndexArray> indices;  // at least 1
  bool is_checked = false;          // all indices are known to be in bounds
  bool has_repeats = true;          // some place may be selected more than once
};

// Number of index arrays that a launch takes.
inline constexpr std::size_t kMaxIndexArrays = 32;

// values = selection, packed in C order. Returns false, with values undefined, where an index is
// out of bounds; waits only to find that out. Throws base::Error (kCompiler), load::CudaError, as
// all of these do.
bool gather(const std::shared_ptr<Stream>& stream, const Selection& selection,
            const DeviceMemory& values);

// The number of each selected element in an array in C order with the given strides, in elements,
// as int64 in C order; `selection.array` only has a shape. Returns false likewise.
bool find_places(const std::shared_ptr<Stream>& stream, const Selection& selection,
                 const DeviceMemory& places);

// selection = values, which have the selection's shape. Of several values for one place the last
// one in C order is stored. Returns false, with nothing written, where an index is out of bounds.
bool scatter(const std::shared_ptr<Stream>& stream, const Selection& selection,
             const DeviceMemory& values);

// Updates the selected elements by the values, which have the selection's shape, through atomic
// operations: `update` is one of templates/npp/select/atomic_updates.hpp, for elements of the C++
// type `type`. Returns false, with nothing written, where an index is out of bounds.
bool update_atomically(const std::shared_ptr<Stream>& stream, const Selection& selection,
                       const DeviceMemory& values, const std::string& update,
                       const std::string& type);

}  // namespace numpy_plugin::run
