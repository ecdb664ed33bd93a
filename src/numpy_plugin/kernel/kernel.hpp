// The kernel: a typed, structured tree with a source span on every node. If, while and for are
// kept; types are final (plain numbers have become constants of a dtype), casts are explicit.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::declare {

enum class Operation : std::uint8_t {
#define NPP_OPERATION(enumerator, ...) enumerator,
#include "numpy_plugin/kernel/operations.def"
};

enum class OperationResult : std::uint8_t { kSame, kBool, kReal, kComplex, kInt32, kUint8 };
enum class Evaluation : std::uint8_t { kExact, kVector, kLibrary };

struct OperationInfo {
  std::string_view name;  // in templates, namespace npp
  int n_arguments;
  OperationResult result;
  Evaluation evaluation;
  std::string_view header = {};  // the template that defines it; empty: included by every loop
};

const OperationInfo& info(Operation operation);

// Functions of device kernels only: thread indices, barriers, exchanges within a warp.
enum class ThreadFunction : std::uint8_t {
#define NPP_THREAD_FUNCTION(enumerator, ...) enumerator,
#include "numpy_plugin/kernel/thread_functions.def"
};

enum class ThreadResult : std::uint8_t { kNothing, kPlain, kBool, kMask, kSame, kMaskAndBool };
enum class ThreadWait : std::uint8_t { kNobody, kWarp, kBlock };

struct ThreadFunctionInfo {
  std::string_view python_name;  // below numpy_plugin.cuda: "threadIdx.x"
  std::string_view name;         // in templates, namespace npp
  std::string_view parameters;   // one letter each, as in thread_functions.def
  ThreadResult result;
  ThreadWait wait;
  bool differs;  // whether it differs between the threads of a block
};

const ThreadFunctionInfo& info(ThreadFunction function);
// By its name below numpy_plugin.cuda; nullopt for unknown names.
std::optional<ThreadFunction> find_thread_function(std::string_view python_name);

enum class Atomic : std::uint8_t {
#define NPP_ATOMIC(enumerator, ...) enumerator,
#include "numpy_plugin/kernel/atomics.def"
};

enum class AtomicDTypes : std::uint8_t { kNumbers, kIntegers, kUnsigned };

struct AtomicInfo {
  std::string_view python_name;  // below numpy_plugin.cuda.atomic: "add"
  std::string_view name;         // in templates, namespace npp
  int n_values;
  AtomicDTypes dtypes;
  bool takes_index;
};

const AtomicInfo& info(Atomic atomic);
// By its Python name; nullopt for unknown names.
std::optional<Atomic> find_atomic(std::string_view python_name);

// The type of a value in a kernel: a scalar, a tuple of values, or an array.
struct ValueType {
  enum class Kind : std::uint8_t { kNone, kScalar, kTuple, kArray };
  Kind kind = Kind::kNone;
  base::DType dtype = base::DType::kFloat64;  // of a scalar, or of an array's elements
  std::vector<ValueType> items;               // of a tuple
  int n_dimensions = 0;                       // of an array
  bool is_read_only = false;                  // likewise
  bool operator==(const ValueType&) const = default;

  static ValueType scalar(base::DType dtype) { return {Kind::kScalar, dtype, {}, 0, false}; }
  static ValueType tuple(std::vector<ValueType> items) {
    return {Kind::kTuple, base::DType::kFloat64, std::move(items), 0, false};
  }
  static ValueType array(base::DType dtype, int n_dimensions, bool is_read_only = false) {
    return {Kind::kArray, dtype, {}, n_dimensions, is_read_only};
  }
};

// The value of a constant of type `ValueType::dtype`: bool and signed in int64, unsigned in uint64,
// floating in double, complex in complex.
using ConstantValue = std::variant<std::int64_t, std::uint64_t, double, std::complex<double>>;

enum class ExpressionKind : std::uint8_t {
  kConstant,   // a ConstantValue
  kLocal,      // a LocalReference
  kCall,       // an Operation; operands: its arguments
  kCast,       // operands[0] to `type`
  kSelect,     // operands: condition (bool), then, else; only the selected one is evaluated
  kAnd,        // operands: two bools; the second is evaluated only when the first is true
  kOr,         // likewise
  kTuple,      // operands: the items
  kTupleItem,  // a TupleItem; operands[0]: the tuple
  kLoad,       // an ElementLoad; operands: one int64 index per dimension
  kArraySize,  // an ArraySize; int64
  kView,       // operands: an array, then per dimension an int64 index, which removes it,
               // or a kSlice
  kTranspose,  // operands: an array, of which it is a view with the dimensions reversed
  kReshape,    // operands: an array, of whose elements in C order it is a view, and an int64 size
               // per dimension; then, where they may not be evenly spaced, a new array of the
               // same shape, which has copies if they are not
  kSlice,      // operands: start, stop, step, clipped as in Python; none: the whole dimension
  kFillElements,  // operands: an array and the number to fill it with; no value
  kCopyElements,  // operands: destination array, source array in other memory; sizes
                  // of 1 and missing dimensions are broadcast; no value
  kMoveElements,  // likewise, possibly in the same memory
  kSortElements,  // operands: an array with 1 dimension, which is sorted; the first rank whose
                  // element is in its place then, and the end of these ranks; or an array of
                  // int64, which receives the sorted indices of the second one; no value. The
                  // Operation kTimeLess, where the elements are times: NaT is last
  kZeroArray,     // initial value of a local array; only as the value of kAssign
  kScratchArray,  // likewise of a scratch array, uninitialized; operands: one int64 size per
                  // dimension, none of them negative
  kDynamicArray,  // the shared memory of the launch; only as the value of kAssign
  kCallFunction,  // a DeviceFunctionCall; operands: arguments of the parameters' types
  kCallExternal,  // an ExternalFunctionCall; operands likewise
  kAtomic,        // an AtomicUpdate; operands: one int64 index per dimension, then the values.
                  // Evaluated once: only as the value of kAssign.
  kPrint,   // a PrintedText; operands: its numbers, each int64, uint64 or float64. Only as the
            // value of kEvaluate.
  kThread,  // a ThreadFunction; operands: its arguments. Functions that wait are
            // evaluated once: only as the value of kAssign or kEvaluate.
};

// Locals are numbered as in Function::locals; an array is identified by the local that holds it.
struct LocalReference {
  int local;
};

struct TupleItem {
  int item;
};

struct ElementLoad {
  int array;
};

struct ArraySize {
  int array;
  int axis;
};

struct DeviceFunctionCall {
  int function;  // into PythonKernel::device_functions
};

struct ExternalFunctionCall {
  int function;  // into PythonKernel::external_functions
};

struct AtomicUpdate {
  Atomic function;
  int array;
};

// A line of `print`: kernel/printed_text.hpp describes its text.
struct PrintedText {
  std::shared_ptr<const std::string> text;
};

// The part of an expression that is specific to its kind.
using ExpressionDetail =
    std::variant<std::monostate, ConstantValue, LocalReference, Operation, TupleItem, ElementLoad,
                 ArraySize, DeviceFunctionCall, ExternalFunctionCall, AtomicUpdate, ThreadFunction,
                 PrintedText>;

struct Expression {
  ExpressionKind kind;
  ValueType type;
  SourceSpan place;
  std::vector<Expression> operands;
  ExpressionDetail detail = {};
  // Index into PythonKernel::exceptions of the exception for an index out of bounds: of kLoad,
  // kView, kAtomic; for kCopyElements and kMoveElements, the exception for mismatched shapes. -1:
  // unchecked. For kScratchArray, which always has one, that for lack of memory.
  int exception = -1;
};

// The detail of an expression known to have it: detail<ArraySize>(expression).axis.
template <class Detail>
const Detail& detail(const Expression& expression) {
  const auto* const found = std::get_if<Detail>(&expression.detail);
  NPP_ASSERT(found != nullptr, std::to_string(static_cast<int>(expression.kind)));
  return *found;
}

// The local whose value an expression is; nullopt for anything but a kLocal.
std::optional<int> read_local(const Expression& expression);
// The local that an expression itself refers to, in any way: read, indexed or queried for its size.
std::optional<int> named_local(const Expression& expression);
// Makes such an expression refer to another local.
void rename_local(Expression& expression, int local);

// Whether an expression writes many elements of an array.
bool sets_elements(const Expression& expression);
// The local that holds an array or the array it is a view of; -1 where there are several
// candidates.
int root_array(const Expression& array);

enum class StatementKind : std::uint8_t {
  kAssign,    // local = value
  kStore,     // locals[local][indices...] = value
  kIf,        // value: the condition (bool); body, orelse
  kWhile,     // value: the condition (bool); body
  kForRange,  // local: the int64 variable; range: start, stop, step (int64); body. The trip count
              // is fixed before the first trip; the variable is a copy, so assigning it has no
              // effect on trips.
  kBreak,
  kContinue,
  kReturn,    // value: of the function's result type; absent where it returns nothing
  kEvaluate,  // value: evaluated for its effect
  kRaise,     // exception: into PythonKernel::exceptions; indices: values in its message, each
              // int64, uint64 or float64
};

// What a kForRange from 0 by 1 does with a value of each trip, of which hosts take several at a
// time. Nothing else in it mentions the locals that it assigns at its end.
enum class Fold : std::uint8_t {
  kNone,
  kSum,        // ends with `local = add(local, value)`: adds in NumPy's pairwise order
  kExtremum,   // ends with `local = minimum(local, value)` or maximum
  kTruth,      // ends with `local = bitwise_or(local, value)` or bitwise_and of bools, or
               // `local = add(local, cast(value))` of a bool
  kColumns,    // is `total = constant`, a kForRange from 0 by 1 with assignments, the last of them
               // `total = operation(total, value)`, and a store of total to an array that nothing
               // else mentions
  kSelection,  // ends with a store at `[local]` to an array that nothing else mentions, of a value
               // that mentions nothing that the trip assigns, and `local = add(local, cast(value))`
               // of a bool
  kPosition    // ends with `element = value`, `if better: best = element; place = next` and
               // `next = add(next, 1)`, where better compares element with best by less or greater
};

struct Statement {
  StatementKind kind;
  SourceSpan place;
  int local = 0;
  std::optional<Expression> value;
  std::vector<Expression> indices;  // of kStore
  std::vector<Expression> range;    // of kForRange: start, stop, step
  std::vector<Statement> body;
  std::vector<Statement> orelse;
  int exception = -1;       // of kRaise; for kStore as for kLoad
  Fold fold = Fold::kNone;  // of kForRange
};

// Elements of an array from outside the kernel, captured at its declaration.
struct ConstantArray {
  base::DType dtype;
  std::vector<std::int64_t> sizes;
  std::string bytes;  // in C order
};

// Storage of an array that is no parameter.
struct ArrayStorage {
  enum class Kind : std::uint8_t {
    kView,      // elsewhere: the local is a view, which can be reassigned
    kLocal,     // in the local itself, per call of the function; created by a kAssign of kZeroArray
    kScratch,   // in memory that lasts until the function returns; created by a kAssign of
                // kScratchArray, anew in other memory while some other local holds an earlier one
    kConstant,  // in `constant`
    kShared     // in shared memory of the block
  };
  Kind kind = Kind::kView;
  std::vector<std::int64_t> sizes;  // of all but views and scratch arrays
  std::shared_ptr<const ConstantArray> constant = nullptr;
};

struct Local {
  std::string name;  // as written by the user; not yet a C++ name
  ValueType type;
  ArrayStorage storage = {};  // of an array
};

struct Function {
  std::string name;
  std::vector<Local> locals;  // the first n_parameters are the parameters
  std::size_t n_parameters = 0;
  ValueType result;  // scalar, tuple, or kNone for a kernel that writes to arrays
  std::vector<Statement> body;
  bool is_recursive = false;  // one of the levels of a function that calls itself
};

// A literal piece of an exception's message, or one of the failing element's values.
struct MessagePart {
  std::string text;
  bool is_value = false;                      // the next of the statement's values
  base::DType dtype = base::DType::kFloat64;  // of the value, as computed by the kernel
  std::string format;                         // of a value in an f-string: ".3f"
  bool operator==(const MessagePart&) const = default;
};

// The exception with which a `raise` or `assert` fails the call.
struct RaisedException {
  std::string type_name;             // "ValueError"
  std::shared_ptr<const void> type;  // Python's class; null: the builtin one of that name
  // Arguments of the class: strings, or one value unchanged.
  std::vector<std::vector<MessagePart>> arguments;
  SourceSpan place;  // of the statement
  std::string file;
  std::string function;
};

// Maximum number of values in a message.
inline constexpr std::size_t kMaxMessageValues = 4;

// A further name of a type in a C++ body.
struct TypeAlias {
  std::string name;
  base::DType dtype;
};

// A kernel written in C++: its text is passed to the compilers unchanged.
struct CppKernel {
  std::string body;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;  // empty where the body returns its single result
  std::vector<TypeAlias> aliases = {};    // not empty: instead of T for the type of all operands
  std::string before = {};                // generated C++ around the body: see IndexedOperation
  std::string after = {};
  // Determined from the text; true if uncertain.
  bool calls_functions = true;   // anything except sqrt and the like
  bool has_control_flow = true;  // branches or loops
};

// Device code of a file: PTX, a cubin, an object, LTO-IR, a fatbin or a library of them.
struct DeviceCode {
  std::string name;  // name in messages
  std::string bytes;
};
using DeviceCodes = std::vector<std::shared_ptr<const DeviceCode>>;

// Definitions of an external function. A target may lack one.
struct DeclaredCode {
  std::string cuda_source;  // CUDA C++
  std::string cuda_label;   // name in messages
  std::string cpu_source;   // C or C++
  std::string cpu_label;
  std::string cpu_library;  // path of a shared library with the function, in C linkage
};

// A C++ function that Python kernels call: the body of another ufunc, or an external function
// defined in `declared`.
struct ExternalFunction {
  std::string name;  // as written by the user; not yet a C++ name
  TypeSignature signature;
  CppKernel body;
  std::string preamble;  // the user's C++ before it
  std::shared_ptr<const DeclaredCode> declared = nullptr;
  DeviceCodes linked = {};  // for devices; without a source one of them defines it, in C linkage
};

// A kernel written in Python, typed for one signature. Device functions precede their callers and
// are instantiated once per combination of argument types.
struct PythonKernel {
  Function function;
  std::vector<Function> device_functions;
  std::vector<ExternalFunction> external_functions = {};
  std::vector<RaisedException> exceptions = {};  // empty: the kernel cannot raise
  std::vector<SourceText> sources = {};          // that places refer to; empty: unknown
  bool prints = false;                           // elements are computed once each, in order
};

// A kernel with the types it was compiled for. guvectorize kernels have a `layout`; a device kernel
// has its parameters as inputs, and no outputs.
struct TypedKernel {
  std::string name;  // the ufunc's
  TypeSignature signature;
  std::optional<CoreSignature> layout;
  std::variant<PythonKernel, CppKernel> body;
};

// Kernels that do more than compute results, in them or in their callees: `raise`, `assert`,
// `print`.

inline bool can_raise(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  return python != nullptr && !python->exceptions.empty();
}

inline bool prints(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  return python != nullptr && python->prints;
}

// Selects the math functions that a kernel's loops call. On the CPU the vector libraries'
// functions, or the C library's; or, on the CPU and on devices, those of templates/npp/vector_math,
// with the same bits everywhere.
enum class MathMode { kVector, kLibm, kReproducible };

}  // namespace numpy_plugin::declare
