#include "numpy_plugin/system/events/events.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace numpy_plugin::system {
namespace {

std::atomic<int> n_notices = 0;

class EventsTest : public testing::Test {
 protected:
  void SetUp() override {
    n_notices = 0;
    set_event_notice([] { ++n_notices; });
  }
  void TearDown() override {
    take_events();
    set_event_notice(nullptr);
  }
};

TEST_F(EventsTest, AreTakenInOrderAndOnce) {
  EXPECT_FALSE(has_events());
  record_event({EventTopic::kCache, EventLevel::kDebug, "first"});
  record_event({EventTopic::kDevice, EventLevel::kInfo, "second"});
  EXPECT_TRUE(has_events());
  EXPECT_EQ(n_notices, 2);
  const std::vector<Event> events = take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].text, "first");
  EXPECT_EQ(events[1].topic, EventTopic::kDevice);
  EXPECT_FALSE(has_events());
  EXPECT_TRUE(take_events().empty());
}

TEST_F(EventsTest, AreNotRecordedWithoutAReceiver) {
  set_event_notice(nullptr);
  record_event({EventTopic::kCache, EventLevel::kDebug, "nobody takes it"});
  EXPECT_FALSE(has_events());
}

TEST_F(EventsTest, DoNotPileUpWhereNobodyTakesThem) {
  for (int i = 0; i < 5000; ++i) record_event({EventTopic::kCache, EventLevel::kDebug, "again"});
  EXPECT_EQ(take_events().size(), 1000u);
}

TEST_F(EventsTest, OfTheParentAreNotTheChilds) {
  record_event({EventTopic::kCache, EventLevel::kDebug, "of the parent"});
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    record_event({EventTopic::kCache, EventLevel::kDebug, "of the child"});
    const std::vector<Event> events = take_events();
    ::_exit(events.size() == 1 && events[0].text == "of the child" ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(take_events().size(), 1u);
}

TEST_F(EventsTest, ACompilationIsOneWhetherItSucceedsOrNot) {
  EXPECT_EQ(followed("'f' for float64(float64)", "g++ 12", [] { return 7; }), 7);
  EXPECT_THROW(followed("'g'", "g++ 12", []() -> int { throw std::runtime_error("no"); }),
               std::runtime_error);
  const std::vector<Event> events = take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_TRUE(events[0].text.starts_with("compiled 'f' for float64(float64) with g++ 12 in "));
  EXPECT_TRUE(events[1].text.starts_with("failed to compile 'g' with g++ 12 after "));
  EXPECT_EQ(events[0].level, EventLevel::kInfo);
  EXPECT_GE(events[0].seconds, 0);
}

}  // namespace
}  // namespace numpy_plugin::system
