// Facts about two arrays of a loop: equal sizes, and shared elements. As in NumPy, an element
// must be read before it is overwritten.
#pragma once

#include "numpy_plugin/infer/arrays/element_loop.hpp"

namespace numpy_plugin::declare {

// Whether two arrays have the same size in these dimensions, whatever the call's sizes are.
bool has_same_size(const ElementSource& first, std::size_t first_axis, const ElementSource& second,
                   std::size_t second_axis);

// Chooses the directions of a loop that stores to its first source and reads another one that may
// share its elements; false where no directions are known to be right.
bool order_loop(ElementLoop& loop, const ElementSource& read);

}  // namespace numpy_plugin::declare
