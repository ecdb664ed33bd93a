// A small array with inline storage: allocates nothing and leaves unused elements uninitialized.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace numpy_plugin::ufunc {

template <class Element, std::size_t kCapacity>
class InlineArray {
  static_assert(std::is_trivially_destructible_v<Element>);

 public:
  InlineArray() {}  // not defaulted: leaves the bytes uninitialized
  InlineArray(const InlineArray&) = delete;
  InlineArray& operator=(const InlineArray&) = delete;

  // The caller ensures that there is room.
  Element& add(const Element& element = {}) {
    return *new (bytes_ + n_++ * sizeof(Element)) Element(element);
  }
  std::size_t size() const { return n_; }
  Element* data() { return std::launder(reinterpret_cast<Element*>(bytes_)); }
  const Element* data() const { return std::launder(reinterpret_cast<const Element*>(bytes_)); }
  Element& operator[](std::size_t index) { return data()[index]; }
  const Element& operator[](std::size_t index) const { return data()[index]; }

 private:
  std::size_t n_ = 0;
  alignas(Element) std::byte bytes_[kCapacity * sizeof(Element)];
};

}  // namespace numpy_plugin::ufunc
