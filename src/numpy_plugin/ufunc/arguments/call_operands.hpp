// Operands of a call on a device: device arrays, single host values, and operands to be rejected;
// the loop for their types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// A small array with inline storage: allocates nothing and leaves unused elements uninitialized.
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

// Kind of an operand for NumPy's promotion, as a byte: a base::DType, or one of these.
inline constexpr std::uint8_t kWeakInt = 0xf0;
inline constexpr std::uint8_t kWeakFloat = 0xf1;
inline constexpr std::uint8_t kWeakComplex = 0xf2;
inline constexpr std::uint8_t kNotGiven = 0xf3;   // an output to be allocated
inline constexpr std::uint8_t kOtherType = 0xff;  // a dtype that no kernel has

struct Operand {
  enum class Kind : std::uint8_t { kNotGiven, kDevice, kValue, kHost };
  Kind kind = Kind::kNotGiven;
  std::uint8_t type = ufunc::kNotGiven;
  const DeviceArray* array = nullptr;  // of kDevice
  // As given; for kValue a number, a NumPy scalar or a 0-d array; for kHost an array. Null where a
  // host array was copied to the device.
  nanobind::handle object;
};

// The stream of a call on arrays of a device: `named`, that of a `with` block, else that of the
// arrays of another library if they agree, which then need no event, else this thread's.
std::shared_ptr<run::Stream> stream_of_call(const std::shared_ptr<run::Stream>& named,
                                            const std::shared_ptr<run::Device>& on,
                                            std::span<const DeviceArray* const> arrays);

// Inputs, then outputs, for the duration of one call.
class CallOperands {
 public:
  // Reads operands and mask. Throws NumPy's exceptions for operands that can't become arrays.
  CallOperands(PyObject* ufunc, const UfuncState& state, const CallArguments& call);
  CallOperands(const CallOperands&) = delete;
  CallOperands& operator=(const CallOperands&) = delete;

  std::size_t n_inputs() const { return n_inputs_; }
  std::size_t size() const { return operands_.size(); }
  const Operand& operator[](std::size_t index) const { return operands_[index]; }
  // The first device operand as given; results are converted to its library.
  nanobind::handle first_on_device() const;
  // The mask of where=: kNotGiven without a mask; a bool of kind kValue, or an array.
  const Operand& mask() const { return mask_; }
  bool is_masked() const { return mask_.kind == Operand::Kind::kDevice; }
  // Whether where= is false for all results.
  bool writes_nothing() const { return mask_.kind == Operand::Kind::kValue; }

  // Rejects host arrays with a hint, or copies them to the device where that is the ufunc's target.
  // Returns the call's stream, on the device of its operands. Throws base::Error (kType, kValue).
  std::shared_ptr<run::Stream> move_to_device(const UfuncState& state);

  // Keeps a temporary device array that replaces an operand, for the call's duration.
  const DeviceArray& keep(DeviceArray array);
  void replace(std::size_t index, DeviceArray array) {
    operands_[index].array = &keep(std::move(array));
  }

 private:
  Operand read(nanobind::handle object);
  Operand read_array(nanobind::handle object);
  Operand read_host_object(nanobind::handle object);
  Operand read_mask(PyObject* ufunc, const UfuncState& state, const CallArguments& call);
  std::shared_ptr<run::Device> device(const std::string& name) const;
  std::shared_ptr<run::Stream> choose_stream(const std::shared_ptr<run::Device>& on) const;
  template <class Visit>
  void for_each_on_device(const Visit& visit) const;
  void copy_there(Operand& operand, const std::shared_ptr<run::Stream>& stream);

  std::size_t n_inputs_;
  std::shared_ptr<run::Stream> named_stream_;  // nullptr: the thread's default
  InlineArray<Operand, NPY_MAXARGS> operands_;
  Operand mask_;
  std::forward_list<DeviceArray> arrays_;
  std::forward_list<nanobind::object> objects_;
};

// The dtype of an operand in the form f.resolve_dtypes takes: a dtype, a Python type, or None.
nanobind::object type_for_resolution(const Operand& operand);

// Resolution of a call's loop from the operands' types, by NumPy's rules.

struct ResolvedLoop {
  const run::Loop* loop = nullptr;
  std::vector<nanobind::object> dtypes;  // those of the loop, inputs, then outputs
  std::vector<base::DType> loop_dtypes;  // likewise
  // Dtypes of the operands in memory. Values and outputs to be allocated have the loop's dtype.
  std::vector<base::DType> stored;
  // The elementwise kernels requested last; written under the GIL.
  mutable std::weak_ptr<run::Device> device;
  mutable std::weak_ptr<const run::DeviceLoop> device_loop;
};

// Whether an operand in memory is a date or duration of another unit than the loop's: kernels read
// and write the loop's alone.
bool has_other_unit(const Operand& operand, base::DType loop_dtype);
// For methods, which convert no units. Throws base::Error (kType).
void require_unit(const UfuncState& state, base::DType stored, base::DType loop_dtype);

// NumPy's resolution, cached by the operands' dtypes and `casting`. Throws NumPy's exceptions where
// no loop fits or casting= forbids a cast, and base::Error (kType) for dtypes that device kernels
// do not read.
std::shared_ptr<const ResolvedLoop> resolve_loop(PyObject* ufunc, UfuncState& state,
                                                 const CallArguments& call,
                                                 const CallOperands& operands);

// The loop of a ufunc for these operand dtypes, which NumPy has resolved to it.
const run::Loop* find_loop(const UfuncState& state, const std::vector<base::DType>& dtypes);

// The elementwise kernels of a resolved loop on a device.
std::shared_ptr<const run::DeviceLoop> device_loop(UfuncState& state, const ResolvedLoop& resolved,
                                                   const std::shared_ptr<run::Device>& device);

// The dtype of kernels that read and write memory of a NumPy dtype on a device; throws base::Error
// (kType) where none does.
base::DType kernel_dtype(const UfuncState& state, nanobind::handle dtype);

// Converts one host element to a loop's dtype, with NumPy's errors for numbers out of range.
void write_value(const Operand& operand, const nanobind::object& dtype, std::byte* to);

}  // namespace numpy_plugin::ufunc
