// Decodes statements to instructions by the rules of the table; labels are resolved last.
#include "simulator/decode/function_decoder.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "simulator/assembly/parse.hpp"
#include "simulator/program/grammar.hpp"
#include "simulator/program/matrix.hpp"
#include "simulator/program/operand_slots.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kLargestStackAlignment = 1 << 23;  // of alloca

InstructionClass class_of_type(Type type) {
  if (kind(type) != TypeKind::kFloat) return InstructionClass::kInteger;
  if (type == Type::kF32) return InstructionClass::kFloat32;
  if (type == Type::kF64) return InstructionClass::kFloat64;
  return InstructionClass::kHalf;
}

InstructionClass class_of_access(InstructionClass global, Space space) {
  if (space == Space::kShared) return InstructionClass::kSharedAccess;
  if (space == Space::kLocal) return InstructionClass::kLocalAccess;
  if (space == Space::kConst || space == Space::kParam) return InstructionClass::kMove;
  return global;
}

InstructionClass class_of(InstructionClass in_table, const Operation& operation) {
  switch (in_table) {
    case InstructionClass::kInteger:
      if (operation.approximate) return InstructionClass::kSpecialFunction;
      return class_of_type(operation.source != Type::kNone ? operation.source : operation.type);
    case InstructionClass::kGlobalLoad:
    case InstructionClass::kGlobalStore:
      return class_of_access(in_table, operation.space);
    default:
      return in_table;
  }
}

bool is_named_in_messages(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  return instruction.flow == Flow::kBarrier || instruction.flow == Flow::kWarpSync ||
         operation.opcode == Opcode::kMbarrier || operation.opcode == Opcode::kCp ||
         operation.completes_bytes;
}

InstructionClass class_of_helper(const Operation& operation) {
  const bool is_access = operation.opcode == Opcode::kLd || operation.opcode == Opcode::kSt;
  return class_of(is_access ? InstructionClass::kGlobalLoad : InstructionClass::kInteger,
                  operation);
}

bool reads_carry(Opcode opcode) {
  return opcode == Opcode::kAddc || opcode == Opcode::kSubc || opcode == Opcode::kMadc;
}

// The rules of an operation's sources: a cache policy only where the mnemonic names one.
std::vector<OperandRule> source_rules(const Form& form, const Operation& operation) {
  std::vector<OperandRule> rules = form.sources;
  if (!operation.has_policy) {
    std::erase_if(rules, [](const OperandRule& rule) { return rule.letter == 'H'; });
  }
  return rules;
}

// The whole register of a part of it, see video.cpp.
Operand whole_of(Operand part) {
  if (part.kind == Operand::Kind::kRegister) part.name.clear();
  part.has_minus = false;
  return part;
}

// Matches operands to rules; nullptr for omitted optional ones.
std::vector<const Operand*> assign(const std::vector<Operand>& operands, std::size_t n_results,
                                   const std::vector<OperandRule>& sources) {
  std::size_t n_missing = n_results + sources.size() - operands.size();
  std::vector<const Operand*> assigned;
  const Operand* next = operands.data();
  for (std::size_t result = 0; result < n_results; ++result) assigned.push_back(next++);
  for (const OperandRule& rule : sources) {
    const bool is_missing = rule.may_be_missing && n_missing > 0;
    if (is_missing) --n_missing;
    assigned.push_back(is_missing ? nullptr : next++);
  }
  return assigned;
}

std::string describe_count(std::size_t least, std::size_t most) {
  std::string text = std::to_string(least);
  if (most != least) text += format(" or {}", most);
  return text + (most == 1 ? " operand" : " operands");
}

[[noreturn]] void fail_unknown(const Statement& statement, const std::string& mistake = "") {
  if (const auto reason = why_unsimulated(statement.mnemonic))
    throw PtxError(statement.line, format("'{}': {}", statement.mnemonic, *reason));
  throw PtxError(statement.line, format("unknown instruction '{}'{}", statement.mnemonic,
                                        mistake.empty() ? "" : ": " + mistake));
}

// Marks loads that look at a value before a later atomic operation, which names the same address,
// may change it: `old = *p; do { ... } while (atomicCAS(p, ...)`, `if (*p < x) atomicMax(p, x)`.
void mark_probes(Program& program, const FunctionCode& function) {
  std::set<std::pair<Slot, std::int64_t>> atomic;  // addresses, from the end
  for (std::uint32_t at = function.last; at-- > function.first;) {
    Instruction& instruction = program.code[at];
    const std::pair<Slot, std::int64_t> address = {instruction.a, instruction.offset};
    const Opcode opcode = instruction.operation.opcode;
    if (opcode == Opcode::kAtom || opcode == Opcode::kRed) atomic.insert(address);
    if (opcode == Opcode::kLd) instruction.is_probe = atomic.contains(address);
  }
}

}  // namespace

FunctionDecoder::FunctionDecoder(const Surroundings& surroundings, const Decoding& decoding,
                                 MnemonicCache& mnemonics, Program& program, const Symbol& function)
    : decoding_(decoding),
      mnemonics_(mnemonics),
      program_(program),
      symbol_(function),
      function_(*function.function),
      operands_(surroundings, function) {
  for (const auto& [name, prototype] : function_.prototypes) prototypes_.emplace(name, &prototype);
}

FunctionCode FunctionDecoder::decode() {
  FunctionCode code;
  code.name = function_.name;
  code.is_entry = function_.is_entry;
  code.is_syscall = symbol_.is_syscall;
  code.max_threads = function_.max_threads;
  std::copy(std::begin(function_.required_threads), std::end(function_.required_threads),
            code.required_threads.begin());
  std::copy(std::begin(function_.required_cluster), std::end(function_.required_cluster),
            code.required_cluster.begin());
  code.first = static_cast<std::uint32_t>(program_.code.size());
  load_parameters();
  for (const Statement& statement : function_.statements) decode(statement);
  if (!symbol_.is_syscall) end_function();
  set_targets();
  code.last = static_cast<std::uint32_t>(program_.code.size());
  operands_.registers().describe(code);
  operands_.variables().describe(code);
  code.allocates_stack = allocates_stack_;
  find_unwritten(code);
  if (code.is_entry) code.early = find_early_reads(program_, code);
  count_plain(code);
  mark_probes(program_, code);
  return code;
}

void FunctionDecoder::decode(const Statement& statement) {
  starts_.push_back(static_cast<std::uint32_t>(program_.code.size()));
  if (statement.mnemonic.starts_with('.')) return;  // a list of targets
  operands_.begin(statement);
  n_fragments_ = 0;
  const auto [cached, is_new] = mnemonics_.try_emplace(statement.mnemonic);
  if (is_new) cached->second = find_mnemonic(statement.mnemonic);
  if (!cached->second) fail_unknown(statement, explain_mnemonic(statement.mnemonic));
  if (!cached->second->needs.empty()) check_target(cached->second->needs);
  const Form& form = *cached->second->form;
  Instruction instruction;
  instruction.operation = cached->second->operation;
  instruction.flow = form.flow;
  instruction.category = form.category;
  instruction.line = statement.line;
  instruction.source_bytes = static_cast<std::uint8_t>(size_bytes(instruction.operation.type));
  instruction.result_bytes = instruction.source_bytes;
  if (instruction.operation.opcode == Opcode::kAlloca) check_alloca(statement);
  if (statement.guard) decode_guard(*statement.guard, instruction);
  if (!form.has_own_rules)
    decode_by_rules(statement, form, instruction);
  else if (instruction.operation.opcode == Opcode::kCall)
    decode_call(statement, instruction);
  else
    decode_mov(statement, instruction);
  if (is_video(instruction.operation.opcode)) decode_video(statement, instruction);
  settle(instruction);
  if (instruction.flow == Flow::kReturn) store_results();
  emit_with_helpers(instruction, statement);
}

// Helpers compute its operands before it, and have its guard where they use its results after it.
void FunctionDecoder::emit_with_helpers(Instruction& instruction, const Statement& statement) {
  emit_helpers(operands_.take_before(), statement);
  emit(instruction, statement);
  std::vector<Instruction> after = operands_.take_after();
  for (Instruction& helper : after) {
    helper.guard = instruction.guard;
    helper.is_guard_negated = instruction.is_guard_negated;
  }
  emit_helpers(std::move(after), statement);
}

void FunctionDecoder::emit_helpers(std::vector<Instruction> helpers, const Statement& statement) {
  for (Instruction& helper : helpers) {
    helper.category = class_of_helper(helper.operation);
    emit(helper, statement);
  }
}

void FunctionDecoder::check_target(const std::vector<Target>& needs) const {
  const std::string mistake = describe_missing(operands_.target(), needs);
  if (!mistake.empty()) operands_.fail(mistake);
}

void FunctionDecoder::decode_guard(const Operand& guard, Instruction& instruction) {
  Operand predicate = guard;
  predicate.is_negated = false;
  instruction.guard = operands_.source(predicate, {}).slot;
  instruction.is_guard_negated = guard.is_negated;
}

// A label list of .branchtargets.
void FunctionDecoder::decode_branch_targets(const Operand& operand, Instruction& instruction) {
  const Statement* targets = find_targets(operand, ".branchtargets");
  if (targets == nullptr) operands_.fail(operand, "the label of a .branchtargets");
  instruction.list = static_cast<std::uint32_t>(program_.lists.size());
  instruction.target = static_cast<std::uint32_t>(targets->operands.size());
  for (const Operand& target : targets->operands) {
    if (target.kind != Operand::Kind::kLabel) operands_.fail(target, "a label in .branchtargets");
    indexed_branches_.push_back({program_.lists.size(), target.index});
    program_.lists.push_back(0);
  }
}

// nullptr where the operand does not name such a list.
const Statement* FunctionDecoder::find_targets(const Operand& operand,
                                               std::string_view mnemonic) const {
  for (const auto& [name, index] : function_.target_lists) {
    const Statement& targets = function_.statements[index];
    if (name == operand.name && targets.mnemonic == mnemonic) return &targets;
  }
  return nullptr;
}

void FunctionDecoder::check_alloca(const Statement& statement) {
  allocates_stack_ = true;
  if (statement.operands.size() < 3) return;
  const Operand& alignment = statement.operands[2];
  const bool is_valid = alignment.kind == Operand::Kind::kInteger &&
                        std::has_single_bit(alignment.bits) &&
                        alignment.bits <= kLargestStackAlignment;
  if (!is_valid)
    operands_.fail(alignment,
                   format("an alignment: a power of two up to {}", kLargestStackAlignment));
}

void FunctionDecoder::decode_by_rules(const Statement& statement, const Form& form,
                                      Instruction& instruction) {
  const auto may_be_missing = [](const OperandRule& rule) { return rule.may_be_missing; };
  const std::vector<OperandRule> sources = source_rules(form, instruction.operation);
  const std::size_t most = form.results.size() + sources.size();
  const std::size_t least = most - static_cast<std::size_t>(std::count_if(
                                       sources.begin(), sources.end(), may_be_missing));
  const std::size_t n_operands = statement.operands.size();
  if (n_operands < least || n_operands > most)
    operands_.fail(format("found {}; expected {}", describe_count(n_operands, n_operands),
                          describe_count(least, most)));
  const auto assigned = assign(statement.operands, form.results.size(), sources);
  auto operand = assigned.begin();
  for (const OperandRule& rule : form.results) decode_result(**operand++, rule, instruction);
  instruction.n_list_results = instruction.n_list;
  Slot* const slots[] = {&instruction.a, &instruction.b, &instruction.c, &instruction.d,
                         &instruction.e};
  Slot* const* slot = std::begin(slots);
  bool is_first_value = true;
  for (const OperandRule& rule : sources) {
    const Operand* source = *operand++;
    if (rule.letter == 'H') {
      operands_.source(*source, {8});
      continue;
    }
    Slot& target = **slot++;
    if (source == nullptr) continue;
    if (rule.need != Target{}) check_target({rule.need});
    check_number(*source, static_cast<std::size_t>(slot - std::begin(slots)) - 1, statement);
    const Value value = decode_source(*source, rule, instruction);
    target = value.slot == kNoSlot ? target : value.slot;
    if (is_first_value && value.n_bytes != 0) instruction.source_bytes = value.n_bytes;
    is_first_value &= value.n_bytes == 0;
  }
  const Operation& operation = instruction.operation;
  if (operation.carry) instruction.second_result = operands_.carry();
  if (reads_carry(operation.opcode)) instruction.d = operands_.carry();
}

void FunctionDecoder::check_number(const Operand& operand, std::size_t source,
                                   const Statement& statement) const {
  if (operand.kind != Operand::Kind::kInteger) return;
  const auto value = static_cast<std::int64_t>(operand.bits);
  const std::string_view expected = expected_number(statement.mnemonic, source, value);
  if (!expected.empty()) operands_.fail(operand, std::string(expected));
}

Wanted FunctionDecoder::wanted_by(const OperandRule& rule, const Operation& operation) const {
  Wanted result;
  switch (rule.letter) {
    case 'T':
    case 'V':
      result = wanted(operation.type);
      break;
    case 'S':
      result = wanted(operation.source != Type::kNone ? operation.source : operation.type);
      break;
    case 'W':
      result = wanted(operation.type);
      if (operation.part == Part::kWide) result.n_bytes *= 2;
      break;
    case 'U':
    case 'D':
      result.n_bytes = 4;
      break;
    case 'F':
      result = wanted(Type::kF32);
      break;
    case 'Q':
      result.n_bytes = 8;
      break;
    case 'P':
      break;
    default:
      NPP_ASSERT(false, std::string(1, rule.letter));
  }
  const Type type = rule.letter == 'S' ? operation.source : operation.type;
  result.may_be_wider = rule.may_be_wider && type != Type::kBf16;
  return result;
}

void FunctionDecoder::decode_result(const Operand& operand, const OperandRule& rule,
                                    Instruction& instruction) {
  if (rule.letter == 'R') {
    set_list(decode_fragment(operand, instruction, true), instruction);
    return;
  }
  if (rule.letter == 'X') {
    if (operand.kind == Operand::Kind::kSink) return;
    operands_.fail(operand, "'_', as an mbarrier of the cluster tells no state");
  }
  const Wanted wanted = wanted_by(rule, instruction.operation);
  const bool is_unused = operand.kind == Operand::Kind::kSink && rule.may_be_unused;
  if (rule.letter == 'V' && instruction.operation.n_elements > 1) {
    const std::uint32_t n_elements = instruction.operation.n_elements;
    const std::vector<Value> values =
        is_unused
            ? std::vector<Value>(n_elements, {kNoSlot, static_cast<std::uint8_t>(wanted.n_bytes)})
            : operands_.results(operand, n_elements, wanted);
    set_list(values, instruction);
    instruction.result_bytes = values.front().n_bytes;
    return;
  }
  const bool is_pair = operand.kind == Operand::Kind::kPair && rule.second != 0;
  if (rule.needs_second && !is_pair) operands_.fail(operand, "a register and a predicate, 'd|p'");
  if (is_pair) return decode_pair(operand, rule, wanted, instruction);
  if (is_unused) return;
  const Value value = operands_.result(rule.letter == 'D' ? whole_of(operand) : operand, wanted);
  instruction.result = value.slot;
  instruction.result_bytes = value.n_bytes;
}

void FunctionDecoder::decode_pair(const Operand& pair, const OperandRule& rule,
                                  const Wanted& wanted, Instruction& instruction) {
  const auto decode = [&](const Operand& part, bool may_be_unused, const Wanted& of_part) {
    return may_be_unused ? operands_.result_or_none(part, of_part)
                         : operands_.result(part, of_part);
  };
  const Value first = decode(pair.parts.front(), rule.may_be_unused, wanted);
  // Of two parts, one is used.
  const bool may_second_be_unused = rule.may_second_be_unused && first.slot != kNoSlot;
  instruction.result = first.slot;
  instruction.result_bytes = first.n_bytes;
  instruction.second_result = decode(pair.parts.back(), may_second_be_unused, {}).slot;
}

Value FunctionDecoder::decode_source(const Operand& operand, const OperandRule& rule,
                                     Instruction& instruction) {
  switch (rule.letter) {
    case 'A':
      operands_.address(operand, instruction);
      return {};
    case 'G':
      return {operands_.address_value(operand, Space::kGlobal), 0};
    case 'M':
      return {operands_.shared_address_value(operand), 0};
    case 'C':
      return {operands_.copied_bytes(operand, instruction.c), 0};
    case 'L':
      if (operand.kind != Operand::Kind::kLabel) operands_.fail(operand, "a label");
      branches_.push_back({0, operand.index});
      return {};
    case 'B':
      decode_branch_targets(operand, instruction);
      return {};
    case 'R':
      set_list(decode_fragment(operand, instruction, false), instruction);
      return {};
    case 'N':
      if (operand.kind != Operand::Kind::kInteger) operands_.fail(operand, "an integer");
      return {operands_.source(operand, {4}).slot, 0};
    case 'D':
      return operands_.source(whole_of(operand), {4});
    default:
      break;
  }
  const Operation& operation = instruction.operation;
  if (operation.opcode == Opcode::kCvta && operand.kind == Operand::Kind::kSymbol)
    operands_.check_space(operand, operation.space);
  const Wanted wanted = wanted_by(rule, operation);
  if (rule.letter != 'V' || operation.n_elements == 1) return operands_.source(operand, wanted);
  const auto values = operands_.sources(operand, operation.n_elements, wanted);
  set_list(values, instruction);
  return {kNoSlot, values.front().n_bytes};
}

std::vector<Value> FunctionDecoder::decode_fragment(const Operand& operand,
                                                    const Instruction& instruction,
                                                    bool is_result) {
  const Fragment fragment = fragment_of(instruction.operation, n_fragments_++);
  const Wanted wanted{fragment.register_bytes, Literals::kBits};
  if (is_result) return operands_.results(operand, fragment.n_registers, wanted);
  return operands_.sources(operand, fragment.n_registers, wanted);
}

// Appends to a list that may already contain the results.
void FunctionDecoder::set_list(const std::vector<Value>& values, Instruction& instruction) {
  std::vector<Slot>& lists = program_.lists;
  if (instruction.n_list == 0) instruction.list = static_cast<std::uint32_t>(lists.size());
  for (const Value& value : values) lists.push_back(value.slot);
  instruction.n_list = static_cast<std::uint8_t>(instruction.n_list + values.size());
}

// Completes the parts that depend on the enclosing function.
void FunctionDecoder::settle(Instruction& instruction) {
  Operation& operation = instruction.operation;
  if (instruction.flow == Flow::kReturn && function_.is_entry) instruction.flow = Flow::kExit;
  if (!function_.is_entry) {
    // A function's parameters are in its frame.
    if (operation.space == Space::kParam) operation.space = Space::kLocal;
    if (operation.mode == Mode::kToParam) operation.mode = Mode::kToLocal;
  }
  instruction.category = class_of(instruction.category, operation);
}

void FunctionDecoder::emit(Instruction instruction, const Statement& statement) {
  if (program_.code.size() >= std::numeric_limits<std::uint32_t>::max() / 2)
    throw PtxError(instruction.line, "the program is too long");
  if (instruction.flow == Flow::kBranch) branches_.back().instruction = program_.code.size();
  const bool has_handler = instruction.flow == Flow::kNext || instruction.flow == Flow::kYield;
  if (has_handler || instruction.flow == Flow::kWarpSync) {
    instruction.handler = decoding_.find_handler(instruction);
  }
  if (has_handler && instruction.handler == nullptr) fail_unknown(statement);
  instruction.location = statement.location;
  if (is_named_in_messages(instruction)) {
    program_.mnemonics.emplace(static_cast<std::uint32_t>(program_.code.size()),
                               statement.mnemonic);
  }
  program_.code.push_back(instruction);
}

// Prevents lanes from running into the next function.
void FunctionDecoder::end_function() {
  const bool is_empty = starts_.empty() || starts_.front() == program_.code.size();
  starts_.push_back(static_cast<std::uint32_t>(program_.code.size()));
  Instruction end;
  end.operation.opcode = function_.is_entry ? Opcode::kExit : Opcode::kRet;
  end.flow = function_.is_entry ? Flow::kExit : Flow::kReturn;
  end.category = InstructionClass::kControl;
  end.line = function_.statements.empty() ? function_.line : function_.statements.back().line;
  const auto is_to_end = [&](const auto& branch) {
    return branch.label >= function_.statements.size();
  };
  if (!is_empty && std::none_of(branches_.begin(), branches_.end(), is_to_end) &&
      std::none_of(indexed_branches_.begin(), indexed_branches_.end(), is_to_end)) {
    const Instruction& last = program_.code.back();
    const bool ends = last.flow == Flow::kExit || last.flow == Flow::kReturn;
    if (ends && last.guard == kNoSlot) return;
  }
  Statement tail;
  tail.mnemonic = "ret";
  tail.line = end.line;
  operands_.begin(tail);
  store_results();
  emit_helpers(operands_.take_before(), tail);
  program_.code.push_back(end);
}

// A compiler leaves such registers where a value does not matter.
void FunctionDecoder::find_unwritten(FunctionCode& code) const {
  std::vector<bool> is_written(code.register_bytes / sizeof(LaneMask));
  const auto written = [&](Slot slot) {
    return is_written[static_cast<std::size_t>(slot) / sizeof(LaneMask)];
  };
  for (const FilledRegister& filled : code.filled) written(filled.slot) = true;
  for (std::uint32_t at = code.first; at < code.last; ++at) {
    for_each_result(program_, program_.code[at], [&](Slot slot) { written(slot) = true; });
  }
  for (std::uint32_t at = code.first; at < code.last; ++at) {
    const auto read = [&](Slot slot) {
      if (!written(slot)) code.unwritten.push_back(slot);
      written(slot) = true;
    };
    for_each_source(program_, program_.code[at], read);
    if (program_.code[at].guard >= 0 && program_.code[at].guard != kNoSlot)
      read(program_.code[at].guard);
  }
}

void FunctionDecoder::count_plain(const FunctionCode& code) {
  std::uint32_t n_plain = 0;
  for (std::uint32_t at = code.last; at-- > code.first;) {
    Instruction& instruction = program_.code[at];
    const bool is_plain = instruction.guard == kNoSlot && instruction.flow == Flow::kNext;
    n_plain = is_plain ? n_plain + 1 : 0;
    instruction.n_plain = n_plain;
  }
}

void FunctionDecoder::set_targets() {
  for (const Branch& branch : branches_) {
    NPP_ASSERT(branch.label < starts_.size(), function_.name);
    program_.code[branch.instruction].target = starts_[branch.label];
  }
  for (const IndexedBranch& branch : indexed_branches_) {
    NPP_ASSERT(branch.label < starts_.size(), function_.name);
    program_.lists[branch.item] = static_cast<Slot>(starts_[branch.label]);
  }
}

}  // namespace numpy_plugin::sim
