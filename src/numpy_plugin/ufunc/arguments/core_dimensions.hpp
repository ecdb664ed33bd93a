// Core dimensions of calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Dimensions of a generalized call by NumPy's rules: each operand's core and loop dimensions, and
// the size of each name of the layout.

using Shape = std::vector<std::int64_t>;

// Axes of one operand. `axes` lists their positions: loop dimensions, then core dimensions.
struct OperandAxes {
  std::vector<std::size_t> axes;
  std::size_t n_core = 0;
  // For each core dimension of the operand in the layout, its position in the array; nullopt where
  // it is omitted ("n?") or has size 1 and is broadcast ("n|1").
  std::vector<std::optional<std::size_t>> core_axes;

  std::size_t n_loop() const { return axes.size() - n_core; }
};

class CoreDimensions {
 public:
  explicit CoreDimensions(const declare::CoreSignature& layout) : layout_(layout) {}

  // `shapes`: inputs, then outputs, nullopt for outputs to be allocated. False for errors that
  // NumPy reports; sizes of loop dimensions are not checked.
  bool find(const CallArguments& call, const std::vector<std::optional<Shape>>& shapes);

  const std::vector<OperandAxes>& operands() const { return operands_; }
  // The largest number of loop dimensions among the operands.
  std::size_t n_loop() const { return n_loop_; }
  // One per name; 1 for omitted names.
  const Shape& sizes() const { return sizes_; }
  // Sizes of an operand's core dimensions in its array, in the layout's order: with keepdims=True
  // an output has as many as an input, of size 1.
  Shape core_shape(std::size_t operand) const;

 private:
  using Shapes = std::vector<std::optional<Shape>>;

  bool is_output(std::size_t operand) const { return operand >= layout_.n_inputs; }
  bool is_left_out(const declare::CoreDimension& dimension) const;
  void leave_out(int name);
  bool omit_optional_dimensions(const Shapes& shapes);
  bool keep_dimensions(nanobind::handle keepdims);
  bool find_loop_dimensions(const Shapes& shapes);
  bool move_axis(nanobind::handle axis);
  bool move_axes(nanobind::handle axes);
  bool move_operand(std::size_t operand, nanobind::handle axes);
  bool find_sizes(const Shapes& shapes, bool stretches);
  bool take_size(std::size_t operand, std::size_t number, const Shapes& shapes, bool stretches);
  std::int64_t stretched_size(int name, const Shapes& shapes) const;
  void place_core_axes(std::size_t operand);

  const declare::CoreSignature& layout_;
  std::vector<bool> left_out_;  // names
  bool keeps_dimensions_ = false;
  std::size_t n_loop_ = 0;
  std::vector<OperandAxes> operands_;
  Shape sizes_;
};

// Core dimensions written "n|1" broadcast where an operand has size 1. NumPy's layout language has
// the form but its parser does not, so operands are broadcast before NumPy sees them.

bool has_broadcastable_dimensions(const declare::CoreSignature& layout);

// The inputs of a call as arrays whose broadcastable core dimensions have the size given by the
// other operands; operands with too few dimensions are left for NumPy to reject.
std::vector<nanobind::object> broadcast_core_dimensions(const declare::CoreSignature& layout,
                                                        PyObject* const* args);

}  // namespace numpy_plugin::ufunc
