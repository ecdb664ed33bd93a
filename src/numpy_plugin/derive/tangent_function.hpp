// A function's statements with those that compute tangents.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/derive/derive.hpp"
#include "numpy_plugin/derive/lowering.hpp"

namespace numpy_plugin::derive {

// A value and its tangents by direction: as many as there are directions, or none at all.
struct Dual {
  Expression value;
  std::map<int, Expression> tangents = {};  // those that are not 0
};

class TangentFunction {
 public:
  TangentFunction(Differentiator& all, const declare::Function& function, Activity activity,
                  std::vector<Directions> parameters);

  // With the tangents of its parameters among the parameters, and of its result in the result.
  declare::Function with_tangents();
  // With the parameters that it has, some of which are the directions or have tangents, and these
  // results.
  declare::Function with_parts(const Differentiation& wanted);

 private:
  using Block = std::vector<declare::Statement>;

  // Statements: tangent_statements.cpp.
  void lower(const declare::Statement& statement);
  Block lowered(const Block& block);
  void lower_assign(const declare::Statement& assign);
  void lower_store(const declare::Statement& store);
  void lower_return(const declare::Statement& statement);
  void lower_effect(const declare::Statement& statement);
  void lower_elements(const declare::Statement& statement);
  void lower_loop(const declare::Statement& loop);
  Expression zero(const Expression& value, const declare::SourceSpan& place);
  Expression returned_tuple(Dual dual, const declare::SourceSpan& place);
  Expression returned_parts(Dual dual, const declare::SourceSpan& place);
  Expression part_of(const Dual& dual, const Part& part) const;

  // Expressions: tangent_expressions.cpp.
  Dual lower(const Expression& expression);
  Dual lower_call(const Expression& call);
  Dual lower_select(const Expression& select);
  Dual lower_tuple(const Expression& tuple);
  Dual lower_function_call(const Expression& call);
  Dual lower_through(const Expression& expression);
  Expression renamed(Expression expression) const;
  declare::Statement renamed(declare::Statement statement) const;
  bool may_store_tangents(const Expression& expression) const;
  std::map<int, Expression> tangents_of(const Expression& call, const Rule& rule,
                                        std::vector<Dual>& operands,
                                        const std::function<Expression()>& hold_result);
  Expression chosen(Block (&blocks)[2], Expression then, Expression otherwise);
  bool check_parts(const Expression& part, const std::string& what);
  const Rule* rule_of(const Expression& call);
  Expression hold(Expression value);
  void forget(int local);

  // Locals.
  int add_local(std::string name, declare::ValueType type, declare::ArrayStorage storage = {});
  int new_local(int local) const;
  int tangent_local(int local, int direction);
  Expression read(int local, const declare::SourceSpan& place) const;
  void assign(int local, Expression value);
  template <class Visit>
  void for_directions(Directions directions, const Visit& visit) const;

  Differentiator& all_;
  const declare::Function& function_;
  Activity activity_;
  std::vector<Directions> parameters_;
  declare::Function made_;
  Block* block_ = nullptr;
  int n_moved_ = 0;  // parameters of tangents, before the other locals
  std::map<std::pair<int, int>, int> tangent_locals_;  // of a local in a direction
  std::map<int, int> seeds_;  // the direction of a parameter that is never assigned
  // Values that a local has since the block began, so that equal ones are computed once.
  std::vector<std::pair<Expression, int>> held_;
  const Differentiation* wanted_ = nullptr;  // else all tangents are returned
};

template <class Visit>
void TangentFunction::for_directions(Directions directions, const Visit& visit) const {
  for (int direction = 0; directions != 0; ++direction, directions >>= 1) {
    if (directions & 1) visit(direction);
  }
}

// The constant 0 of a type, in each item of a tuple.
Expression zero_of(const declare::ValueType& type, const declare::SourceSpan& place);
Expression tuple_of(std::vector<Expression> items, const declare::SourceSpan& place);
Expression item_of(Expression tuple, int item);

}  // namespace numpy_plugin::derive
