#include "models/dpas/array_time.h"

#include <algorithm>

namespace tactus::dpas {
namespace {

ArrayTime::State reason(IssueStage::ThreadState state, MemoryPort::State memory) {
  const bool reads = memory == MemoryPort::read || memory == MemoryPort::read_write;
  const bool writes = memory == MemoryPort::write || memory == MemoryPort::read_write;
  switch (state) {
    case IssueStage::issue:
    case IssueStage::wait_turn:
    case IssueStage::wait_alu:
      return ArrayTime::issue;
    case IssueStage::wait_array:
      return ArrayTime::macro;
    case IssueStage::wait_alu_result:
      return ArrayTime::alu_results;
    case IssueStage::wait_result:
      return ArrayTime::results;
    case IssueStage::wait_sources:
      return ArrayTime::sources;
    case IssueStage::wait_token:
      return ArrayTime::tokens;
    case IssueStage::wait_branch:
      return ArrayTime::branch;
    case IssueStage::wait_queue:
      return ArrayTime::queue;
    case IssueStage::wait_load:
      return reads ? ArrayTime::load_data : ArrayTime::load_wait;
    case IssueStage::wait_barrier:
      return ArrayTime::barrier;
    case IssueStage::wait_fence:
    case IssueStage::wait_end:
      if (writes) return ArrayTime::store_data;
      return memory == MemoryPort::rest ? ArrayTime::end : ArrayTime::store_wait;
    case IssueStage::rest:
      break;
  }
  return ArrayTime::ended;
}

}  // namespace

const std::array<UnitState, ArrayTime::states> ArrayTime::state_table{{
    {"compute", StateKind::busy, "a row of a DPAS enters the array"},
    {"load_src1", StateKind::stall,
     "a DPAS of few rows holds the array until its src1 is loaded, a register a cycle"},
    {"bank_conflict", StateKind::stall, "rows of a DPAS wait for registers of one bank and bundle"},
    {"issue", StateKind::stall,
     "the array has no work and other instructions are issued, or wait for the ALU"},
    {"macro", StateKind::stall,
     "another thread's macro holds the array, and its next DPAS is not issued yet"},
    {"alu_results", StateKind::stall,
     "the array has no work and instructions wait for results or predicates of the ALU"},
    {"results", StateKind::stall,
     "the array has no work because instructions wait for the result of a DPAS: too few "
     "accumulators or threads"},
    {"sources", StateKind::stall,
     "the array has no work and an instruction may not overwrite registers that are still read"},
    {"tokens", StateKind::stall,
     "the array has no work and an instruction waits for a token, or no token is free"},
    {"branch", StateKind::stall, "the array has no work while threads jump"},
    {"queue", StateKind::stall, "the array has no work and the load/store unit is full"},
    {"load_data", StateKind::stall,
     "the array has no work; threads wait for data from memory, and data arrives: bandwidth"},
    {"load_wait", StateKind::stall,
     "the array has no work; threads wait for data from memory, and no data arrives: latency"},
    {"store_data", StateKind::stall,
     "the array has no work; a fence or ret waits for stores, and store data leaves: bandwidth"},
    {"store_wait", StateKind::stall,
     "the array has no work; a fence or ret waits for the memory's answers: latency"},
    {"barrier", StateKind::stall, "the array has no work while threads wait for each other"},
    {"end", StateKind::stall,
     "the array has no work; memory is idle and threads wait at ret for their last results, or at "
     "a fence"},
    {"ended", StateKind::idle, "all threads have ended"},
}};

TimeInfo ArrayTime::info() {
  enum Group : unsigned { computes, operands, results_of, data, waits, other };
  TimeInfo info{"array", "array_time", state_table, {}, {}, "no row entered the array", {}};
  info.reasons = {
      {"rows entering", computes},
      {"loading src1", operands},
      {"bank conflicts", operands},
      {"other instructions", other},
      {"another thread's macro", other},
      {"results of the ALU", results_of},
      {"results of DPAS", results_of},
      {"registers still being read", results_of},
      {"tokens", results_of},
      {"jumps", other},
      {"load/store unit full", waits},
      {"load bandwidth", data},
      {"load latency", waits},
      {"store bandwidth", data},
      {"store latency", waits},
      {"barriers", other},
      {"last results", results_of},
      {"after the program", other},
  };
  info.groups = {{"computes", 0},         {"operands", 1},       {"results", 2},
                 {"memory bandwidth", 3}, {"memory latency", 4}, {"other", 5}};
  info.introduction =
      "In each cycle the array takes a row, or the cycle is lost and counted under one reason: "
      "what the threads wait for. If they wait for different things, the shortest kind of wait "
      "counts.";
  return info;
}

void ArrayTime::commit(Array::State array, const IssueStage& threads, MemoryPort::State memory) {
  State state = ended;
  switch (array) {
    case Array::rows:
      state = compute;
      break;
    case Array::load_src1:
      state = load_src1;
      break;
    case Array::conflict:
      state = bank_conflict;
      break;
    default:
      for (unsigned t = 0; t < threads.threads(); ++t) {
        state = std::min(state, reason(threads.thread_state(t), memory));
      }
      break;
  }
  account_.enter(state);
}

}  // namespace tactus::dpas
