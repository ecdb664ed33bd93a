// Matches mnemonics against grammars: all alternatives in parallel, so that the tables need not be
// deterministic.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "simulator/program/grammar.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kMostWords = 32;

// The modifiers of a mnemonic, split at their dots.
struct Words {
  explicit Words(std::string_view modifiers);

  std::string_view from(std::size_t word) const {
    return text.substr(static_cast<std::size_t>(words[word].data() - text.data()));
  }

  std::string_view text;
  std::vector<std::string_view> words;
};

Words::Words(std::string_view modifiers) : text(modifiers) {
  while (!modifiers.empty()) {
    const std::size_t end = std::min(modifiers.find('.', 1), modifiers.size());
    words.push_back(modifiers.substr(1, end - 1));
    modifiers.remove_prefix(end);
  }
}

// Modifiers of one kind keep their order: those of a field, spaces, which may be two places of a
// copy, eviction priorities, and layouts of matrices. The types that cvt.pack has as its mode are
// types. Plain ones have none.
std::string_view kind_of(const Modifier& word) {
  if (word.spelling == "row" || word.spelling == "col") return "layout";
  if (word.spelling.starts_with("L2::evict")) return "eviction";
  if (word.name.starts_with("pack_")) return "type";
  for (const std::string_view space : {"global", "shared", "local", "const", "param"}) {
    if (word.spelling.starts_with(space)) return "space";
  }
  return word.field;
}

// A kind of modifiers, and the last word of it that was used.
using KindUse = std::pair<std::string_view, std::size_t>;

// A partially matched mnemonic.
struct Reading {
  std::uint32_t used = 0;  // one bit a word
  Operation operation;
  Target need;
  std::vector<KindUse> set = {};  // empty in the table's order
};
using Readings = std::vector<Reading>;

void apply(const Modifier& word, Operation& operation) {
  if (!word.has_effect()) return;
  if (word.apply != nullptr)
    word.apply(operation);
  else if (operation.type == Type::kNone)
    operation.type = word.type;
  else if (operation.source == Type::kNone)
    operation.source = word.type;
  else if (operation.third == Type::kNone)
    operation.third = word.type;
  else if (operation.fourth == Type::kNone)
    operation.fourth = word.type;
}

// Whether no other reading came further; forgets those that came less far.
bool reach(std::string_view rest, Mismatch& mismatch) {
  if (rest.size() > mismatch.rest.size()) return false;
  if (rest.size() < mismatch.rest.size()) mismatch = {rest, {}, false};
  return true;
}

// Reads the words of a mnemonic by the nodes of a grammar.
class Reader {
 public:
  Reader(const Words& words, Order order, Mismatch* mismatch)
      : words_(words), order_(order), mismatch_(mismatch) {}

  // The readings of a node after each of those before it.
  Readings read(const GrammarNode& node, const Readings& before) const {
    switch (node.kind) {
      case GrammarNode::Kind::kWord:
        return read_word(*node.word, before);
      case GrammarNode::Kind::kNeed:
        return read_need(node.need, before);
      case GrammarNode::Kind::kChoice:
        return read_choice(node, before);
      case GrammarNode::Kind::kSequence:
        return read_sequence(node, before);
      case GrammarNode::Kind::kOptional:
        break;
    }
    Readings after = read_sequence(node, before);
    after.insert(after.end(), before.begin(), before.end());
    return after;
  }

  // From the dot before the first word that is not used; empty where there is none.
  std::string_view rest(const Reading& reading) const {
    const std::size_t first = n_first(reading);
    if (first >= words_.words.size()) return {};
    return words_.text.substr(words_.text.size() - words_.from(first).size() - 1);
  }

 private:
  // The number of words before the first that is not used.
  static std::size_t n_first(const Reading& reading) {
    return static_cast<std::size_t>(std::countr_one(reading.used));
  }

  Readings read_word(const Modifier& word, const Readings& before) const {
    Readings after;
    for (const Reading& reading : before) {
      const std::size_t n_before = after.size();
      if (word.spelling.empty())
        after.push_back(reading);
      else if (order_ == Order::kTable)
        use(word, n_first(reading), reading, after);
      else
        use_any(word, reading, after);
      if (after.size() == n_before && mismatch_ != nullptr) expect(word, rest(reading));
    }
    for (Reading& reading : after) apply(word, reading.operation);
    return after;
  }

  // Adds the reading with a modifier that begins at a word of the mnemonic, if it is there.
  void use(const Modifier& word, std::size_t first, const Reading& reading, Readings& after) const {
    if (first >= words_.words.size()) return;
    const std::string_view text = words_.from(first);
    if (!text.starts_with(word.spelling)) return;
    if (text.size() > word.spelling.size() && text[word.spelling.size()] != '.') return;
    const auto n_words = 1 + std::ranges::count(word.spelling, '.');
    const std::uint32_t used = ((1u << n_words) - 1) << first;
    if ((reading.used & used) != 0) return;
    after.push_back(reading);
    after.back().used |= used;
  }

  void use_any(const Modifier& word, const Reading& reading, Readings& after) const {
    const std::string_view kind = kind_of(word);
    const auto last = std::ranges::find(reading.set, kind, &KindUse::first);
    const std::size_t first = last == reading.set.end() ? 0 : last->second + 1;
    const bool must_be_first = order_ == Order::kAnyAfterFirst && reading.used == 0;
    const std::size_t end = must_be_first ? 1 : words_.words.size();
    for (std::size_t place = first; place < std::min(end, words_.words.size()); ++place) {
      const std::size_t n_before = after.size();
      use(word, place, reading, after);
      if (after.size() > n_before && !kind.empty()) set(kind, place, after.back());
    }
  }

  static void set(std::string_view kind, std::size_t place, Reading& reading) {
    const auto last = std::ranges::find(reading.set, kind, &KindUse::first);
    if (last == reading.set.end())
      reading.set.emplace_back(kind, place);
    else
      last->second = place;
  }

  static Readings read_need(const Target& need, Readings readings) {
    for (Reading& reading : readings) reading.need.add(need);
    return readings;
  }

  Readings read_sequence(const GrammarNode& node, const Readings& before) const {
    Readings after = before;
    for (const GrammarNode& part : node.parts) {
      if (after.empty()) break;
      after = read(part, after);
    }
    return after;
  }

  Readings read_choice(const GrammarNode& node, const Readings& before) const {
    Readings after;
    for (const GrammarNode& part : node.parts) {
      const Readings more = read(part, before);
      after.insert(after.end(), more.begin(), more.end());
    }
    return after;
  }

  void expect(const Modifier& word, std::string_view rest) const {
    if (!reach(rest, *mismatch_)) return;
    std::vector<std::string_view>& expected = mismatch_->expected;
    if (std::ranges::find(expected, word.spelling) == expected.end())
      expected.push_back(word.spelling);
  }

  const Words& words_;
  Order order_;
  Mismatch* mismatch_;
};

}  // namespace

std::optional<Match> match(const GrammarNode& grammar, std::string_view text,
                           const Operation& operation, Order order) {
  const Words words(text);
  if (words.words.size() > kMostWords) return std::nullopt;
  const Reader reader(words, order, nullptr);
  std::optional<Match> found;
  bool is_free = false;
  for (const Reading& reading : reader.read(grammar, {{0, operation, {}}})) {
    if (!reader.rest(reading).empty()) continue;
    if (!found) found = {reading.operation, {}};
    if (order != Order::kTable && reading.operation != found->operation) return std::nullopt;
    is_free |= reading.need == Target{};
    found->needs.push_back(reading.need);
  }
  if (is_free) found->needs.clear();
  return found;
}

void compare(const GrammarNode& grammar, std::string_view text, Mismatch& mismatch) {
  const Words words(text);
  if (words.words.size() > kMostWords) return;
  const Reader reader(words, Order::kTable, &mismatch);
  for (const Reading& reading : reader.read(grammar, {{}})) {
    if (reach(reader.rest(reading), mismatch)) mismatch.may_end = true;
  }
}

}  // namespace numpy_plugin::sim
