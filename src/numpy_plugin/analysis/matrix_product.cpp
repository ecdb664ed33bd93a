// Works on the function of one iteration of the split loops: assignments, the total's start value,
// the loop of the sum, and the statements after it.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::Statement;
using declare::StatementKind;
using declare::TypedKernel;
using declare::ValueType;

// An element read by the terms: an input, and its index by a split loop and by the sum's loop.
struct Factor {
  ProductOperand operand;
  int line = 0;  // the local of the split loop
};

class ProductSearch {
 public:
  ProductSearch(const TypedKernel& kernel, const SplitLoops& split)
      : layout_(*kernel.layout), signature_(kernel.signature) {
    iteration_ = iteration_function(kernel, split.loops);
    const std::size_t rows = split.loops[0].axis > split.loops[1].axis ? 1 : 0;
    found_.rows = split.loops[rows];
    found_.columns = split.loops[1 - rows];
    const auto first = static_cast<int>(iteration_.n_parameters - split.loops.size());
    row_ = first + static_cast<int>(rows);
    column_ = first + 1 - static_cast<int>(rows);
  }

  MatrixProduct run() {
    for (const auto& part : {&ProductSearch::find_loop, &ProductSearch::find_total,
                             &ProductSearch::find_start, &ProductSearch::find_factors}) {
      found_.reason = (this->*part)();
      if (!found_.reason.empty()) return std::move(found_);
    }
    make_functions();
    return std::move(found_);
  }

 private:
  std::string quoted(int local) const {
    return format("'{}'", iteration_.locals[static_cast<std::size_t>(local)].name);
  }

  const Block& body() const { return iteration_.body; }
  const Statement& loop() const { return body()[loop_]; }
  const Statement& update() const { return loop().body.front(); }

  std::string find_loop() {
    const auto first = std::find_if(body().begin(), body().end(), is_loop);
    if (first == body().end()) return "there is no loop for a sum";
    loop_ = static_cast<std::size_t>(first - body().begin());
    const auto is_plain = [](const Statement& each) {
      return each.kind == StatementKind::kAssign || each.kind == StatementKind::kStore;
    };
    if (!std::all_of(body().begin(), first, is_plain) ||
        !std::all_of(first + 1, body().end(), is_plain))
      return "there are other statements than assignments around the loop over " +
             quoted(first->local);
    if (first->kind != StatementKind::kForRange) return "the inner loop is a 'while'";
    if (first->fold == declare::Fold::kSum)
      return "its sums are pairwise; a tile adds in the order of a loop";
    const auto mentions = [&](const Statement& each) { return is_mentioned(each, first->local); };
    if (std::any_of(first + 1, body().end(), mentions))
      return quoted(first->local) + " is used after its loop";
    return "";
  }

  // The local or the element of an output that the loop updates.
  std::string find_total() {
    const std::string reason =
        format("the loop over {} does more than update one total", quoted(loop().local));
    if (loop().body.size() != 1) return reason;
    total_ = update().local;
    if (update().kind == StatementKind::kAssign && total_ != loop().local) {
      const ValueType& type = iteration_.locals[static_cast<std::size_t>(total_)].type;
      return type.kind == ValueType::Kind::kScalar ? "" : reason;
    }
    is_in_output_ = true;
    const bool is_own_element =
        update().kind == StatementKind::kStore && is_element_of_iteration(update().indices);
    return is_own_element ? "" : reason;
  }

  bool is_element_of_iteration(const std::vector<Expression>& indices) const {
    return std::all_of(indices.begin(), indices.end(), [&](const Expression& index) {
      const std::optional<int> local = declare::read_local(index);
      return local == row_ || local == column_;
    });
  }

  bool uses_total(const Statement& statement) const {
    if (!is_in_output_) return is_mentioned(statement, total_);
    bool found = statement.kind == StatementKind::kStore && statement.local == total_;
    visit_expressions({statement}, [&](const Expression& each) {
      const auto* const load = std::get_if<declare::ElementLoad>(&each.detail);
      found |= load && load->array == total_;
    });
    return found;
  }

  // The statement that sets the total: the only one before the loop that uses it.
  std::string find_start() {
    const auto end = body().begin() + static_cast<std::ptrdiff_t>(loop_);
    const auto mentions = [&](const Statement& each) { return uses_total(each); };
    const auto first = std::find_if(body().begin(), end, mentions);
    const bool is_set = first != end && first->local == total_ && first->kind == update().kind &&
                        is_same_place(*first) && std::none_of(first + 1, end, mentions);
    if (!is_set)
      return format("{} is not set once before the loop over {}", quoted(total_),
                    quoted(loop().local));
    bool is_constant_value = true;
    visit_expressions({*first}, [&](const Expression& each) {
      const bool is_index =
          declare::read_local(each) == row_ || declare::read_local(each) == column_;
      const bool is_fixed = each.kind == ExpressionKind::kConstant ||
                            each.kind == ExpressionKind::kCast ||
                            each.kind == ExpressionKind::kCall;
      is_constant_value &= is_fixed || (is_index && is_in_output_);
    });
    if (!is_constant_value) return "the sum does not start with a constant";
    start_ = static_cast<std::size_t>(first - body().begin());
    found_.total_dtype = first->value->type.dtype;
    const auto stores = [](const Statement& each) { return each.kind == StatementKind::kStore; };
    const auto n_stores = std::count_if(body().begin(), end, stores);
    return n_stores == (is_in_output_ ? 1 : 0) ? "" : "something is written before the sum";
  }

  // Whether a store has the indices of the update.
  bool is_same_place(const Statement& store) const {
    return std::equal(store.indices.begin(), store.indices.end(), update().indices.begin(),
                      update().indices.end(), [](const Expression& left, const Expression& right) {
                        return declare::read_local(left) == declare::read_local(right);
                      });
  }

  // Turns the update into the body of `step`, whose locals are the total and the two elements.
  std::string find_factors() {
    Expression next = *update().value;
    if (std::string reason = replace(next); !reason.empty()) return reason;
    if (!left_ || !right_)
      return "the inner loop is no sum over products of an element of each of two inputs";
    if (next.type != ValueType::scalar(found_.total_dtype))
      return quoted(total_) + " has several types";
    found_.depth_name = depth_name(*left_);
    const bool is_whole =
        depth_name(*right_) == found_.depth_name && is_constant(loop().range[0], 0) &&
        is_constant(loop().range[2], 1) &&
        is_whole_dimension(layout_, iteration_, loop().range[1], found_.depth_name);
    if (!is_whole) return "the inner loop does not run over a whole core dimension of both inputs";
    found_.left = left_->operand;
    found_.right = right_->operand;
    found_.left_dtype = dtype_of(*left_);
    found_.right_dtype = dtype_of(*right_);
    next_ = std::move(next);
    return "";
  }

  int name_of(int input, int axis) const {
    const auto& dimensions = layout_.operands[static_cast<std::size_t>(input)];
    return dimensions[static_cast<std::size_t>(axis)].name_index;
  }

  int depth_name(const Factor& factor) const {
    return name_of(factor.operand.input, factor.operand.depth_axis);
  }

  base::DType dtype_of(const Factor& factor) const {
    return signature_.inputs[static_cast<std::size_t>(factor.operand.input)].dtype;
  }

  std::string replace(Expression& expression) {
    const auto* const load = std::get_if<declare::ElementLoad>(&expression.detail);
    if (declare::read_local(expression) == total_ && !is_in_output_) {
      to_parameter(expression, 0);
    } else if (load && load->array == total_ && is_in_output_) {
      if (!is_element_of_iteration(expression.operands)) return no_products();
      to_parameter(expression, 0);
    } else if (load) {
      const std::optional<Factor> factor = find_factor(load->array, expression.operands);
      if (!factor) return no_products();
      std::optional<Factor>& known = factor->line == row_ ? left_ : right_;
      if (known && !is_same(*known, *factor)) return no_products();
      known = factor;
      to_parameter(expression, factor->line == row_ ? 1 : 2);
    } else if (declare::named_local(expression)) {
      return no_products();
    } else {
      for (Expression& operand : expression.operands)
        if (std::string reason = replace(operand); !reason.empty()) return reason;
    }
    return "";
  }

  std::string no_products() const {
    return "the inner loop is no sum over products of an element of each of two inputs";
  }

  static bool is_same(const Factor& left, const Factor& right) {
    return left.operand.input == right.operand.input &&
           left.operand.line_axis == right.operand.line_axis &&
           left.operand.depth_axis == right.operand.depth_axis;
  }

  static void to_parameter(Expression& expression, int parameter) {
    expression.kind = ExpressionKind::kLocal;
    expression.operands.clear();
    expression.detail = declare::LocalReference{parameter};
  }

  // An element of an input with two dimensions: that of the sum, and that of a split loop.
  std::optional<Factor> find_factor(int array, const std::vector<Expression>& indices) const {
    const bool is_matrix = array < static_cast<int>(layout_.n_inputs) && indices.size() == 2;
    if (!is_matrix) return {};
    const bool depth_first = declare::read_local(indices[0]) == loop().local;
    const ProductOperand operand{array, depth_first ? 1 : 0, depth_first ? 0 : 1};
    const auto index = [&](int axis) {
      return declare::read_local(indices[static_cast<std::size_t>(axis)]);
    };
    const std::optional<int> line = index(operand.line_axis);
    if (index(operand.depth_axis) != loop().local || (line != row_ && line != column_)) return {};
    const int name = line == row_ ? found_.rows.name : found_.columns.name;
    if (name_of(array, operand.line_axis) != name) return {};
    return Factor{operand, *line};
  }

  static Statement returning(Expression value) {
    Statement result{StatementKind::kReturn, value.place, 0, {}, {}, {}, {}, {}};
    result.value = std::move(value);
    return result;
  }

  void make_functions() {
    const ValueType total = ValueType::scalar(found_.total_dtype);
    const std::string& name = iteration_.name;
    found_.start = {name, {}, 0, total, {returning(*body()[start_].value)}};
    found_.step = {name,
                   {{"total", total},
                    {"left", ValueType::scalar(found_.left_dtype)},
                    {"right", ValueType::scalar(found_.right_dtype)}},
                   3,
                   total,
                   {returning(std::move(next_))}};
    make_finish(total);
  }

  // The iteration without its start value and loop; its last parameter is the total.
  void make_finish(const ValueType& total) {
    Function& finish = found_.finish = iteration_;
    Statement store = update();
    finish.body.erase(finish.body.begin() + static_cast<std::ptrdiff_t>(loop_));
    finish.body.erase(finish.body.begin() + static_cast<std::ptrdiff_t>(start_));
    if (is_in_output_) {
      finish.locals.push_back({"total", total});
      total_ = static_cast<int>(finish.locals.size()) - 1;
      to_parameter(*store.value, total_);
      finish.body.insert(finish.body.begin() + static_cast<std::ptrdiff_t>(loop_) - 1, store);
    }
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(layout_.operands.size()); ++i) order.push_back(i);
    order.insert(order.end(), {row_, column_, total_});
    finish.n_parameters = order.size();
    put_first(finish, order);
  }

  const declare::CoreSignature& layout_;
  const declare::TypeSignature& signature_;
  Function iteration_;
  int row_ = 0, column_ = 0;          // parameters of the iteration
  std::size_t loop_ = 0, start_ = 0;  // statements
  int total_ = 0;
  bool is_in_output_ = false;
  std::optional<Factor> left_, right_;
  Expression next_{};
  MatrixProduct found_;
};

}  // namespace

MatrixProduct find_matrix_product(const TypedKernel& kernel) {
  const SplitLoops split = find_split_loops(kernel);
  if (split.loops.size() == 2) return ProductSearch(kernel, split).run();
  MatrixProduct none;
  none.reason = "there are not two loops with independent iterations";
  return none;
}

int most_tile_items(const MatrixProduct& product) {
  const auto is_wide = [](base::DType dtype) { return base::info(dtype).n_bytes > 8; };
  const bool has_wide =
      is_wide(product.left_dtype) || is_wide(product.right_dtype) || is_wide(product.total_dtype);
  return kTileItems[has_wide ? 1 : 0];
}

}  // namespace numpy_plugin::analysis
