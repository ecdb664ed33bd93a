// The operands of a call that works on a device: which are arrays there, which are single values of
// the host, and which have to be refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>

#include "numpy_plugin/ufunc/api/inline_array.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Kind of an operand for NumPy's promotion, in a byte: a base::DType, or one of these.
inline constexpr std::uint8_t kWeakInt = 0xf0;
inline constexpr std::uint8_t kWeakFloat = 0xf1;
inline constexpr std::uint8_t kWeakComplex = 0xf2;
inline constexpr std::uint8_t kNotGiven = 0xf3;   // an output that is to be made
inline constexpr std::uint8_t kOtherType = 0xff;  // a dtype that no kernel has

struct Operand {
  enum class Kind : std::uint8_t { kNotGiven, kDevice, kValue, kHost };
  Kind kind = Kind::kNotGiven;
  std::uint8_t type = ufunc::kNotGiven;
  const DeviceArray* array = nullptr;  // of kDevice
  // As given; of kValue a number, a NumPy scalar or a 0-d array; of kHost an array. Null where an
  // host array was copied to the device.
  nanobind::handle object;
};

// Inputs, then outputs. Lives as long as the call.
class CallOperands {
 public:
  // Reads operands and mask. Throws what NumPy throws where an operand can be no array.
  CallOperands(PyObject* ufunc, const UfuncState& state, const CallArguments& call);
  CallOperands(const CallOperands&) = delete;
  CallOperands& operator=(const CallOperands&) = delete;

  std::size_t n_inputs() const { return n_inputs_; }
  std::size_t size() const { return operands_.size(); }
  const Operand& operator[](std::size_t index) const { return operands_[index]; }
  // As it was given; results belong to its library.
  nanobind::handle first_on_device() const;
  // The mask of where=: not given where all results are wanted; a bool of kind kValue or an array.
  const Operand& mask() const { return mask_; }
  bool is_masked() const { return mask_.kind == Operand::Kind::kDevice; }
  // Whether where= is false for all results.
  bool writes_nothing() const { return mask_.kind == Operand::Kind::kValue; }

  // Host arrays are refused, by an error that says what to do, or copied there where the
  // ufunc's target is the device. Returns the stream of the call, of the device of its operands.
  // Throws base::Error (kType, kValue).
  std::shared_ptr<run::Stream> move_to_device(const UfuncState& state);

  // The device's array of an operand that the call makes or takes in the place of a given one.
  const DeviceArray& keep(DeviceArray array);

 private:
  Operand read(nanobind::handle object);
  Operand read_array(nanobind::handle object);
  Operand read_host_object(nanobind::handle object);
  Operand read_mask(PyObject* ufunc, const UfuncState& state, const CallArguments& call);
  std::shared_ptr<run::Device> device(const std::string& name) const;
  void copy_there(Operand& operand, const std::shared_ptr<run::Stream>& stream);

  std::size_t n_inputs_;
  std::shared_ptr<run::Stream> named_stream_;  // nullptr: the thread's own
  InlineArray<Operand, NPY_MAXARGS> operands_;
  Operand mask_;
  std::forward_list<DeviceArray> arrays_;
  std::forward_list<nanobind::object> objects_;
};

// The dtype of an operand as f.resolve_dtypes takes it: a dtype, a type of Python's, or None.
nanobind::object type_for_resolution(const Operand& operand);

}  // namespace numpy_plugin::ufunc
