#include "firmware/compiler/targets/tcu/lir/updates.h"

#include <algorithm>

namespace tactus::compiler::lir {
namespace {

struct Range {
  std::uint64_t first, last;
};

Range range_of(const Place& place, std::uint64_t count) {
  return {place.address.raw(), place.address.raw() + ((count - 1) << place.stride)};
}

/// What an operation writes to the accumulators through their input, if it does.
struct Update {
  bool writes = false;
  bool accumulates = false;
  Range range{};
};

Update update_of(const Operation& operation) {
  if (const auto* m = std::get_if<MatMul>(&operation)) {
    return {true, m->accumulate, range_of(m->accumulators, m->count)};
  }
  const auto* move = std::get_if<DataMove>(&operation);
  if (move == nullptr || move->to_local || !move->other.address.is(Tag::accumulators)) return {};
  return {true, move->accumulate, range_of(move->other, move->count)};
}

/// More than the time from an instruction's retire to its last write: up to 3 vectors wait for the
/// array, which first drains (2N cycles), takes 3 weight vectors and then needs 2N - 1 cycles.
std::uint64_t longest_write(std::uint32_t array_size) { return 4 * std::uint64_t{array_size} + 12; }

}  // namespace

Segment keep_updates_apart(const Segment& segment, std::uint32_t array_size) {
  Segment result = segment;
  result.operations.clear();
  std::vector<Range> under_way;
  for (const Operation& operation : segment.operations) {
    const Update update = update_of(operation);
    const auto meets = [&](const Range& other) {
      return other.first <= update.range.last && update.range.first <= other.last;
    };
    if (update.accumulates && std::any_of(under_way.begin(), under_way.end(), meets)) {
      result.operations.emplace_back(Wait{longest_write(array_size)});
      under_way.clear();
    }
    if (update.writes) under_way.push_back(update.range);
    result.operations.push_back(operation);
  }
  return result;
}

}  // namespace tactus::compiler::lir
