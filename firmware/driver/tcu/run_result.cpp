#include "firmware/driver/tcu/run_result.h"

#include <algorithm>

namespace tactus {
namespace {

/// Adds the counts of DAIS blocks to the result, or subtracts them. Unsigned numbers wrap, so the
/// subtraction at the start of a run and the addition at its end give the growth.
void add_dais_counts(const TcuSystem& system, TcuRunResult& result, bool subtract) {
  const auto add = [subtract](std::uint64_t& sum, std::uint64_t value) {
    sum += subtract ? ~value + 1 : value;
  };
  for (std::size_t i = 0; i < result.dais.size(); ++i) {
    add(result.dais[i].instructions, system.tcu().decoder().stats().retired_by_dais_block[i]);
    add(result.dais[i].samples, system.tcu().dais()->stats().samples[i]);
  }
}

/// Sets the last write responses, and extends the cycles of a finished run to them.
void add_responses(const TcuSystem& system, Cycle first, TcuRunResult& result) {
  for (unsigned p = 0; p < 2; ++p) {
    const BoundarySplitter::Stats& s = system.port(p).splitter().stats();
    const bool responded = s.write_responses > 0 && s.last_write_response >= first;
    if (responded) result.last_b[p] = s.last_write_response - first;
    if (result.end == RunEnd::finished) {
      result.cycles = std::max(result.cycles, result.last_b[p].value_or(0));
    }
  }
}

}  // namespace

void begin_counts(const TcuSystem& system, TcuRunResult& result) {
  result.dais.resize(system.architecture().dais_blocks.size());
  add_dais_counts(system, result, true);
}

void end_counts(const TcuSystem& system, Cycle first, TcuRunResult& result) {
  add_dais_counts(system, result, false);
  add_responses(system, first, result);
  const Counters& totals = result.accounting.totals;
  for (unsigned p = 0; p < 2; ++p) {
    result.read_beats[p] = totals.of("read_beats", p);
    result.write_beats[p] = totals.of("write_beats", p);
    result.read_bursts[p] = totals.of("read_bursts", p);
    result.write_bursts[p] = totals.of("write_bursts", p);
  }
  result.array_runs = totals.of("array_runs");
  result.array_loads = totals.of("array_loads");
  result.alu_operations = totals.of("alu_operations");
}

}  // namespace tactus
