// Which assignments of a name are one variable.
#include <gtest/gtest.h>

#include "infer/tree_builder.hpp"

namespace numpy_plugin::declare {
namespace {

using namespace tree;

void collect(const std::vector<SyntaxNode>& nodes, const std::string& name,
             std::vector<int>& versions) {
  for (const SyntaxNode& each : nodes) {
    if (each.kind == SyntaxKind::kName && each.text == name) versions.push_back(each.version);
    for (const auto& [field, children] : each.fields) collect(children, name, versions);
  }
}

// The versions of `t`, in the order of the tree.
std::vector<int> versions(Nodes body) {
  FunctionSyntax numbered = function({"x"}, std::move(body));
  number_versions(numbered);
  std::vector<int> found;
  collect(numbered.body, "t", found);
  return found;
}

SyntaxNode set(double value) { return assign(name("t"), number(value)); }

TEST(VersionsTest, AnAssignmentReadsTheEarlierVariable) {
  const Nodes body = {set(1), assign(name("t"), call(name("int"), {name("t")})), give(name("t"))};
  EXPECT_EQ(versions(body), (std::vector{0, 1, 0, 1}));
}

TEST(VersionsTest, BranchesThatJoinAssignOneVariable) {
  EXPECT_EQ(versions({branch(name("x"), {set(1)}, {set(2)}), give(name("t"))}),
            (std::vector{0, 0, 0}));
  EXPECT_EQ(versions({branch(name("x"), {set(1)}, {set(2)}), set(3), give(name("t"))}),
            (std::vector{0, 1, 2, 2}));
}

TEST(VersionsTest, TheNextTripReadsWhatThisOneAssigns) {
  EXPECT_EQ(versions({set(1), repeat(name("t"), {set(2)})}), (std::vector{0, 0, 0}));
  EXPECT_EQ(versions({set(1), repeat(name("x"), {set(2), give(name("t"))})}),
            (std::vector{0, 1, 1}));
}

TEST(VersionsTest, ABreakCarriesItsValueOut) {
  const SyntaxNode left = branch(name("x"), {set(2), node("Break", "")}, {});
  EXPECT_EQ(versions({set(1), repeat(name("x"), {left, set(3), give(name("t"))}), give(name("t"))}),
            (std::vector{0, 0, 1, 1, 0}));
}

TEST(VersionsTest, PathsThatReturnDoNotJoin) {
  const SyntaxNode left = branch(name("x"), {set(1), give(name("t"))}, {});
  EXPECT_EQ(versions({left, set(2), give(name("t"))}), (std::vector{0, 0, 1, 1}));
}

TEST(VersionsTest, AnUpdateChangesTheVariableItReads) {
  EXPECT_EQ(versions({set(1), augment(name("t"), "Add", number(1)), give(name("t"))}),
            (std::vector{0, 0, 0}));
}

}  // namespace
}  // namespace numpy_plugin::declare
