// Texts of types, definitions and masks.
#include "numpy_plugin/emit/lanes/lane_writer.hpp"

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::emit {

void LaneWriter::line(const std::string& text) {
  text_.append(static_cast<std::size_t>(indent_), ' ').append(text).append("\n");
}

void LaneWriter::open(const std::string& head) {
  line(head + " {");
  indent_ += 2;
}

void LaneWriter::close() {
  indent_ -= 2;
  line("}");
}

std::string LaneWriter::type(base::DType dtype) const {
  return format("npp::Lanes<{}, {}>", base::info(dtype).cpp_name, size_);
}

std::string LaneWriter::type(const declare::ValueType& type) const {
  if (type.kind != declare::ValueType::Kind::kTuple) return this->type(type.dtype);
  std::vector<std::string> items;
  for (const declare::ValueType& item : type.items) items.push_back(this->type(item));
  return format("npp::Tuple<{}>", base::join(items, ", "));
}

std::string LaneWriter::zero(const declare::ValueType& type) const {
  if (type.kind != declare::ValueType::Kind::kTuple)
    return this->type(type) + (type.dtype == base::DType::kBool ? "(false)" : "(0)");
  std::vector<std::string> items;
  for (const declare::ValueType& item : type.items) items.push_back(zero(item));
  return format("{}({})", this->type(type), base::join(items, ", "));
}

std::string LaneWriter::define(const std::string& name, const declare::ValueType& type,
                               const std::string& value) {
  const std::string own_name = new_name(name);
  line(format("const {} {} = {};", this->type(type), own_name, value));
  return own_name;
}

std::string LaneWriter::define_mask(const std::string& name, const std::string& value) {
  return define(name, base::DType::kBool, value);
}

std::string LaneWriter::declare_mask(const std::string& name, const std::string& value) {
  const std::string own_name = new_name(name);
  line(format("{} {}({});", mask_type(), own_name, value));
  return own_name;
}

std::string LaneWriter::declare_zero(const std::string& name, const declare::ValueType& type) {
  const std::string own_name = new_name(name);
  line(format("{} {} = {};", this->type(type), own_name, zero(type)));
  return own_name;
}

std::string masks_both(const std::string& mask, const std::string& other) {
  return mask.empty() ? other : format("npp::lanes::bitwise_and({}, {})", mask, other);
}

std::string masks_and_not(const std::string& mask, const std::string& other) {
  return mask.empty() ? format("npp::lanes::invert({})", other)
                      : format("npp::lanes::and_not({}, {})", mask, other);
}

std::string either(const std::string& mask, const std::string& other) {
  return format("npp::lanes::bitwise_or({}, {})", mask, other);
}

std::string selected(const std::string& mask, const std::string& value, const std::string& other) {
  return format("npp::lanes::select({}, {}, {})", mask, value, other);
}

}  // namespace numpy_plugin::emit
