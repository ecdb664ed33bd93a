// Time types by name, and their dtypes.
#include "numpy_plugin/base/time_type.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::base {
namespace {

struct TimeRow {
  explicit TimeRow(const TimeType& described, DType dtype)
      : type(described),
        name(described.text()),
        info{dtype,
             name,
             described.is_duration ? 'm' : 'M',
             described.is_duration ? 22 : 21,
             "npp::int64",
             DTypeKind::kTime,
             8} {}
  TimeType type;
  std::string name;
  DTypeInfo info;
};

// Rows are added without a lock, which a fork could leave taken, and stay until the process ends.
// Codes of operands that are no dtype take the last of a byte's values: call_operands.hpp.
constexpr std::size_t kMostDTypes = 0xf0;
std::array<std::atomic<const TimeRow*>, kMostDTypes - kNumbers> rows;

std::atomic<bool> has_plain_units{false};

const TimeRow& row_of(DType dtype) {
  NPP_ASSERT(is_time(dtype), std::string(kDTypes[static_cast<std::size_t>(dtype)].name));
  const TimeRow* const row = rows[static_cast<std::size_t>(dtype) - kNumbers].load();
  NPP_ASSERT(row != nullptr, std::to_string(static_cast<int>(dtype)));
  return *row;
}

struct TimeName {
  std::string_view name;
  bool is_duration;
};
constexpr TimeName kTimeNames[] = {
    {"datetime64", false}, {"timedelta64", true}, {"M8", false}, {"m8", true}};

}  // namespace

const DTypeInfo& time_info(DType dtype) { return row_of(dtype).info; }
const TimeType& time_type(DType dtype) { return row_of(dtype).type; }

std::optional<TimeUnit> find_time_unit(std::string_view name) {
  if (name == "\u03bcs" || name == "\u00b5s") return TimeUnit::kMicrosecond;
  for (const TimeUnitInfo& row : kTimeUnits) {
    if (row.name == name) return row.unit;
  }
  return std::nullopt;
}

std::string TimeType::text() const {
  const std::string name = is_duration ? "timedelta64" : "datetime64";
  if (is_generic()) return name;
  const std::string multiple = count == 1 ? "" : std::to_string(count);
  return name + "[" + multiple + std::string(base::info(unit).name) + "]";
}

// Those of the plain units are added first: many multiples leave room for them.
DType added_dtype(const TimeType& type) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TimeRow* row = rows[i].load();
    if (row == nullptr) {
      auto added = std::make_unique<const TimeRow>(type, static_cast<DType>(kNumbers + i));
      if (rows[i].compare_exchange_strong(row, added.get())) row = added.release();
    }
    if (row->type == type) return row->info.dtype;
  }
  throw Error(ErrorKind::kType, "this process uses more units of time than there is room for; " +
                                    type.text() + " has none left");
}

DType time_dtype(const TimeType& type) {
  if (!has_plain_units.load()) {
    for (const TimeUnitInfo& row : kTimeUnits) {
      for (const bool is_duration : {false, true}) added_dtype({is_duration, row.unit});
    }
    has_plain_units.store(true);
  }
  return added_dtype(type);
}

std::optional<TimeType> find_time_type(std::string_view text) {
  const std::size_t open = std::min(text.find('['), text.size());
  const auto* const found = std::ranges::find(kTimeNames, text.substr(0, open), &TimeName::name);
  if (found == std::end(kTimeNames)) return std::nullopt;
  TimeType type{found->is_duration};
  if (open == text.size()) return type;
  if (text.back() != ']') return std::nullopt;
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  const auto [end, failure] =
      std::from_chars(inside.data(), inside.data() + inside.size(), type.count);
  const bool has_count = end != inside.data();
  if (has_count && (failure != std::errc() || type.count <= 0)) return std::nullopt;
  const auto unit = find_time_unit(inside.substr(static_cast<std::size_t>(end - inside.data())));
  if (!unit || (*unit == TimeUnit::kGeneric && has_count)) return std::nullopt;
  type.unit = *unit;
  return type;
}

}  // namespace numpy_plugin::base
