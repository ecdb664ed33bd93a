// Statements of a kernel for all lanes of a block: masks of the lanes that take part replace
// branches, and a loop runs until no lane is left.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "numpy_plugin/emit/lanes/lane_expression.hpp"
#include "numpy_plugin/emit/printing/statement.hpp"

namespace numpy_plugin::emit {

// Variables with a value for each lane of a refilled `for`.
struct RefilledRange {
  std::string trip;      // the number of trips so far
  std::string n_trips;   // of all; empty: a constant
  std::string variable;  // of the next trip; empty where it is not read
};

class LaneStatementPrinter {
 public:
  LaneStatementPrinter(const declare::Function& function, const analysis::LanePlan& plan,
                       const Scope& scope, LaneWriter& writer);

  // Writes the function's body.
  void print();
  // Likewise for the lanes of a mask; empty: all.
  void print_under(const std::string& mask);
  // Likewise for the elements of an object, which come and go while others are in a loop.
  void print_refilled(const std::string& elements);

 private:
  bool has_result() const;
  void declare_result();
  void declare_zero(int local);
  void declare_state();
  void declare_trips(const declare::Statement& loop);
  void finish(const std::string& running);
  void refill(const std::string& running);
  void enter(const declare::Statement& loop, const std::string& running);
  void several_trips(const declare::Statement& loop, const std::string& running);
  void next_trip(const declare::Statement& loop, const std::string& running);
  void count_trip(const declare::Statement& loop, const std::string& running);
  void block(const declare::Block& statements);
  void declared(const declare::Statement& statement);
  void statement(const declare::Statement& statement);
  void assign(int local, const declare::Expression& value, bool declares);
  void store(const declare::Statement& statement);
  void conditional(const declare::Statement& statement);
  void uniform_conditional(const declare::Statement& statement);
  void masked_conditional(const declare::Statement& statement);
  bool join(const declare::Statement& conditional);
  void arm(const std::string& mask, const declare::Block& statements);
  void while_loop(const declare::Statement& loop);
  void for_range(const declare::Statement& loop);
  void uniform_range(const declare::Statement& loop);
  void lane_range(const declare::Statement& loop);
  void condition(const declare::Statement& loop, const std::string& running);
  void interrupt(const std::string& trips);
  void trip(const declare::Statement& loop, const std::string& running);
  void leave_loop(const declare::Statement& loop, const std::string& outer);
  std::string lane_trips(const declare::Statement& loop, const std::string& start);
  void set_local(int local, const std::string& value, bool declares);
  void return_value(const declare::Expression& value);
  void give_back(const std::string& value);
  void leave_function();
  bool is_read_where_lanes_meet(int local) const;
  std::string set_in_lanes(int local, const std::string& value) const;
  bool counts(int local, const declare::Expression& value) const;
  void find_forgotten(const declare::Statement& loop);
  bool may_raise_on_trips(const declare::Statement& loop) const;
  std::string running_lanes();
  const std::string& name_of(int local) const;

  const declare::Function& function_;
  const analysis::LanePlan& plan_;
  const Scope& scope_;
  LaneWriter& writer_;
  LaneExpressionPrinter expressions_;
  Declarations declarations_;
  // Locals that may be read where lanes that do not take part do so again, by construct.
  std::vector<std::set<int>> meetings_;
  // Of the innermost loop, whose body has so many meetings: locals that only lanes in it read.
  std::set<int> forgotten_;
  std::size_t n_meetings_ = 0;
  std::vector<std::string> continued_;  // by loop: the lanes that wait for its next trip
  std::string mask_;                    // of the lanes that take part; empty: all
  bool is_over_ = false;                // no lane takes part
  std::string returned_;                // lanes that have left the function inside a loop
  std::string elements_;                // of which lanes take one after the other; empty: one only
  std::string finished_;                // lanes that leave for another element
  bool is_entering_ = false;            // in the statements before their loop
  RefilledRange range_;                 // of a `for` that is this loop
  std::string result_;                  // variable for it, where lanes return at several places
};

}  // namespace numpy_plugin::emit
