// State of a ufunc of this package. NumPy only borrows the arrays of functions, data, types and
// strings that it is made from: they are owned by a capsule in the ufunc's `obj` slot, whose
// lifetime is the ufunc's.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {

// A loop added for the types of a call, in a list that only grows: loops run without the GIL and
// traverse it while another thread prepends one.
struct LazyLoop {
  std::vector<int> codes;  // operand_code() of inputs, then outputs
  const run::Loop* loop;
  std::unique_ptr<LazyLoop> next;
  mutable std::atomic<const run::Loop*> compiled = nullptr;  // set by its first call on the CPU
};

class LazyLoopList {
 public:
  ~LazyLoopList() { delete head_.load(); }
  // The loop for exactly these types; nullptr when there is none. Lock-free.
  template <class Matches>
  const LazyLoop* find(const Matches& matches) const {
    for (const LazyLoop* loop = head_.load(std::memory_order_acquire); loop;
         loop = loop->next.get()) {
      if (matches(*loop)) return loop;
    }
    return nullptr;
  }
  const LazyLoop* newest() const { return head_.load(std::memory_order_acquire); }
  // Requires the GIL.
  void add(std::vector<int> codes, const run::Loop& loop) {
    auto* old = head_.load();
    head_.store(new LazyLoop{std::move(codes), &loop, std::unique_ptr<LazyLoop>(old)},
                std::memory_order_release);
  }

 private:
  std::atomic<LazyLoop*> head_{nullptr};
};

// NumPy's own ufunc call, in which the call hook ends. It releases the GIL while its loops run.
class NumpyCall {
 public:
  NumpyCall() = default;  // for ufuncs without the hook
  explicit NumpyCall(vectorcallfunc function) : function_(function) {}
  bool is_hooked() const { return function_ != PyObject_Vectorcall; }
  PyObject* operator()(PyObject* ufunc, PyObject* const* values, std::size_t n_positional,
                       PyObject* names) const {
    return call_python([&] { return function_(ufunc, values, n_positional, names); });
  }

 private:
  vectorcallfunc function_ = PyObject_Vectorcall;
};

struct ResolvedLoop;       // call_operands.hpp
struct ResolvedReduction;  // method_call.hpp
struct TimeClasses;        // time_loops.cpp

struct UfuncState {
  std::shared_ptr<run::KernelLibrary> library;
  std::string name;
  std::vector<PyUFuncGenericFunction> functions;
  std::vector<void*> data;
  std::vector<char> types;
  std::vector<std::string> parameters;     // operand names in the kernel; empty where unknown
  std::vector<nanobind::object> defaults;  // one per parameter; None without a default
  nanobind::object identity;               // a number, None, or "reorderable"
  LazyLoopList lazy_loops;
  std::vector<std::shared_ptr<const TimeClasses>> time_classes;  // that NumPy has loops for
  // NumPy's resolutions of device calls, by the operands' types.
  std::unordered_map<std::string, std::shared_ptr<const ResolvedLoop>> resolved;
  // Likewise of reductions.
  std::unordered_map<std::string, std::shared_ptr<const ResolvedReduction>> resolved_reductions;
  bool can_raise = false;           // one of its kernels has `raise` or `assert`
  bool stretches_operands = false;  // its layout has "n|1"
  bool is_elementwise_on_cpu = false;
  bool shares_calls = false;        // likewise, and for several threads
  run::ElementCost converted_cost;  // of an element that NumPy casts or masks, on the CPU
  bool leaves_small_calls = false;  // passes calls with only small host operands to NumPy
  std::string output_only_name;     // CoreSignature::output_only_name()
  NumpyCall numpy_call;
  bool has_known_name = false;  // other libraries get its stand-in
};

// Dtypes of a loop's operands, inputs, then outputs.
std::vector<base::DType> operand_dtypes(const run::Loop& loop);

// The state of a ufunc of this package; nullptr for other objects.
UfuncState* find_state(PyObject* object);

// Likewise for checked objects; throws base::Error (kType) for others.
UfuncState& state_of(nanobind::handle object);

// Transfers the state to the ufunc that was made from it.
void attach_state(PyUFuncObject* ufunc, std::unique_ptr<UfuncState> state);

}  // namespace numpy_plugin::ufunc
