// One walk in the order of execution. In the first trip of a loop only the stores before a read
// precede it. Where that trip may leave the read out, those of all of the loop's trips may.
#include "numpy_plugin/infer/statements/kernel_checks.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::declare {
namespace {

using Indices = std::vector<Expression>;

// Elements of an output; without indices, any of them.
struct Elements {
  int output;
  const Indices* indices = nullptr;
};

std::optional<std::int64_t> known_index(const Expression& index) {
  if (index.kind != ExpressionKind::kConstant) return {};
  return std::get<std::int64_t>(detail<ConstantValue>(index));
}

// Whether indices in the same dimension are constants of different elements, whatever its size.
bool differ(const Expression& first, const Expression& second) {
  const auto one = known_index(first);
  const auto other = known_index(second);
  return one && other && *one != *other && (*one < 0) == (*other < 0);
}

bool may_meet(const Elements& first, const Elements& second) {
  if (first.output != second.output) return false;
  if (first.indices == nullptr || second.indices == nullptr) return true;
  for (std::size_t axis = 0; axis < first.indices->size(); ++axis) {
    if (differ((*first.indices)[axis], (*second.indices)[axis])) return false;
  }
  return true;
}

// The expressions of the statement itself, not of its inner blocks.
void visit_own(const Statement& statement, const ExpressionVisitor& visit) {
  if (statement.value) visit(*statement.value);
  for (const Expression& index : statement.indices) visit(index);
  for (const Expression& bound : statement.range) visit(bound);
}

// Outputs that array locals may be or be views of.
class OutputNames {
 public:
  OutputNames(const Function& function, const std::vector<int>& outputs)
      : outputs_(function.locals.size()) {
    for (const int output : outputs) outputs_[static_cast<std::size_t>(output)] = {output};
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      visit_statements(function.body, [&](const Statement& statement) {
        if (statement.kind != StatementKind::kAssign) return;
        std::set<int>& known = outputs_[static_cast<std::size_t>(statement.local)];
        const std::size_t n_known = known.size();
        known.merge(named_in(*statement.value));
        has_changed = has_changed || known.size() > n_known;
      });
    }
  }

  const std::set<int>& of(int local) const { return outputs_[static_cast<std::size_t>(local)]; }

  // Those that an expression takes whole, as a view, or in a tuple.
  std::set<int> named_in(const Expression& expression) const {
    std::set<int> result;
    visit_expression(expression, [&](const Expression& part) {
      if (part.kind != ExpressionKind::kLocal) return;
      const std::set<int>& outputs = of(*read_local(part));
      result.insert(outputs.begin(), outputs.end());
    });
    return result;
  }

 private:
  std::vector<std::set<int>> outputs_;  // by local
};

class OutputWalk {
 public:
  // With `is_repeated` calls of the function may precede this one.
  OutputWalk(const PythonKernel& kernel, const Function& function, const std::vector<int>& outputs,
             bool is_repeated)
      : kernel_(kernel),
        function_(function),
        names_(function, outputs),
        is_repeated_(is_repeated) {}

  std::vector<Diagnostic> run() {
    walk(function_.body);
    return std::move(warnings_);
  }

 private:
  // Around the current place: a statement, or an expression's condition.
  struct Construct {
    const Statement* statement = nullptr;
    const Expression* condition = nullptr;
    bool has_continue = false;  // before this place; of the loop itself
    bool has_break = false;

    bool is_loop() const { return statement != nullptr && declare::is_loop(*statement); }
  };

  void walk(const Block& block) {
    for (const Statement& statement : block) walk(statement);
  }

  void walk(const Statement& statement) {
    if (statement.kind == StatementKind::kWhile) constructs_.push_back({&statement});
    visit_own(statement, [this](const Expression& own) { read_parts(own); });
    add_stores(statement);
    switch (statement.kind) {
      case StatementKind::kIf:
      case StatementKind::kForRange:
        constructs_.push_back({&statement});
        [[fallthrough]];
      case StatementKind::kWhile:
        walk(statement.body);
        walk(statement.orelse);
        return constructs_.pop_back();
      case StatementKind::kBreak:
        innermost_loop().has_break = true;
        return;
      case StatementKind::kContinue:
        innermost_loop().has_continue = true;
        return;
      case StatementKind::kReturn:
        may_have_returned_ = true;
        return;
      default:
        return;
    }
  }

  Construct& innermost_loop() {
    return *std::find_if(constructs_.rbegin(), constructs_.rend(),
                         [](const Construct& construct) { return construct.is_loop(); });
  }

  void read_parts(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::kSelect:
      case ExpressionKind::kAnd:
      case ExpressionKind::kOr:
        read_parts(expression.operands.front());
        constructs_.push_back({nullptr, &expression.operands.front()});
        for (std::size_t i = 1; i < expression.operands.size(); ++i) {
          read_parts(expression.operands[i]);
        }
        return constructs_.pop_back();
      case ExpressionKind::kCopyElements:
      case ExpressionKind::kMoveElements:
        read_whole(expression.operands.back());
        break;
      case ExpressionKind::kLoad:
        read_element(expression);
        break;
      case ExpressionKind::kCallFunction:
        read_in_call(expression);
        break;
      default:
        break;
    }
    for (const Expression& operand : expression.operands) read_parts(operand);
  }

  void read_element(const Expression& load) {
    const int array = detail<ElementLoad>(load).array;
    const std::set<int>& outputs = names_.of(array);
    if (outputs.size() != 1 || !is_always_output(array)) return;
    const int output = *outputs.begin();
    read({output, array == output ? &load.operands : nullptr}, load.place);
  }

  void read_whole(const Expression& array) {
    const int root = root_array(array);
    if (root < 0 || names_.of(root).size() != 1 || !is_always_output(root)) return;
    read({*names_.of(root).begin()}, array.place);
  }

  // Whether a local is never a view of anything but one output.
  bool is_always_output(int local) const {
    bool result = true;
    visit_statements(function_.body, [&](const Statement& statement) {
      if (statement.kind != StatementKind::kAssign || statement.local != local) return;
      const int root = root_array(*statement.value);
      result = result && root >= 0 && !names_.of(root).empty();
    });
    return result;
  }

  void read(const Elements& elements, const SourceSpan& where) {
    if (!is_unwritten(elements)) return;
    const SourceText& source = kernel_.sources[static_cast<std::size_t>(where.source)];
    warnings_.push_back(
        {Severity::kWarning,
         format("{} is read before it is written: a call without out= reads what was in memory",
                text_at(source, where)),
         where,
         {},
         "assign it first, or make it an input that writable_args= names"});
    stored_.push_back(elements);
  }

  void read_in_call(const Expression& call) {
    const auto index = static_cast<std::size_t>(detail<DeviceFunctionCall>(call).function);
    std::vector<int> parameters;
    for (const Expression& operand : call.operands) {
      const int root = root_array(operand);
      const bool is_output = root >= 0 && names_.of(root).size() == 1 && is_always_output(root) &&
                             is_unwritten({*names_.of(root).begin()});
      if (is_output) parameters.push_back(static_cast<int>(&operand - call.operands.data()));
    }
    if (parameters.empty()) return;
    const bool is_repeated = is_repeated_ || std::ranges::any_of(constructs_, &Construct::is_loop);
    OutputWalk callee(kernel_, kernel_.device_functions[index], parameters, is_repeated);
    for (Diagnostic& warning : callee.run()) warnings_.push_back(std::move(warning));
  }

  // Whether nothing can have written the elements before the current place is reached first.
  bool is_unwritten(const Elements& elements) const {
    if (is_repeated_ && (may_have_returned_ || !constructs_.empty())) return false;
    const auto meets = [&](const Elements& stored) { return may_meet(stored, elements); };
    if (std::ranges::any_of(stored_, meets)) return false;
    for (std::size_t i = 0; i < constructs_.size(); ++i) {
      if (!constructs_[i].is_loop() || is_in_first_trip(i)) continue;
      return std::ranges::none_of(stores_in(constructs_[i].statement->body), meets);
    }
    return true;
  }

  // Whether the first trip of a loop around the current place reaches it, if any does.
  bool is_in_first_trip(std::size_t loop) const {
    if (constructs_[loop].has_continue) return false;
    const Statement& statement = *constructs_[loop].statement;
    return std::all_of(constructs_.begin() + static_cast<std::ptrdiff_t>(loop) + 1,
                       constructs_.end(), [&](const Construct& inner) {
                         return !inner.has_continue && !inner.has_break &&
                                is_decided_alike(inner, statement);
                       });
  }

  // Whether a construct is entered in all trips of a loop or in none.
  bool is_decided_alike(const Construct& construct, const Statement& loop) const {
    if (construct.condition != nullptr) return is_steady(*construct.condition, loop);
    bool result = true;
    visit_own(*construct.statement,
              [&](const Expression& own) { result = result && is_steady(own, loop); });
    return result;
  }

  bool is_steady(const Expression& expression, const Statement& loop) const {
    switch (expression.kind) {
      case ExpressionKind::kCallFunction:
      case ExpressionKind::kCallExternal:
      case ExpressionKind::kThread:
      case ExpressionKind::kAtomic:
        return false;
      case ExpressionKind::kLoad: {
        const int array = detail<ElementLoad>(expression).array;
        if (!function_.locals[static_cast<std::size_t>(array)].type.is_read_only) return false;
        break;
      }
      default:
        break;
    }
    const auto local = named_local(expression);
    if (local && is_set_in(loop, *local)) return false;
    return std::ranges::all_of(expression.operands,
                               [&](const Expression& part) { return is_steady(part, loop); });
  }

  static bool is_set_in(const Statement& loop, int local) {
    bool result = loop.kind == StatementKind::kForRange && loop.local == local;
    visit_statements(loop.body, [&](const Statement& statement) {
      const bool sets =
          statement.kind == StatementKind::kAssign || statement.kind == StatementKind::kForRange;
      result = result || (sets && statement.local == local);
    });
    return result;
  }

  std::vector<Elements> stores_in(const Block& block) const {
    std::vector<Elements> result;
    visit_statements(block, [&](const Statement& statement) {
      for (const Elements& elements : stores_of(statement)) result.push_back(elements);
    });
    return result;
  }

  void add_stores(const Statement& statement) {
    for (const Elements& elements : stores_of(statement)) stored_.push_back(elements);
  }

  std::vector<Elements> stores_of(const Statement& statement) const {
    std::vector<Elements> result;
    if (statement.kind == StatementKind::kStore) {
      for (const int output : names_.of(statement.local)) {
        result.push_back({output, output == statement.local ? &statement.indices : nullptr});
      }
    }
    visit_own(statement, [&](const Expression& own) {
      visit_expression(own, [&](const Expression& part) {
        for (const int output : written_by(part)) result.push_back({output});
      });
    });
    return result;
  }

  // Outputs whose elements an expression may change, or passes on to where they may be changed.
  std::set<int> written_by(const Expression& expression) const {
    if (sets_elements(expression)) return names_.named_in(expression.operands.front());
    switch (expression.kind) {
      case ExpressionKind::kCallFunction:
      case ExpressionKind::kCallExternal:
      case ExpressionKind::kTuple:
        return names_.named_in(expression);
      default:
        return {};
    }
  }

  const PythonKernel& kernel_;
  const Function& function_;
  const OutputNames names_;
  const bool is_repeated_;
  std::vector<Construct> constructs_;  // outermost first
  std::vector<Elements> stored_;       // so far
  bool may_have_returned_ = false;
  std::vector<Diagnostic> warnings_;
};

}  // namespace

std::vector<Diagnostic> check_outputs(const PythonKernel& kernel, std::size_t n_inputs) {
  std::vector<int> outputs;
  for (std::size_t i = n_inputs; i < kernel.function.n_parameters; ++i) {
    outputs.push_back(static_cast<int>(i));
  }
  return OutputWalk(kernel, kernel.function, outputs, /*is_repeated=*/false).run();
}

}  // namespace numpy_plugin::declare
