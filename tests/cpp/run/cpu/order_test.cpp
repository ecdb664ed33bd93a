// Sorts and selections of kernels: where NumPy has no sorts to call, and how much they read.
#include <gtest/gtest.h>
#include <npp/core/order.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

namespace numpy_plugin::run {
namespace {

using Key = npp::OrderKey<long>;

// Integers of every size from 0 to 100 and some longer ones: drawn, equal, rising, falling, of few
// values, of two slopes.
std::vector<std::vector<long>> rows() {
  std::mt19937_64 random(1);
  std::vector<long> sizes(101);
  std::iota(sizes.begin(), sizes.end(), 0L);
  sizes.insert(sizes.end(), {365, 1000, 5000});
  std::vector<std::vector<long>> found;
  for (const long n : sizes) {
    const std::vector<std::function<long(long)>> forms = {
        [&](long) { return static_cast<long>(random()); },
        [](long) { return 7L; },
        [](long i) { return i; },
        [](long i) { return -i; },
        [](long i) { return i * i % 3; },
        [n](long i) { return std::min(i, n - i); }};
    for (const auto& form : forms) {
      std::vector<long>& row = found.emplace_back();
      for (long i = 0; i < n; ++i) row.push_back(form(i));
    }
  }
  return found;
}

template <class T>
npp::View<T, 1> view_of(std::vector<T>& row, long step = 1) {
  npp::View<T, 1> view(row.data());
  view.set(0, static_cast<long>(row.size()) / step, step * static_cast<long>(sizeof(T)));
  return view;
}

class OrderTest : public testing::Test {
 protected:
  OrderTest() { npp_driver = &elementwise_driver(); }
};

TEST_F(OrderTest, RowsAreSortedWithoutNumPy) {
  for (const std::vector<long>& row : rows()) {
    std::vector<long> sorted = row, expected = row;
    std::sort(expected.begin(), expected.end());
    npp::sort_elements(view_of(sorted));
    EXPECT_EQ(sorted, expected);
    std::vector<double> doubles(row.begin(), row.end());
    npp::sort_elements(view_of(doubles));
    EXPECT_TRUE(std::is_sorted(doubles.begin(), doubles.end()));
  }
}

TEST_F(OrderTest, IndicesAreStableWithoutNumPy) {
  for (std::vector<long>& row : rows()) {
    std::vector<long> indices(row.size()), expected(row.size());
    std::iota(expected.begin(), expected.end(), 0L);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](long i, long j) { return row[size_t(i)] < row[size_t(j)]; });
    npp::sort_elements(view_of(indices), view_of(row));
    EXPECT_EQ(indices, expected);
  }
}

TEST_F(OrderTest, RanksAreInTheirPlaces) {
  for (const std::vector<long>& row : rows()) {
    const long n = static_cast<long>(row.size());
    std::vector<long> expected = row;
    std::sort(expected.begin(), expected.end());
    for (const long first : {0L, n / 3, n / 2, n - 1}) {
      if (n == 0) continue;
      std::vector<long> selected = row;
      const long end = std::min(first + 2, n);
      npp::sort_elements(view_of(selected), first, end);
      for (long rank = first; rank < end; ++rank) {
        EXPECT_EQ(selected[size_t(rank)], expected[size_t(rank)]);
      }
      std::sort(selected.begin(), selected.begin() + first);
      std::sort(selected.begin() + end, selected.end());
      EXPECT_EQ(selected, expected);
    }
  }
}

TEST_F(OrderTest, SpacedElementsAreOrdered) {
  std::mt19937_64 random(2);
  std::vector<double> spaced(2000);
  for (double& element : spaced) element = static_cast<double>(random());
  std::vector<double> others;
  for (size_t i = 1; i < spaced.size(); i += 2) others.push_back(spaced[i]);
  npp::sort_elements(view_of(spaced, 2));
  for (size_t i = 0; i < spaced.size(); i += 2) {
    EXPECT_LE(spaced[i < 2 ? 0 : i - 2], spaced[i]);
    EXPECT_EQ(spaced[i + 1], others[i / 2]);
  }
}

// Items that count how often they are accessed.
struct Counted {
  Key* items;
  long* n_accesses;
  Key& operator[](long i) const {
    ++*n_accesses;
    return items[i];
  }
  Counted operator+(long n) const { return {items + n, n_accesses}; }
};

TEST_F(OrderTest, SelectionsReadEachElementAFewTimes) {
  for (const std::vector<long>& row : rows()) {
    const long n = static_cast<long>(row.size());
    if (n < 1000) continue;
    std::vector<Key> keys;
    for (const long value : row) keys.push_back({value});
    long n_accesses = 0;
    npp::place_ranks<long>(Counted{keys.data(), &n_accesses}, n, n / 2, n / 2 + 1);
    EXPECT_LT(n_accesses, 25 * n);  // four accesses of an element in each pass
  }
}

// Each sample of a row has its least elements: a row of elements that get their values when a
// selection has sampled them, the others being greater.
std::vector<long> unlucky_row(long n) {
  using Selection = npp::Selection<Key*, long>;
  std::vector<long> places(static_cast<size_t>(n)), values(static_cast<size_t>(n), n);
  std::iota(places.begin(), places.end(), 0L);
  long n_known = 0;
  for (long low = 0; n - low > Selection::kSorted && low < n / 2;) {
    for (long i = 0; i < Selection::kSample; ++i) {
      const long at = low + (2 * i + 1) * (n - low) / (2 * Selection::kSample);
      long& value = values[static_cast<size_t>(places[static_cast<size_t>(at)])];
      if (value == n) value = n_known++;
    }
    // As the selection does: all that are less than a limit come first.
    std::vector<Key> keys;
    for (const long place : places) keys.push_back({values[static_cast<size_t>(place)]});
    std::vector<Key> sample;
    for (long i = 0; i < Selection::kSample; ++i) {
      sample.push_back(
          keys[static_cast<size_t>(low + (2 * i + 1) * (n - low) / (2 * Selection::kSample))]);
    }
    std::sort(sample.begin(), sample.end(), [](Key a, Key b) { return a.value < b.value; });
    const long at = (n / 2 - low) * Selection::kSample / (n - low);
    const long limits[] = {at + Selection::kMargin, at - Selection::kMargin};
    const long before = low;
    for (const long limit_at : limits) {
      if (limit_at < 0 || limit_at >= Selection::kSample) continue;
      const long limit = sample[static_cast<size_t>(limit_at)].value;
      long n_front = low;
      for (long i = low; i < n; ++i) {
        std::swap(places[static_cast<size_t>(i)], places[static_cast<size_t>(n_front)]);
        n_front += values[static_cast<size_t>(places[static_cast<size_t>(n_front)])] < limit;
      }
      low = n_front;
    }
    if (low == before) break;
  }
  for (long& value : values) {
    if (value == n) value = n_known++;
  }
  return values;
}

TEST_F(OrderTest, UnluckySamplesEndInASort) {
  constexpr long n = 20'000;
  const std::vector<long> row = unlucky_row(n);
  std::vector<Key> keys;
  for (const long value : row) keys.push_back({value});
  long n_accesses = 0;
  npp::place_ranks<long>(Counted{keys.data(), &n_accesses}, n, n / 2, n / 2 + 1);
  EXPECT_EQ(keys[n / 2].value, n / 2);
  EXPECT_GT(n_accesses, 40 * n);   // the row is an unlucky one
  EXPECT_LT(n_accesses, 250 * n);  // which it would exceed with one pass for some elements
}

}  // namespace
}  // namespace numpy_plugin::run
