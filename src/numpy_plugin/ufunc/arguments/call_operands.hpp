// Operands of a call on a device: device arrays, single host values, and operands to be rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <span>

#include "numpy_plugin/ufunc/api/inline_array.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

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

}  // namespace numpy_plugin::ufunc
