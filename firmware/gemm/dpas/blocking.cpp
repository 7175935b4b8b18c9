#include "firmware/gemm/dpas/blocking.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "firmware/gemm/dpas/tiles.h"
#include "isa/dpas/timing.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

/// Registers that a kernel needs beside register 0 and its tiles: one for the addresses of the
/// matrices, and one each for column and row coordinates and for the positions along K in A and B.
constexpr unsigned scalar_registers = 5;
/// Instructions beside DPAS, loads and stores: in a block, and in an iteration over K (a turn).
constexpr unsigned block_overhead = 12, turn_overhead = 4;
/// Estimates up to 1/alike above the lowest count as equal to it.
constexpr unsigned alike = 50;

/// Use of each resource by a block.
struct BlockCost {
  std::uint64_t array = 0, beats = 0, issued = 0;
  std::uint64_t chain = 0;  ///< cycles from the first load to the last store if no other block runs
  std::uint64_t ends = 0;   ///< beats of the block's first loads and of its stores
};

class Formula {
 public:
  Formula(const DpasTask& task, const dpas::Profile& profile, const Blocking& blocking,
          const MemoryCost& memory)
      : task_(task),
        profile_(profile),
        blocking_(blocking),
        memory_(memory),
        shape_(operand_shape(task, profile)),
        grid_(grid_of(task, profile, blocking)) {}

  [[nodiscard]] std::uint64_t cycles() const {
    BlockCost sum;
    const std::uint64_t inner_m = grid_.m_blocks - (grid_.edge_rows != 0 ? 1 : 0);
    const std::uint64_t inner_n = grid_.n_blocks - (grid_.edge_n_tiles != 0 ? 1 : 0);
    std::uint64_t longest = 0;
    std::uint64_t ends = 0;
    const auto add = [&](std::uint64_t count, unsigned rows, unsigned n_tiles) {
      if (count == 0 || rows == 0 || n_tiles == 0) return;
      const BlockCost cost = of(block_plan(task_, profile_, blocking_, rows, n_tiles));
      sum.array += count * cost.array;
      sum.beats += count * cost.beats;
      sum.issued += count * cost.issued;
      longest = std::max(longest, cost.chain);
      ends = std::max(ends, cost.ends);
    };
    add(inner_m * inner_n, grid_.rows, grid_.n_tiles);
    add(inner_n, grid_.edge_rows, grid_.n_tiles);
    add(inner_m, grid_.rows, grid_.edge_n_tiles);
    add(1, grid_.edge_rows, grid_.edge_n_tiles);
    const std::uint64_t threads = std::min<std::uint64_t>(blocking_.threads, grid_.blocks());
    const std::uint64_t thread = (grid_.blocks() + threads - 1) / threads * longest;
    // The array is idle until the first operands arrive and while the last results leave.
    return std::max({sum.array, sum.beats, sum.issued, thread}) + 2 * memory_.latency +
           threads * ends;
  }
  [[nodiscard]] std::uint64_t beats() const {
    return of(block_plan(task_, profile_, blocking_, grid_.rows, grid_.n_tiles)).beats *
           grid_.blocks();
  }

 private:
  /// Beats of a message of `rows` rows, for all its blocks.
  [[nodiscard]] std::uint64_t beats_of(unsigned rows, unsigned row_bytes) const {
    const std::uint64_t width = memory_.bytes_per_cycle;
    if (memory_.whole_rows) return rows * ((row_bytes + width - 1) / width);
    return (std::uint64_t{rows} * row_bytes + width - 1) / width;
  }

  [[nodiscard]] BlockCost of(const BlockPlan& plan) const {
    const std::uint64_t turns = (grid_.steps + blocking_.k_steps - 1) / blocking_.k_steps;
    const unsigned p = profile_.passes();
    std::uint64_t column = 0;
    for (unsigned i = 0; i < plan.m_tiles; ++i) {
      const unsigned rc = plan.rows_of(i, blocking_);
      // A different repeat count starts another macro, which loads src1 again.
      const bool loads = i == 0 || rc != blocking_.rows;
      column += loads ? std::max(p * rc, shape_.b_registers) : p * rc;
    }
    const std::uint64_t step = column * plan.n_tiles;
    std::uint64_t turn_beats = 0;
    for (const ALoad& load : plan.a) {
      turn_beats += beats_of(load.rows * blocking_.k_steps, shape_.a_row_bytes);
    }
    for (const BLoad& load : plan.b) {
      turn_beats += beats_of(load.tiles * shape_.b_rows * blocking_.k_steps,
                             profile_.execution_size * shape_.b_element_bytes);
    }
    const std::uint64_t tiles = std::uint64_t{plan.m_tiles} * plan.n_tiles;
    const std::uint64_t stores = tiles * beats_of(blocking_.rows, profile_.execution_size * 4);

    BlockCost cost;
    cost.array = step * grid_.steps;
    cost.beats = turn_beats * turns + stores;
    cost.issued = tiles * grid_.steps + tiles + block_overhead +
                  turns * (plan.a.size() + plan.b.size() + turn_overhead);
    const std::uint64_t load = memory_.latency + turn_beats;
    const unsigned latency = dpas::latency(profile_, blocking_.rows, dpas::LatencyModel::model);
    const std::uint64_t multiply =
        blocking_.k_steps * std::max<std::uint64_t>(step, latency) + latency;
    cost.ends = turn_beats + stores;
    cost.chain = stores + memory_.latency;
    cost.chain += blocking_.buffers == 1 ? turns * (load + multiply)
                                         : load + turns * std::max(load, multiply);
    return cost;
  }

  const DpasTask& task_;
  const dpas::Profile& profile_;
  const Blocking& blocking_;
  const MemoryCost& memory_;
  OperandShape shape_;
  Grid grid_;
};

void check_precision(const DpasTask& task, const dpas::Profile& profile) {
  for (const dpas::Precision precision : {task.w, task.a}) {
    if (profile.has(precision)) continue;
    user_error("profile {} has no precision {}; allowed {}", profile.name, info(precision).name,
               profile.precision_list());
  }
  if (profile.equal_int_widths && task.is_integer() && info(task.w).bits != info(task.a).bits) {
    user_error("profile {} multiplies integers of one width only, not {} with {}", profile.name,
               info(task.w).name, info(task.a).name);
  }
}

void check_wish(const char* what, unsigned value, unsigned most) {
  if (value > most) user_error("{} is {}; allowed 1..{}", what, value, most);
}

/// Values to try: only the user's wish if there is one, else 1..most.
std::vector<unsigned> candidates(unsigned wish, unsigned most) {
  if (wish != 0) return {wish};
  std::vector<unsigned> values;
  for (unsigned i = 1; i <= most; ++i) values.push_back(i);
  return values;
}

/// Combinations of rows, buffers and steps of K per load, which are tried with each choice of
/// tiles.
std::vector<std::tuple<unsigned, unsigned, unsigned>> combinations(const DpasTask& task,
                                                                   const BlockingWishes& wishes) {
  // RC is 8 (or M, if less), or the smallest RC that needs no more instructions than 8 does: with
  // that one all instructions have nearly the same number of rows.
  const std::uint64_t m = task.problem.m;
  const std::uint64_t tiles = (m + 7) / 8;
  std::vector<unsigned> rows{static_cast<unsigned>(std::min<std::uint64_t>(8, m)),
                             static_cast<unsigned>((m + tiles - 1) / tiles)};
  if (wishes.rows != 0) rows = {wishes.rows};
  std::vector<std::tuple<unsigned, unsigned, unsigned>> list;
  for (const unsigned r : rows) {
    for (const unsigned buffers : candidates(wishes.buffers, 2)) {
      for (const unsigned k_steps : candidates(wishes.k_steps, 4)) {
        if (k_steps != 3) list.emplace_back(r, buffers, k_steps);
      }
    }
  }
  return list;
}

/// True if messages exist that load so many steps of K.
bool loadable(const OperandShape& shape, unsigned k_steps) {
  return k_steps * shape.a_row_bytes <= most_row_bytes && k_steps * shape.b_rows <= most_block_rows;
}

}  // namespace

std::string Blocking::text() const {
  return fmt::format("{}x{} tiles of {} rows, {} step{} of K a load, {} buffer{}, {} thread{}",
                     m_tiles, n_tiles, rows, k_steps, k_steps == 1 ? "" : "s", buffers,
                     buffers == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

unsigned registers_needed(const DpasTask& task, const dpas::Profile& profile,
                          const Blocking& blocking) {
  const BlockPlan plan =
      block_plan(task, profile, blocking, blocking.rows * blocking.m_tiles, blocking.n_tiles);
  return 1 + scalar_registers + blocking.rows * blocking.m_tiles * blocking.n_tiles +
         blocking.buffers * (plan.a_registers + plan.b_registers);
}

std::uint64_t dpas_count(const DpasTask& task, const dpas::Profile& profile, unsigned rows) {
  const Problem& p = task.problem;
  return (p.m + rows - 1) / rows * ((p.n + profile.execution_size - 1) / profile.execution_size) *
         ((p.k + task.k_step() - 1) / task.k_step());
}

std::uint64_t estimated_cycles(const DpasTask& task, const dpas::Profile& profile,
                               const Blocking& blocking, const MemoryCost& memory) {
  return Formula(task, profile, blocking, memory).cycles();
}

Blocking choose_blocking(const DpasTask& task, const dpas::Profile& profile,
                         const MemoryCost& memory, const BlockingWishes& wishes) {
  check_precision(task, profile);
  const unsigned most_threads = std::min(profile.threads, 8U);
  check_wish("the number of threads", wishes.threads, most_threads);
  check_wish("RC", wishes.rows, 8);
  check_wish("the number of operand sets", wishes.buffers, 2);
  if (wishes.k_steps == 3 || wishes.k_steps > 4) {
    user_error("the number of steps of K is {}; allowed 1, 2, 4", wishes.k_steps);
  }
  const OperandShape shape = operand_shape(task, profile);
  struct Candidate {
    Blocking blocking;
    std::uint64_t cycles, beats;
    unsigned registers;
  };
  std::vector<Candidate> fitting;
  Blocking tried;
  tried.threads = wishes.threads != 0 ? wishes.threads : most_threads;
  const std::uint64_t n_tiles =
      (task.problem.n + profile.execution_size - 1) / profile.execution_size;
  for (const auto& [rows, buffers, k_steps] : combinations(task, wishes)) {
    const std::uint64_t m_tiles = (task.problem.m + rows - 1) / rows;
    if (!loadable(shape, k_steps)) continue;
    tried.rows = rows;
    tried.buffers = buffers;
    tried.k_steps = k_steps;
    for (const unsigned m : candidates(wishes.m_tiles, most_tiles)) {
      for (const unsigned n : candidates(wishes.n_tiles, most_tiles)) {
        if (m > most_tiles || n > most_tiles || m > m_tiles || n > n_tiles) continue;
        tried.m_tiles = m;
        tried.n_tiles = n;
        const unsigned registers = registers_needed(task, profile, tried);
        if (registers > profile.grf_count) continue;
        const Formula formula(task, profile, tried, memory);
        fitting.push_back({tried, formula.cycles(), formula.beats(), registers});
      }
    }
  }
  if (fitting.empty()) {
    user_error("no blocking of {} fits the {} registers of profile {}{}", task.problem.shape(),
               profile.grf_count, profile.name,
               wishes.m_tiles + wishes.n_tiles + wishes.k_steps + wishes.buffers > 0
                   ? " with the tiles, steps or buffers that are asked for"
                   : "");
  }
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const Candidate& candidate : fitting) lowest = std::min(lowest, candidate.cycles);
  const auto order = [&](const Candidate& c) {
    const bool slow = c.cycles > lowest + lowest / alike;
    return std::make_tuple(slow, c.beats, c.cycles, c.registers);
  };
  Blocking best =
      std::min_element(fitting.begin(), fitting.end(), [&](const Candidate& x, const Candidate& y) {
        return order(x) < order(y);
      })->blocking;
  best.threads = static_cast<unsigned>(
      std::min<std::uint64_t>(best.threads, grid_of(task, profile, best).blocks()));
  return best;
}

}  // namespace tactus::gemm
