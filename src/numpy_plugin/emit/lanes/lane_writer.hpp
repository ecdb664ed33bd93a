// Lines of a function in lanes, and the names and types in it.
#pragma once

#include <string>

#include "numpy_plugin/emit/printing/cpp_text.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

class LaneWriter {
 public:
  // `size`: of the kernel's largest type, in bytes. `indent` spaces precede each line.
  LaneWriter(Names& names, int size, int indent) : names_(names), size_(size), indent_(indent) {}

  const std::string& text() const { return text_; }
  void line(const std::string& text);
  // A line that begins a block, and its end.
  void open(const std::string& head);
  void close();

  // "npp::Lanes<double, 8>".
  std::string type(base::DType dtype) const;
  // Likewise; of a tuple "npp::Tuple<...>" of such types.
  std::string type(const declare::ValueType& type) const;
  // A value of this type: zeros.
  std::string zero(const declare::ValueType& type) const;
  std::string mask_type() const { return type(base::DType::kBool); }
  // "npp::LaneErrors<8>".
  std::string errors_type() const { return format("npp::LaneErrors<{}>", size_); }
  // A new constant of the innermost block: returns its name.
  std::string define(const std::string& name, const declare::ValueType& type,
                     const std::string& value);
  std::string define(const std::string& name, base::DType dtype, const std::string& value) {
    return define(name, declare::ValueType::scalar(dtype), value);
  }
  std::string define_mask(const std::string& name, const std::string& value);
  // A new mask that changes.
  std::string declare_mask(const std::string& name, const std::string& value);
  // A new variable of zeros.
  std::string declare_zero(const std::string& name, const declare::ValueType& type);
  std::string new_name(const std::string& name) { return names_.add(name); }

 private:
  Names& names_;
  int size_;
  int indent_;
  std::string text_;
};

// Calls of the functions on masks; an empty text is the mask of all lanes.
std::string masks_both(const std::string& mask, const std::string& other);
std::string masks_and_not(const std::string& mask, const std::string& other);
// Likewise of those on two masks, or two values.
std::string either(const std::string& mask, const std::string& other);
std::string selected(const std::string& mask, const std::string& value, const std::string& other);

}  // namespace numpy_plugin::emit
