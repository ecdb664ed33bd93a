// The iterator has the flags of NumPy's own ufunc calls, so that overlaps, orders and casts are
// NumPy's.
#include "numpy_plugin/ufunc/threads/shared_call.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <new>
#include <utility>
#include <vector>

#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using run::ParallelLoop;
using std::intptr_t;

constexpr npy_uint32 kIteratorFlags = NPY_ITER_EXTERNAL_LOOP | NPY_ITER_ZEROSIZE_OK |
                                      NPY_ITER_BUFFERED | NPY_ITER_GROWINNER |
                                      NPY_ITER_DELAY_BUFALLOC | NPY_ITER_RANGED;
constexpr npy_uint32 kInputFlags =
    NPY_ITER_READONLY | NPY_ITER_ALIGNED | NPY_ITER_OVERLAP_ASSUME_ELEMENTWISE;
constexpr npy_uint32 kOutputFlags = NPY_ITER_ALIGNED | NPY_ITER_ALLOCATE | NPY_ITER_NO_BROADCAST |
                                    NPY_ITER_NO_SUBTYPE | NPY_ITER_OVERLAP_ASSUME_ELEMENTWISE;

// Pieces are long beside the effort of moving an iterator.
constexpr intptr_t kTogether = 1024;
constexpr intptr_t kFirstElements = 2048;
constexpr intptr_t kElementsOfThread = 4096;

// Inputs, outputs and mask as NumPy's iterator takes them.
struct IteratorOperands {
  std::vector<nb::object> arrays;
  std::vector<PyArray_Descr*> dtypes;
  std::vector<npy_uint32> flags;

  void add(nb::object array, PyArray_Descr* dtype, npy_uint32 flag) {
    arrays.push_back(std::move(array));
    dtypes.push_back(dtype);
    flags.push_back(flag);
  }
};

// A number becomes one of the loop's type, with NumPy's error for those out of range.
nb::object iterator_input(nb::handle operand, const nb::object& dtype) {
  if (PyArray_Check(operand.ptr())) return nb::borrow(operand);
  return checked(
      PyArray_FromAny(operand.ptr(), new_descriptor(dtype), 0, 0, NPY_ARRAY_FORCECAST, nullptr));
}

IteratorOperands operands_of(const CallArguments& call, const ResolvedLoop& resolved) {
  const bool is_masked = call.where.is_valid();
  const npy_uint32 write =
      is_masked ? NPY_ITER_READWRITE | NPY_ITER_WRITEMASKED : NPY_ITER_WRITEONLY;
  IteratorOperands operands;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    PyArray_Descr* const dtype = as_descriptor(resolved.dtypes[i]);
    if (i < call.n_inputs) {
      operands.add(iterator_input(call.operands[i], resolved.dtypes[i]), dtype, kInputFlags);
    } else {
      operands.add(nb::borrow(call.operands[i]), dtype, kOutputFlags | write);
    }
  }
  if (is_masked)
    operands.add(nb::borrow(call.where), nullptr, NPY_ITER_READONLY | NPY_ITER_ARRAYMASK);
  return operands;
}

IteratorPointer make_iterator(const IteratorOperands& operands, nb::handle order,
                              npy_uint32 iterator_flags) {
  NPY_ORDER chosen = NPY_KEEPORDER;
  if (order.is_valid() && PyArray_OrderConverter(order.ptr(), &chosen) == NPY_FAIL)
    throw nb::python_error();
  std::vector<PyArrayObject*> arrays;
  for (const nb::object& array : operands.arrays) arrays.push_back(as_array(array));
  std::vector<npy_uint32> flags = operands.flags;
  std::vector<PyArray_Descr*> dtypes = operands.dtypes;
  IteratorPointer iterator(NpyIter_AdvancedNew(
      static_cast<int>(arrays.size()), arrays.data(), iterator_flags, chosen, NPY_UNSAFE_CASTING,
      flags.data(), dtypes.data(), -1, nullptr, nullptr, 0));
  if (iterator == nullptr) throw nb::python_error();
  return iterator;
}

// An iterator for one thread at a time. NumPy keeps its position where the pointers say.
struct Cursor {
  explicit Cursor(IteratorPointer made)
      : iterator(std::move(made)),
        next(NpyIter_GetIterNext(iterator.get(), nullptr)),
        data(NpyIter_GetDataPtrArray(iterator.get())),
        steps(NpyIter_GetInnerStrideArray(iterator.get())),
        count(NpyIter_GetInnerLoopSizePtr(iterator.get())) {
    if (next == nullptr) throw nb::python_error();
  }

  IteratorPointer iterator;
  NpyIter_IterNextFunc* next;
  char** data;
  npy_intp* steps;
  npy_intp* count;
  std::atomic<bool> is_taken = false;
};

// As many as threads, with the iterator that has replaced overlapping outputs.
class Cursors {
 public:
  Cursors(IteratorPointer first, std::size_t n) : first_(std::move(first)) {
    while (cursors_.size() < n) {
      IteratorPointer copy(NpyIter_Copy(first_.get()));
      if (copy == nullptr) throw nb::python_error();
      add(std::move(copy));
    }
  }

  // For masked results, whose casts NumPy can't copy. All iterators are made alike, so that they
  // number the elements alike.
  Cursors(IteratorPointer first, std::size_t n, IteratorOperands operands, nb::handle order)
      : first_(std::move(first)) {
    PyArrayObject** const used = NpyIter_GetOperandArray(first_.get());
    for (std::size_t i = 0; i < operands.arrays.size(); ++i) {
      operands.arrays[i] = nb::borrow(reinterpret_cast<PyObject*>(used[i]));
    }
    while (cursors_.size() < n) add(make_iterator(operands, order, kIteratorFlags));
  }

  Cursor& take() const {
    for (std::size_t i = 0;; i = (i + 1) % cursors_.size()) {
      if (!cursors_[i]->is_taken.exchange(true)) return *cursors_[i];
    }
  }

  // Copies temporary outputs back. Throws NumPy's exceptions.
  void close() {
    for (const auto& cursor : cursors_) close(cursor->iterator);
    close(first_);
  }

 private:
  static void close(IteratorPointer& iterator) {
    if (NpyIter_Deallocate(iterator.release()) != NPY_SUCCEED) throw nb::python_error();
  }
  void add(IteratorPointer iterator) {
    cursors_.push_back(std::make_unique<Cursor>(std::move(iterator)));
  }

  IteratorPointer first_;
  std::vector<std::unique_ptr<Cursor>> cursors_;
};

class IteratedElements final : public run::ElementRange {
 public:
  IteratedElements(const Cursors& cursors, const ParallelLoop& loop, bool is_masked)
      : cursors_(cursors), loop_(loop), is_masked_(is_masked) {}

  void run(intptr_t begin, intptr_t count) const override {
    Cursor& cursor = cursors_.take();
    char* message = nullptr;
    const int status =
        NpyIter_ResetToIterIndexRange(cursor.iterator.get(), begin, begin + count, &message);
    if (status != NPY_SUCCEED) throw std::bad_alloc();  // of its buffers
    do {
      run_buffer(cursor);
    } while (cursor.next(cursor.iterator.get()) != 0 && !is_over());
    cursor.is_taken = false;
  }

 private:
  bool is_over() const {
    return system::has_interruption() || (loop_.can_raise && run::raised_error().is_set());
  }

  void run_buffer(const Cursor& cursor) const {
    if (!is_masked_) {
      return run::run_interruptible_loop(cursor.data, cursor.count, cursor.steps, loop_);
    }
    const std::size_t mask = loop_.operands.size();
    run_masked(cursor.data, *cursor.count, cursor.steps, cursor.data[mask], cursor.steps[mask],
               loop_);
  }

  const Cursors& cursors_;
  const ParallelLoop& loop_;
  const bool is_masked_;
};

// Outputs that are given, or that the iterator has allocated.
std::vector<nb::object> results_of(const CallArguments& call, NpyIter* iterator) {
  PyArrayObject** const used = NpyIter_GetOperandArray(iterator);
  std::vector<nb::object> results;
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    PyObject* const allocated = reinterpret_cast<PyObject*>(used[call.n_inputs + i]);
    const nb::handle given = call.output(i);
    results.push_back(given.is_valid() ? nb::borrow(given) : nb::borrow(allocated));
  }
  return results;
}

run::RangeLimits limits_of(intptr_t n_elements, const ParallelLoop& loop) {
  const auto n_fitting = static_cast<std::size_t>(n_elements / kElementsOfThread);
  const std::size_t n_most = loop.least_work ? std::min(system::n_threads(), n_fitting) : 1;
  const std::size_t n_threads = std::max<std::size_t>(n_most, 1);
  return {n_elements, kTogether, kFirstElements, kTogether, n_threads, loop.can_raise};
}

void run_elements(const IteratedElements& elements, const run::RangeLimits& limits,
                  const ParallelLoop& loop, run::ElementCost& cost) {
  if (limits.n_threads == 1) return elements.run(0, limits.n_elements);
  run::run_and_share(elements, limits, *loop.least_work, cost);
}

}  // namespace

nb::object share_converted(UfuncState& state, const CallArguments& call,
                           const ResolvedLoop& resolved, const ParallelLoop& loop,
                           std::optional<int>& flags) {
  const IteratorOperands operands = operands_of(call, resolved);
  IteratorPointer iterator =
      make_iterator(operands, call.order, kIteratorFlags | NPY_ITER_COPY_IF_OVERLAP);
  const intptr_t n_elements = NpyIter_GetIterSize(iterator.get());
  const std::vector<nb::object> results = results_of(call, iterator.get());
  flags = 0;
  if (n_elements > 0) {
    const run::RangeLimits limits = limits_of(n_elements, loop);
    const bool is_masked = call.where.is_valid();
    Cursors cursors = is_masked
                          ? Cursors(std::move(iterator), limits.n_threads, operands, call.order)
                          : Cursors(std::move(iterator), limits.n_threads);
    std::feclearexcept(FE_ALL_EXCEPT);
    {
      const ReleasedGil release;
      run_elements(IteratedElements(cursors, loop, is_masked), limits, loop, state.converted_cost);
    }
    cursors.close();
    flags = raised_flags();
  }
  if (results.size() == 1) return results[0];
  nb::list items;
  for (const nb::object& item : results) items.append(item);
  return nb::tuple(items);
}

}  // namespace numpy_plugin::ufunc
