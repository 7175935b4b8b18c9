#include "firmware/compiler/targets/tcu/stripe/machine.h"

#include <algorithm>

#include "firmware/compiler/targets/tcu/lir/rollup.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler::stripe_tcu {
namespace {

/// Upper limit of the cycles from an instruction's retire to its last write to the accumulators.
std::uint64_t longest_write(std::uint32_t array_size) { return 4 * std::uint64_t{array_size} + 12; }

/// Loading this many vectors of weights takes longer than a write in progress.
constexpr std::uint64_t weights_that_separate = 4;

}  // namespace

Machine::Machine(const tcu::Architecture& architecture, bool reuse)
    : architecture_(architecture), reuse_(reuse) {}

Machine::Content& Machine::content(Address address) {
  Content& found = contents_[address];
  if (found == 0) found = fresh();
  return found;
}

void Machine::append_moves(const Moves& moves, bool to_local, bool accumulate) {
  if (moves.empty()) return;
  const Tag other = moves.front().second.tag();
  const std::uint64_t depth = other == Tag::dram0   ? architecture_.dram0_depth
                              : other == Tag::dram1 ? architecture_.dram1_depth
                                                    : architecture_.accumulator_depth;
  const auto emit = [&](lir::Place local, lir::Place far, std::uint64_t count) {
    if (other == Tag::accumulators) {
      if (to_local) {
        updated_ = Address::invalid();  // reading waits for all writes
      } else {
        const std::uint64_t last = far.address.raw() + ((count - 1) << far.stride);
        order_update(far.address, {Tag::accumulators, 0, last}, accumulate);
      }
    }
    operations_.emplace_back(lir::DataMove{to_local, accumulate, local, far, count});
  };
  lir::PairRollup rollup(architecture_.stride0_depth, architecture_.stride1_depth,
                         std::min(architecture_.local_depth, depth), emit);
  for (const auto& [local, far] : moves) rollup.add(local, far);
  rollup.flush();
}

void Machine::to_local(const Moves& moves) {
  Moves needed;
  needed.reserve(moves.size());
  for (const auto& [local, far] : moves) {
    const bool from_dram = !far.is(Tag::accumulators);
    const Content source = from_dram ? content(far) : fresh();
    Content& target = contents_[local];
    if (reuse_ && target == source) continue;
    target = source;
    needed.emplace_back(local, far);
  }
  append_moves(needed, true, false);
}

void Machine::from_local(const Moves& moves, bool accumulate) {
  for (const auto& [local, far] : moves) {
    if (!far.is(Tag::accumulators)) contents_[far] = content(local);
  }
  append_moves(moves, false, accumulate);
}

void Machine::within_local(const Moves& moves, std::uint64_t first) {
  Moves up, down;
  for (const auto& [from, to] : moves) {
    if (reuse_ && content(from) == content(to)) continue;
    const Address sum(Tag::accumulators, 0, first + up.size());
    up.emplace_back(from, sum);
    down.emplace_back(to, sum);
  }
  from_local(up);
  to_local(down);
  for (const auto& [from, to] : moves) contents_[to] = content(from);
}

void Machine::load_weights(const std::vector<Address>& rows, Address bias) {
  std::vector<Content> wanted;
  const auto note = [&](Address row) { wanted.push_back(row.is(Tag::zeroes) ? 0 : content(row)); };
  for (const Address row : rows) note(row);
  note(bias);
  if (reuse_ && wanted == weights_) return;
  weights_ = std::move(wanted);
  lir::ReverseRollup rollup(architecture_.stride0_depth,
                            [this](lir::Place lowest, std::uint64_t count) {
                              operations_.emplace_back(lir::LoadWeights{lowest, count});
                              if (!lowest.address.is(Tag::zeroes)) weights_since_ += count;
                            });
  for (std::size_t k = rows.size(); k-- > 0;) rollup.add(rows[k]);
  rollup.add(bias);
  rollup.flush();
}

void Machine::multiply(const Moves& moves, bool accumulate) {
  const auto emit = [&](lir::Place local, lir::Place sums, std::uint64_t count) {
    const std::uint64_t last = sums.address.raw() + ((count - 1) << sums.stride);
    order_update(sums.address, {Tag::accumulators, 0, last}, accumulate);
    operations_.emplace_back(lir::MatMul{accumulate, local, sums, count});
  };
  lir::PairRollup rollup(architecture_.stride0_depth, architecture_.stride1_depth,
                         std::min(architecture_.local_depth, architecture_.accumulator_depth),
                         emit);
  for (const auto& [local, sum] : moves) rollup.add(local, sum);
  rollup.flush();
}

void Machine::load_table(std::uint32_t table, Address first) {
  std::vector<Content> wanted;
  for (std::uint64_t i = 0; i < tcu::lookup_vectors(architecture_); ++i) {
    wanted.push_back(content({Tag::local, 0, first.raw() + i}));
  }
  std::vector<Content>& there = tables_[table];
  if (reuse_ && there == wanted) return;
  there = std::move(wanted);
  operations_.emplace_back(lir::LoadLut{{first, 0}, table});
}

void Machine::look_up(Address write, Address read, bool accumulate) {
  constexpr unsigned slope = register_1 + 1, height = register_1 + 2;
  simd_to_register(tcu::SimdOp::lookup, port, port, read);
  simd_to_register(tcu::SimdOp::multiply, register_1, slope, Address::invalid());
  simd(tcu::SimdOp::add, register_1, height, write, Address::invalid(), accumulate);
}

void Machine::order_update(Address first, Address last, bool accumulate) {
  if (accumulate && updated_ == first && weights_since_ < weights_that_separate) {
    operations_.emplace_back(lir::Wait{longest_write(architecture_.array_size)});
  }
  updated_ = last;
  weights_since_ = 0;
}

void Machine::simd(tcu::SimdOp op, unsigned left, unsigned right, Address write, Address read,
                   bool accumulate) {
  order_update(write, write, accumulate);
  operations_.emplace_back(lir::Simd{accumulate, op, left, right, port, write, read});
}

void Machine::simd_to_register(tcu::SimdOp op, unsigned left, unsigned right, Address read) {
  operations_.emplace_back(lir::Simd{false, op, left, right, register_1, Address::invalid(), read});
}

}  // namespace tactus::compiler::stripe_tcu
