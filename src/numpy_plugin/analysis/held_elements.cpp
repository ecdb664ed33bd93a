// Works on blocks from the inside out: the loops of `out[i, j] += a[i, k] * b[k, j]` hold the
// element of the innermost, which the others then only store.
#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/scalar_loops.hpp"
#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::ElementLoad;
using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::LocalReference;
using declare::Statement;
using declare::StatementKind;

using Indices = std::vector<Expression>;

bool are_same(const Indices& first, const Indices& second) {
  return std::ranges::equal(first, second, is_same_value);
}

bool are_apart(const Indices& first, const Indices& second) {
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    const auto one = as_int64(first[axis]), other = as_int64(second[axis]);
    if (one && other && *one != *other) return true;
  }
  return false;
}

// Whether nothing is known of two elements.
bool may_overlap(const Indices& first, const Indices& second) {
  return !are_same(first, second) && !are_apart(first, second);
}

struct Element {
  int array;
  Indices indices;
};

bool is_load_of(const Expression& expression, const Element& element) {
  return expression.kind == ExpressionKind::kLoad &&
         detail<ElementLoad>(expression).array == element.array &&
         are_same(expression.operands, element.indices);
}

class Holding {
 public:
  Holding(Function& function, std::size_t n_inputs) : function_(function), n_inputs_(n_inputs) {}

  void run(Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      run(block[i].body);
      run(block[i].orelse);
      if (is_loop(block[i])) i += hold_all(block, i);
    }
  }

 private:
  // Holds the elements of the loop at a place; returns how many statements now follow it.
  std::size_t hold_all(Block& block, std::size_t loop) {
    if (block[loop].fold != declare::Fold::kNone) return 0;
    std::vector<Element> elements;
    visit_statements(block[loop].body, [&](const Statement& each) {
      if (each.kind != StatementKind::kStore) return;
      const bool is_known = std::ranges::any_of(elements, [&](const Element& element) {
        return element.array == each.local && are_same(element.indices, each.indices);
      });
      if (!is_known) elements.push_back({each.local, each.indices});
    });
    std::size_t n_held = 0;
    for (const Element& element : elements) {
      const auto first = first_store(block, loop, element);
      if (!first || !can_hold(block[loop], element)) continue;
      hold(block, *first, loop, element);
      ++n_held;
    }
    return n_held;
  }

  // The statement before a loop that gives the element its first value.
  static std::optional<std::size_t> first_store(const Block& block, std::size_t loop,
                                                const Element& element) {
    for (std::size_t i = loop; i-- > 0;) {
      const Statement& each = block[i];
      if (each.kind != StatementKind::kStore && each.kind != StatementKind::kAssign) return {};
      if (each.kind == StatementKind::kStore && each.local == element.array) {
        const bool is_number = each.value->type.kind == declare::ValueType::Kind::kScalar;
        if (are_same(each.indices, element.indices))
          return is_number ? std::optional(i) : std::nullopt;
        if (!are_apart(each.indices, element.indices)) return {};
      }
      if (reads_array(each, element.array) || assigns_index({each}, element)) return {};
    }
    return {};
  }

  static bool reads_array(const Statement& statement, int array) {
    bool found = false;
    visit_expressions({statement}, [&](const Expression& each) {
      found |= each.kind == ExpressionKind::kLoad && detail<ElementLoad>(each).array == array;
    });
    return found;
  }

  static bool assigns_index(const Block& block, const Element& element) {
    bool found = false;
    visit_statements(block, [&](const Statement& each) {
      if (each.kind != StatementKind::kAssign && !is_loop(each)) return;
      found |= each.kind != StatementKind::kWhile &&
               std::ranges::any_of(element.indices, [&](const Expression& index) {
                 return is_mentioned(index, each.local);
               });
    });
    return found;
  }

  // Whether nothing else in a loop may touch the element, and the loop ends where it stands.
  bool can_hold(const Statement& loop, const Element& element) const {
    if (!is_output(element.array) || !are_same(element.indices, element.indices)) return false;
    bool is_other = assigns_index({loop}, element), is_read = false;
    visit_statements({loop}, [&](const Statement& each) {
      is_other |= each.kind == StatementKind::kReturn || each.kind == StatementKind::kRaise;
      if (each.kind != StatementKind::kStore || each.local != element.array) return;
      is_other |= each.exception >= 0 || may_overlap(each.indices, element.indices);
    });
    visit_expressions({loop}, [&](const Expression& each) {
      is_other |=
          each.kind == ExpressionKind::kAtomic || declare::read_local(each) == element.array;
      if (each.kind != ExpressionKind::kLoad) return;
      if (detail<ElementLoad>(each).array != element.array) return;
      is_read |= are_same(each.operands, element.indices);
      is_other |= each.exception >= 0 || may_overlap(each.operands, element.indices);
    });
    return is_read && !is_other;
  }

  // An output without views, but for those that are filled at once: no other array is in its
  // memory.
  bool is_output(int array) const {
    const auto index = static_cast<std::size_t>(array);
    if (index < n_inputs_ || index >= function_.n_parameters) return false;
    int n_reads = 0, n_fills = 0;
    const auto count = [array](const Expression& part, int& n) {
      declare::visit_expression(
          part, [&](const Expression& each) { n += declare::read_local(each) == array ? 1 : 0; });
    };
    visit_expressions(function_.body, [&](const Expression& each) {
      n_reads += declare::read_local(each) == array ? 1 : 0;
      if (each.kind == ExpressionKind::kFillElements || each.kind == ExpressionKind::kCopyElements)
        count(each.operands.front(), n_fills);
    });
    return n_reads == n_fills;
  }

  void hold(Block& block, std::size_t first, std::size_t loop, const Element& element) {
    Statement store = block[first];
    const auto local = static_cast<int>(function_.locals.size());
    const std::string& name = function_.locals[static_cast<std::size_t>(element.array)].name;
    function_.locals.push_back({name + "_element", store.value->type, {}});
    const Expression held{
        ExpressionKind::kLocal, store.value->type, store.place, {}, LocalReference{local}};
    assign(block[first], local);
    replace(block[loop].body, element, held);
    if (block[loop].value) replace(*block[loop].value, element, held);
    store.value = held;
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(loop) + 1, std::move(store));
  }

  static void assign(Statement& store, int local) {
    store.kind = StatementKind::kAssign;
    store.local = local;
    store.indices.clear();
  }

  static void replace(Expression& expression, const Element& element, const Expression& held) {
    if (is_load_of(expression, element)) {
      expression = held;
      return;
    }
    for (Expression& operand : expression.operands) replace(operand, element, held);
  }

  static void replace(Block& block, const Element& element, const Expression& held) {
    for (Statement& each : block) {
      if (each.value) replace(*each.value, element, held);
      for (Expression& index : each.indices) replace(index, element, held);
      for (Expression& bound : each.range) replace(bound, element, held);
      if (each.kind == StatementKind::kStore && each.local == element.array &&
          are_same(each.indices, element.indices))
        assign(each, detail<LocalReference>(held).local);
      replace(each.body, element, held);
      replace(each.orelse, element, held);
    }
  }

  Function& function_;
  std::size_t n_inputs_;
};

}  // namespace

void hold_elements(declare::TypedKernel& kernel) {
  auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || !kernel.layout) return;
  Holding(python->function, kernel.layout->n_inputs).run(python->function.body);
}

}  // namespace numpy_plugin::analysis
