// The kernel: a typed, structured tree with a place on every node. If, while and for stay what they
// are; types are settled (plain numbers have become constants of a dtype), casts are explicit.
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
  std::string_view header = {};  // the template that has it; empty: every loop's
};

const OperationInfo& info(Operation operation);

// Functions of device kernels only: its thread's place in the grid, barriers, exchanges.
enum class ThreadFunction : std::uint8_t {
#define NPP_THREAD_FUNCTION(enumerator, ...) enumerator,
#include "numpy_plugin/kernel/thread_functions.def"
};

enum class ThreadResult : std::uint8_t { kNothing, kPlain, kBool, kMask, kSame, kMaskAndBool };
enum class ThreadWait : std::uint8_t { kNobody, kWarp, kBlock };

struct ThreadFunctionInfo {
  std::string_view python_name;  // below numpy_plugin.cuda: "threadIdx.x"
  std::string_view name;         // in templates, namespace npp
  std::string_view parameters;   // a letter each, as thread_functions.def has them
  ThreadResult result;
  ThreadWait wait;
  bool differs;  // between the threads of a block
};

const ThreadFunctionInfo& info(ThreadFunction function);
// By its name below numpy_plugin.cuda; nothing where there is none.
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
};

const AtomicInfo& info(Atomic atomic);
// By its Python name; nothing where there is none.
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
  kConstant,      // a ConstantValue
  kLocal,         // a LocalReference
  kCall,          // an Operation; operands: its arguments
  kCast,          // operands[0] to `type`
  kSelect,        // operands: condition (bool), then, else; only the chosen side is evaluated
  kAnd,           // operands: two bools; the right is evaluated only when the left is true
  kOr,            // likewise
  kTuple,         // operands: the items
  kTupleItem,     // a TupleItem; operands[0]: the tuple
  kLoad,          // an ElementLoad; operands: one int64 index a dimension
  kArraySize,     // an ArraySize; int64
  kView,          // operands: an array, then for each dimension an int64 index, which leaves it
                  // out, or a kSlice
  kSlice,         // operands: start, stop, step, clipped as Python's; none: the whole dimension
  kFillElements,  // operands: an array and the number that all its elements become; no value
  kCopyElements,  // operands: an array and the one whose elements it takes, of other memory; sizes
                  // of 1 and missing dimensions are repeated; no value
  kMoveElements,  // likewise, maybe of the same memory
  kZeroArray,     // what a local array begins with; only as the value of kAssign
  kDynamicArray,  // the shared memory of the launch; only as the value of kAssign
  kCallFunction,  // a DeviceFunctionCall; operands: arguments of the parameters' types
  kCallExternal,  // an ExternalFunctionCall; operands likewise
  kAtomic,  // an AtomicUpdate; operands: one int64 index a dimension, then the values. Evaluated
            // once: only as the value of kAssign.
  kThread,  // a ThreadFunction; operands: its arguments. What waits is evaluated once: only as the
            // value of kAssign or kEvaluate.
};

// Locals are numbered as in Function::locals; an array is named by the local that holds it.
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

// The part of an expression that only its kind has.
using ExpressionDetail =
    std::variant<std::monostate, ConstantValue, LocalReference, Operation, TupleItem, ElementLoad,
                 ArraySize, DeviceFunctionCall, ExternalFunctionCall, AtomicUpdate, ThreadFunction>;

struct Expression {
  ExpressionKind kind;
  ValueType type;
  SourceSpan place;
  std::vector<Expression> operands;
  ExpressionDetail detail = {};
  // Index into PythonKernel::exceptions of what an index out of bounds raises: of kLoad, kView,
  // kAtomic; of kCopyElements and kMoveElements, what an array that does not fit raises. -1:
  // nothing checks.
  int exception = -1;
};

// The detail of an expression that has this one: detail<ArraySize>(expression).axis.
template <class Detail>
const Detail& detail(const Expression& expression) {
  const auto* const found = std::get_if<Detail>(&expression.detail);
  NPP_ASSERT(found != nullptr, std::to_string(static_cast<int>(expression.kind)));
  return *found;
}

// The local whose value an expression is; nothing for all but a kLocal.
std::optional<int> read_local(const Expression& expression);
// The local that an expression itself names, of whatever kind: read, indexed or asked for its size.
std::optional<int> named_local(const Expression& expression);
// Gives such an expression another local.
void rename_local(Expression& expression, int local);

// Whether an expression sets many elements of an array.
bool sets_elements(const Expression& expression);
// The local that an array is, or is a part of; -1 where it may be one of several.
int root_array(const Expression& array);

enum class StatementKind : std::uint8_t {
  kAssign,    // local = value
  kStore,     // locals[local][indices...] = value
  kIf,        // value: the condition (bool); body, orelse
  kWhile,     // value: the condition (bool); body
  kForRange,  // local: the int64 variable; range: start, stop, step (int64); body. The trip count
              // is settled before the first trip; the variable is a copy, so assigning it changes
              // no trip.
  kBreak,
  kContinue,
  kReturn,    // value: of the function's result type; absent where it returns nothing
  kEvaluate,  // value: evaluated for its effect
  kRaise,     // exception: into PythonKernel::exceptions; indices: the values of its message, each
              // int64, uint64 or float64
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
  int exception = -1;  // of kRaise; of kStore as of kLoad
};

// The elements of an array from outside of the kernel, as they were when it was declared.
struct ConstantArray {
  base::DType dtype;
  std::vector<std::int64_t> sizes;
  std::string bytes;  // in C order
};

// Where the elements of an array are that is no parameter.
struct ArrayStorage {
  enum class Kind : std::uint8_t {
    kView,   // elsewhere: the local is a view, which assignments change
    kLocal,  // in the local itself, for each call of the function; kAssign of kZeroArray makes it
    kConstant,  // in `constant`
    kShared     // in memory that the threads of a block share
  };
  Kind kind = Kind::kView;
  std::vector<std::int64_t> sizes;  // of all but views
  std::shared_ptr<const ConstantArray> constant = nullptr;
};

struct Local {
  std::string name;  // as the user wrote it; not yet a C++ name
  ValueType type;
  ArrayStorage storage = {};  // of an array
};

struct Function {
  std::string name;
  std::vector<Local> locals;  // the first n_parameters are the parameters
  std::size_t n_parameters = 0;
  ValueType result;  // scalar, tuple, or kNone for a kernel that writes into arrays
  std::vector<Statement> body;
};

// A stretch of an exception's text, or one of the values that the failing element had.
struct MessagePart {
  std::string text;
  bool is_value = false;                      // the next of the statement's values
  base::DType dtype = base::DType::kFloat64;  // of the value, as the kernel computed it
  std::string format;                         // of a value in an f-string: ".3f"
  bool operator==(const MessagePart&) const = default;
};

// The exception that a `raise` or `assert` fails the call with.
struct RaisedException {
  std::string type_name;             // "ValueError"
  std::shared_ptr<const void> type;  // Python's class; null: the builtin one of that name
  // The arguments of the class: texts, or one value as it is.
  std::vector<std::vector<MessagePart>> arguments;
  SourceSpan place;  // where the statement is
  std::string file;
  std::string function;
};

// As many values as a message can have.
inline constexpr std::size_t kMaxMessageValues = 4;

// A kernel written in C++: its text goes to the compilers as it is.
struct CppKernel {
  std::string body;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;  // empty where the body returns its one result
  // Read from the text; true in doubt.
  bool calls_functions = true;   // anything but sqrt and the like
  bool has_control_flow = true;  // branches or loops
};

// A file of code for devices: PTX, a cubin, an object, LTO-IR, a fatbin or a library of them.
struct DeviceCode {
  std::string name;  // what messages call it
  std::string bytes;
};
using DeviceCodes = std::vector<std::shared_ptr<const DeviceCode>>;

// Where a function is defined that was declared only. A target may have none of it.
struct DeclaredCode {
  std::string cuda_source;  // CUDA C++
  std::string cuda_label;   // what messages call it
  std::string cpu_source;   // C or C++
  std::string cpu_label;
  std::string cpu_library;  // path of a shared library that has it, as a function of C
};

// A function that Python kernels call and whose text is C++: the body of another ufunc, or what
// `declared` says.
struct ExternalFunction {
  std::string name;  // as the user wrote it; not yet a C++ name
  TypeSignature signature;
  CppKernel body;
  std::string preamble;  // the user's own C++ before it
  std::shared_ptr<const DeclaredCode> declared = nullptr;
  DeviceCodes linked = {};  // for devices; without a source one of them has the function, as C's
};

// A kernel written in Python, typed for one signature. Device functions are before their callers
// and are made once for each combination of argument types.
struct PythonKernel {
  Function function;
  std::vector<Function> device_functions;
  std::vector<ExternalFunction> external_functions = {};
  std::vector<RaisedException> exceptions = {};  // none: the kernel cannot raise
};

// A kernel and the types it was made for. `layout` is there for a guvectorize kernel; a device
// kernel has its parameters as inputs, and no outputs.
struct TypedKernel {
  std::string name;  // the ufunc's
  TypeSignature signature;
  std::optional<CoreSignature> layout;
  std::variant<PythonKernel, CppKernel> body;
};

}  // namespace numpy_plugin::declare
