// The issue stage: hardware threads take turns, and each issues its program in order.
//
// The head of a thread is its next instruction. At most one head is issued per cycle. The stage
// looks at the threads in round-robin order, beginning behind the thread that issued last, and
// takes the first head that may be issued. A head waits until its registers allow it
// (register_file.h), then for its unit. A macro keeps the array for its thread. Some instructions
// delay the next one of their own thread (published, values of the profile): jmp by 23 cycles,
// taken or not; barrier by 30 cycles after the barrier of the last thread; fence by 35 cycles, and
// until all messages of the thread are answered. ret waits for all results and answers of its
// thread. A label takes no cycle. The other rules are Tactus's own, including the tokens:
//   - an instruction waits for the tokens that its annotations name, and until the token that it
//     sets is free. Waiting for a token that no earlier instruction has set is an error;
//   - with Sync::tokens every DPAS and message holds a token from issue until its results are
//     written and its sources are read. In a program without annotations the stage gives each
//     of them any free token, as a compiler would. A program with annotations must protect its
//     registers itself: an instruction that uses a register too early is an error.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "models/dpas/alu.h"
#include "models/dpas/array.h"
#include "models/dpas/lsu/load_store_unit.h"

namespace tactus::dpas {

inline constexpr unsigned most_threads = 8;
inline constexpr unsigned most_tokens = 32;

/// Initial state of a thread.
struct ThreadStart {
  const DecodedKernel* kernel = nullptr;
  std::vector<std::uint8_t> registers;  ///< initial values of the first bytes of its register file
};

class IssueStage final : public sc_core::sc_module {
 public:
  /// States of a thread.
  enum ThreadState : unsigned {
    issue,
    wait_turn,
    wait_array,
    wait_alu,
    wait_queue,
    wait_alu_result,
    wait_result,
    wait_sources,
    wait_load,
    wait_token,
    wait_branch,
    wait_barrier,
    wait_fence,
    wait_end,
    rest,
  };
  static constexpr std::array<UnitState, 15> thread_state_table{{
      {"issue", StateKind::busy, "its instruction is issued"},
      {"wait_turn", StateKind::stall, "another thread issues in this cycle"},
      {"wait_array", StateKind::stall,
       "a DPAS waits until the array is free, or until another thread's macro ends"},
      {"wait_alu", StateKind::stall, "an instruction waits until the ALU is free"},
      {"wait_queue", StateKind::stall, "a message waits for room in the load/store unit"},
      {"wait_alu_result", StateKind::stall,
       "an instruction waits for a register or predicate that the ALU writes"},
      {"wait_result", StateKind::stall, "an instruction waits for a register that a DPAS writes"},
      {"wait_sources", StateKind::stall,
       "an instruction waits to write a register that a DPAS or a message still reads"},
      {"wait_load", StateKind::stall,
       "an instruction waits for a register that is loaded from memory"},
      {"wait_token", StateKind::stall, "an instruction waits for a token, or no token is free"},
      {"wait_branch", StateKind::stall, "the next instruction waits until a jmp is done"},
      {"wait_barrier", StateKind::stall, "a barrier waits for other threads"},
      {"wait_fence", StateKind::stall, "a fence waits for the thread's messages"},
      {"wait_end", StateKind::stall, "ret waits for the thread's results and messages"},
      {"idle", StateKind::idle, "the thread has ended"},
  }};
  /// States of the stage.
  enum State : unsigned { issues, waits, ended };
  static constexpr std::array<UnitState, 3> state_table{{
      {"issue", StateKind::busy, "an instruction is issued"},
      {"wait", StateKind::stall, "no thread has an instruction that may be issued"},
      {"idle", StateKind::idle, "all threads have ended"},
  }};
  struct Stats {
    std::array<std::uint64_t, most_threads> issued{};
    std::array<std::uint64_t, operation_kinds> by_kind{};
    /// Registers of the destination, or of the last source if there is none, by kind of
    /// instruction.
    std::array<std::uint64_t, operation_kinds> registers_by_kind{};
  };

  IssueStage(const sc_core::sc_module_name& name, Clock& clock, const MachineParameters& parameters,
             RegisterFile& registers, Array& array, Alu& alu, LoadStoreUnit& memory,
             IssueLinks& links);

  /// Starts thread t with threads[t]; a thread without an entry does nothing. Precondition: the
  /// machine is idle.
  void start(const std::vector<ThreadStart>& threads);

  // ---- a cycle
  void drive();  ///< chooses an instruction; call it after drive() of the units
  void commit();
  /// First cycle after `now` in which an instruction may be issued or an account changes, unless a
  /// unit changes something earlier; `never`: none.
  [[nodiscard]] Cycle next_event(Cycle now) const;

  [[nodiscard]] bool all_ended() const { return running_ == 0; }
  [[nodiscard]] ThreadState thread_state(unsigned thread) const { return threads_[thread]->state; }
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Account& account() { return account_; }
  [[nodiscard]] Account& thread_account(unsigned thread) { return threads_[thread]->account; }
  /// One line of text for each running thread: what it waits for.
  [[nodiscard]] std::vector<std::string> waits_for() const;
  /// Index in the kernel of the instruction at the head of a thread; 0: the thread has ended.
  [[nodiscard]] std::uint32_t program_counter(unsigned thread) const;
  void describe(const trace::Scope& scope) const;

  /// Called with the cycle when an instruction is issued.
  std::function<void(Cycle)> on_retire;

 private:
  static constexpr unsigned nobody = ~0U;
  struct Token {
    Cycle written = 0, read = 0;  ///< result written, sources read; free from the later on
    bool set = false;             ///< true if an instruction has set it
  };
  struct Thread {
    Thread(const char* name, const Clock& clock);
    const DecodedKernel* kernel = nullptr;   ///< null: the thread has ended
    std::uint32_t next = 0;                  ///< index of the head's operation
    Cycle resume_at = 0;                     ///< the head waits until this cycle
    ThreadState resume_state = wait_branch;  ///< state until then
    bool in_barrier = false;
    bool in_fence = false;
    bool wait_known = false;  ///< true if `wait` is that of the head
    /// The thread is certainly in blocked_state in all cycles before this one; 0: not known.
    Cycle blocked_until = 0;
    ThreadState blocked_state = rest;
    unsigned context = 0;  ///< context of the account: states * (kind of head + 1); 0: ended
    RegisterFile::Wait wait;
    unsigned messages = 0;     ///< messages not yet answered
    Cycle results_at = 0;      ///< first cycle in which all results of array and ALU may be used
    std::vector<Cycle> flags;  ///< first cycle in which each predicate may be used
    std::array<Token, most_tokens> tokens;
    ThreadState state = rest;
    Account account;

    [[nodiscard]] const Operation& head() const { return kernel->operations()[next]; }
  };

  /// State of a thread in cycle `now`. The state lasts until cycle `until`, unless another unit or
  /// thread changes something before.
  ThreadState look(unsigned index, Cycle now, Cycle& until) const {
    const Thread& thread = *threads_[index];
    if (now >= thread.blocked_until) return look_again(index, now, until);
    until = thread.blocked_until;
    return thread.blocked_state;
  }
  /// Works out the state that look() returns.
  ThreadState look_again(unsigned index, Cycle now, Cycle& until) const;
  /// Stores that the thread is in `state` in all cycles before `until`.
  static ThreadState block(Thread& thread, ThreadState state, Cycle until) {
    thread.blocked_until = until;
    return thread.blocked_state = state;
  }
  void new_head(Thread& thread) const;
  /// What the head of a thread waits for: registers or predicates.
  [[nodiscard]] RegisterFile::Wait wait_of(unsigned index, Cycle now) const;
  /// `issue` if the tokens allow the operation in cycle `now`, else wait_token until cycle `until`.
  ThreadState tokens_allow(const Thread& thread, const Operation& operation, Cycle now,
                           Cycle& until) const;
  [[nodiscard]] unsigned token_of(const Thread& thread, const Operation& operation,
                                  Cycle now) const;
  /// Issues the head of a thread.
  void go(unsigned index);
  void go_control(Thread& thread, const Operation& operation);
  void set_token(Thread& thread, unsigned token, const Operation& operation);
  void message_done(const Issued& issued);
  void release_barrier();
  [[nodiscard]] std::string describe_wait(unsigned index) const;

  Clock& clock_;
  const Profile& profile_;
  Sync sync_;
  RegisterFile& registers_;
  Array& array_;
  Alu& alu_;
  LoadStoreUnit& memory_;
  IssueLinks& links_;
  std::vector<std::unique_ptr<Thread>> threads_;
  unsigned running_ = 0;
  unsigned last_ = 0;         ///< the thread that issued last
  unsigned chosen_ = nobody;  ///< the thread chosen in this cycle
  Stats stats_;
  Account account_;
};

}  // namespace tactus::dpas
