// The axes of a reduction, and the shapes that follow from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/memory/array_layout.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

class ReducedAxes {
 public:
  // `axis` as given: null for NumPy's default, 0; nullopt for axes that NumPy rejects.
  static std::optional<ReducedAxes> read(nanobind::handle axis, std::size_t n_dimensions);

  std::size_t n_dimensions() const { return n_dimensions_; }
  std::size_t n_reduced() const { return n_reduced_; }
  bool operator[](std::size_t axis) const { return is_reduced_[axis]; }
  std::span<const bool> flags() const { return {is_reduced_.data(), n_dimensions_}; }

  // A view of the dimensions that are not reduced.
  run::ArrayLayout kept(const run::ArrayLayout& array) const;
  // The result's shape.
  std::vector<std::int64_t> result_shape(const std::vector<std::int64_t>& shape,
                                         bool keeps_dimensions) const;
  // A result's strides in all dimensions of the array, 0 in reduced ones.
  std::vector<std::int64_t> result_strides(const run::ArrayLayout& result,
                                           bool keeps_dimensions) const;

 private:
  explicit ReducedAxes(std::size_t n_dimensions) : n_dimensions_(n_dimensions) {}
  bool add(nanobind::handle axis);

  std::size_t n_dimensions_;
  std::size_t n_reduced_ = 0;
  std::array<bool, run::kMaxDimensions> is_reduced_ = {};
};

}  // namespace numpy_plugin::ufunc
