#include "firmware/compiler/targets/tcu/optimise/early_moves.h"

#include <algorithm>
#include <optional>

#include "isa/tcu/accesses.h"

namespace tactus::compiler::optimise {
namespace {

using tcu::LocalRange;

constexpr std::size_t never = ~std::size_t{0};

LocalRange local_range(const Code& code, bool writes) {
  return {code.local, code.local + ((code.count - 1) << code.local_stride), writes};
}

/// What an instruction touches at the head, but for the weights of a block, whose place is not
/// known yet.
std::optional<LocalRange> local_range_of(const Code& code) {
  switch (code.kind) {
    case CodeKind::to_local:
      return local_range(code, true);
    case CodeKind::load_local:
    case CodeKind::load_activation:
    case CodeKind::load_table:
    case CodeKind::mat_mul:
    case CodeKind::to_accumulators:
      return local_range(code, false);
    default:
      return std::nullopt;
  }
}

/// The last instructions to use each part of local memory.
class LastUses {
 public:
  explicit LastUses(std::uint64_t local_depth)
      : readers_(local_depth / part + 1, 0), writers_(readers_) {}

  void use(const LocalRange& range, std::size_t code) {
    std::vector<std::size_t>& uses = range.writes ? writers_ : readers_;
    for (std::size_t i = range.low / part; i <= range.high / part; ++i) uses[i] = code + 1;
  }
  /// One past the last instruction that must come before a transfer of this range.
  [[nodiscard]] std::size_t before(const LocalRange& range) const {
    std::size_t last = 0;
    for (std::size_t i = range.low / part; i <= range.high / part; ++i) {
      last = std::max(last, writers_[i]);
      if (range.writes) last = std::max(last, readers_[i]);
    }
    return last;
  }

 private:
  static constexpr std::uint32_t part = 4;  ///< vectors
  std::vector<std::size_t> readers_, writers_;
};

}  // namespace

std::vector<EarlyMove> early_moves(const Codes& codes, std::uint64_t local_depth) {
  LastUses uses(local_depth);
  std::vector<EarlyMove> moves;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Code& code = codes[i];
    switch (code.kind) {
      case CodeKind::dram_read:
        moves.push_back({i, uses.before(local_range(code, true)), code.early ? never : i});
        break;
      case CodeKind::dram_write:
        moves.push_back({i, uses.before(local_range(code, false)), i});
        break;
      case CodeKind::land:
        for (std::size_t k = moves.size(); k-- > 0 && moves[k].latest >= i;) moves[k].latest = i;
        break;
      default:
        if (const auto range = local_range_of(code)) uses.use(*range, i);
    }
  }
  // Earlier transfers may have to come before a transfer that is due.
  for (std::size_t k = moves.size(); k-- > 1;) {
    moves[k - 1].latest = std::min(moves[k - 1].latest, moves[k].latest);
  }
  return moves;
}

bool must_keep_order(const Code& a, const Code& b) {
  const bool a_reads = a.kind == CodeKind::dram_read, b_reads = b.kind == CodeKind::dram_read;
  if (local_range(a, a_reads).conflicts(local_range(b, b_reads))) return true;
  if (a.port != b.port || (a_reads && b_reads)) return false;
  const auto last = [](const Code& code) {
    return code.other + ((code.count - 1) << code.other_stride);
  };
  return a.other <= last(b) && b.other <= last(a);
}

}  // namespace tactus::compiler::optimise
