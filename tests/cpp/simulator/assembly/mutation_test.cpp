// The fuzzer's corpus with thousands of small mutations: each text is parsed, or rejected with an
// error for its author; nothing else happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/file.hpp"
#include "simulator/assembly/fuzz/is_accepted.hpp"

namespace numpy_plugin::sim {
namespace {

using Generator = std::mt19937;  // the same numbers on all platforms

std::map<std::string, std::string> read_corpus() {
  std::map<std::string, std::string> corpus;
  for (const auto& entry :
       std::filesystem::directory_iterator(NPP_SOURCE_DIR "/tests/cpp/simulator/assembly/corpus")) {
    corpus[entry.path().stem()] = system::read_file(entry.path()).value();
  }
  return corpus;
}

std::size_t below(std::size_t limit, Generator& generator) { return generator() % limit; }

// Number of accepted texts among `n_changes` mutations of each file of the corpus.
struct Tally {
  int n_accepted = 0;
  int n_refused = 0;
};

template <typename Change>
Tally try_changes(int n_changes, const Change& change) {
  Generator generator;
  Tally tally;
  for (const auto& [name, text] : read_corpus()) {
    for (int number = 0; number < n_changes; ++number) {
      ++(is_accepted(change(text, generator)) ? tally.n_accepted : tally.n_refused);
    }
  }
  return tally;
}

void expect_both(const Tally& tally) {
  EXPECT_GT(tally.n_accepted, 0);
  EXPECT_GT(tally.n_refused, 0);
}

TEST(AssemblyMutationTest, AcceptsTheWholeCorpus) {
  const std::map<std::string, std::string> corpus = read_corpus();
  EXPECT_GE(corpus.size(), 12u);
  for (const auto& [name, text] : corpus) {
    EXPECT_EQ(is_accepted(text), !name.starts_with("truncated_")) << name;
  }
}

TEST(AssemblyMutationTest, SurvivesEveryTruncation) {
  const std::map<std::string, std::string> corpus = read_corpus();
  for (const char* name : {"saxpy", "values"}) {
    const std::string& text = corpus.at(name);
    const std::size_t last_function = text.rfind('}');
    for (std::size_t size = text.find("{\n") + 1; size <= last_function; ++size) {
      EXPECT_FALSE(is_accepted(text.substr(0, size))) << name << " cut at byte " << size;
    }
    for (std::size_t size = 0; size < text.find("{\n"); ++size) is_accepted(text.substr(0, size));
  }
}

TEST(AssemblyMutationTest, SurvivesChangedBytes) {
  expect_both(try_changes(120, [](std::string text, Generator& generator) {
    for (std::size_t flip = 0; flip <= below(3, generator); ++flip) {
      text[below(text.size(), generator)] ^= static_cast<char>(1 << below(8, generator));
    }
    return text;
  }));
}

TEST(AssemblyMutationTest, SurvivesLinesThatAreMissingOrTwice) {
  expect_both(try_changes(80, [](const std::string& text, Generator& generator) {
    std::vector<std::string> lines = base::split_lines(text);
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size(), generator));
    if (below(2, generator) == 0) {
      lines.erase(line);
    } else {
      lines.insert(line, std::string(*line));
    }
    return base::join(lines, "\n");
  }));
}

TEST(AssemblyMutationTest, SurvivesWordsThatChangePlaces) {
  expect_both(try_changes(80, [](const std::string& text, Generator& generator) {
    std::vector<std::string> words;
    for (const char character : text) {
      const bool is_word = std::isalnum(static_cast<unsigned char>(character)) != 0;
      const bool was_word =
          !words.empty() && std::isalnum(static_cast<unsigned char>(words.back()[0]));
      if (words.empty() || !is_word || !was_word) words.emplace_back();
      words.back() += character;
    }
    std::swap(words[below(words.size(), generator)], words[below(words.size(), generator)]);
    return base::join(words, "");
  }));
}

}  // namespace
}  // namespace numpy_plugin::sim
