#include "models/dpas/issue_stage.h"

#include <algorithm>

#include "isa/dpas/alu.h"
#include "isa/support/error.h"
#include "models/dpas/events.h"
#include "models/dpas/signals.h"

namespace tactus::dpas {
namespace {

constexpr std::array<const char*, most_threads> thread_names{
    "thread0", "thread1", "thread2", "thread3", "thread4", "thread5", "thread6", "thread7"};

IssueStage::ThreadState state_of(Hazard hazard) {
  switch (hazard) {
    case Hazard::array_result:
      return IssueStage::wait_result;
    case Hazard::load:
      return IssueStage::wait_load;
    case Hazard::array_sources:
    case Hazard::send_sources:
      return IssueStage::wait_sources;
    default:
      return IssueStage::wait_alu_result;
  }
}

const char* text(Hazard hazard) {
  switch (hazard) {
    case Hazard::array_result:
      return "the result of a DPAS is not written yet";
    case Hazard::load:
      return "data from memory has not come yet";
    case Hazard::array_sources:
      return "a DPAS still reads it";
    case Hazard::send_sources:
      return "a message still reads it";
    default:
      return "the ALU has not written it yet";
  }
}

}  // namespace

IssueStage::Thread::Thread(const char* name, const Clock& clock)
    : account(name, clock, thread_state_table, rest, static_cast<unsigned>(operation_kinds) + 1) {}

IssueStage::IssueStage(const sc_core::sc_module_name& name, Clock& clock,
                       const MachineParameters& parameters, RegisterFile& registers, Array& array,
                       Alu& alu, LoadStoreUnit& memory, IssueLinks& links)
    : sc_module(name),
      clock_(clock),
      profile_(parameters.profile),
      sync_(parameters.sync),
      registers_(registers),
      array_(array),
      alu_(alu),
      memory_(memory),
      links_(links),
      account_("issue", clock, state_table, ended) {
  for (unsigned t = 0; t < parameters.threads; ++t) {
    threads_.push_back(std::make_unique<Thread>(thread_names[t], clock));
  }
  memory_.on_done = [this](const Issued& issued) { message_done(issued); };
}

void IssueStage::start(const std::vector<ThreadStart>& starts) {
  running_ = 0;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    Thread& thread = *threads_[t];
    registers_.reset(t);
    thread.kernel = t < starts.size() ? starts[t].kernel : nullptr;
    thread.next = 0;
    thread.resume_at = thread.results_at = 0;
    thread.in_barrier = thread.in_fence = thread.wait_known = false;
    thread.tokens = {};
    new_head(thread);
    if (thread.kernel == nullptr) continue;
    ++running_;
    thread.flags.assign(thread.kernel->predicates() + 1, 0);
    alu_.reset(t, thread.kernel->predicates() + 1);
    std::copy(starts[t].registers.begin(), starts[t].registers.end(), registers_.bytes(t));
  }
  last_ = threads() - 1;
}

// ---- what a head waits for ----------------------------------------------------------------------

RegisterFile::Wait IssueStage::wait_of(unsigned index, Cycle now) const {
  Thread& thread = *threads_[index];
  if (!thread.wait_known) {
    const Operation& operation = thread.head();
    thread.wait = registers_.wait(index, operation, now);
    for (const unsigned flag : {operation.reads_flag, operation.writes_flag}) {
      if (flag == 0 || thread.flags[flag] <= thread.wait.until) continue;
      thread.wait = {thread.flags[flag], Hazard::alu_result, 0};
    }
    thread.wait_known = true;
  }
  return thread.wait;
}

/// Token that an instruction would hold if issued now. most_tokens: it needs none. most_tokens + 1:
/// it needs one and none is free.
unsigned IssueStage::token_of(const Thread& thread, const Operation& operation, Cycle now) const {
  if (operation.annotations.sets != Annotations::no_token) return operation.annotations.sets;
  const bool needs = sync_ == Sync::tokens && !thread.kernel->has_tokens() &&
                     (operation.target == Target::array || operation.target == Target::memory);
  if (!needs) return most_tokens;
  for (unsigned t = 0; t < std::min<unsigned>(profile_.tokens, most_tokens); ++t) {
    if (std::max(thread.tokens[t].written, thread.tokens[t].read) <= now) return t;
  }
  return most_tokens + 1;
}

IssueStage::ThreadState IssueStage::tokens_allow(const Thread& thread, const Operation& operation,
                                                 Cycle now, Cycle& until) const {
  const Annotations& a = operation.annotations;
  Cycle from = 0;
  for (unsigned t = 0; t < most_tokens; ++t) {
    const bool written = (a.waits_written >> t & 1U) != 0, read = (a.waits_read >> t & 1U) != 0;
    if (!written && !read) continue;
    const Token& token = thread.tokens[t];
    if (!token.set) {
      user_error("{}: deadlock: waits for token ${}.{}, which no instruction before it sets",
                 thread.kernel->place(operation), t, written ? "dst" : "src");
    }
    if (written) from = std::max(from, token.written);
    if (read) from = std::max(from, token.read);
  }
  const unsigned own = token_of(thread, operation, now);
  if (own < most_tokens) {
    from = std::max({from, thread.tokens[own].written, thread.tokens[own].read});
  } else if (own > most_tokens) {
    Cycle first = never;
    for (unsigned t = 0; t < std::min<unsigned>(profile_.tokens, most_tokens); ++t) {
      first = std::min(first, std::max(thread.tokens[t].written, thread.tokens[t].read));
    }
    from = std::max(from, first);
  }
  until = from;
  return now < from ? wait_token : issue;
}

IssueStage::ThreadState IssueStage::look_again(unsigned index, Cycle now, Cycle& until) const {
  Thread& thread = *threads_[index];
  until = never;
  if (thread.kernel == nullptr) return block(thread, rest, never);
  if (thread.in_barrier) return wait_barrier;
  if (now < thread.resume_at) {
    until = thread.resume_at;
    return block(thread, thread.resume_state, until);
  }
  if (thread.in_fence) {
    if (thread.messages > 0) return wait_fence;
    thread.in_fence = false;
  }
  const Operation& operation = thread.head();
  const RegisterFile::Wait wait = wait_of(index, now);
  if (now < wait.until) {
    const bool guarded = sync_ == Sync::tokens && thread.kernel->has_tokens();
    if (!guarded || wait.hazard == Hazard::alu_result) {
      until = wait.until;
      return block(thread, state_of(wait.hazard), until);
    }
  }
  if (operation.annotated || sync_ == Sync::tokens) {
    if (tokens_allow(thread, operation, now, until) != issue) return wait_token;
    if (now < wait.until) {
      user_error(
          "{}: register {} is not guarded: {}; allowed: a token that is awaited, such as "
          "{{$1.dst}} or {{$1.src}}",
          thread.kernel->place(operation), wait.grf, text(wait.hazard));
    }
  }
  until = never;
  switch (operation.target) {
    case Target::array:
      if (array_.takes(index, now, until)) return issue;
      // An instruction of another thread can only make `until` later. The end of another thread's
      // macro is not known.
      return until == never ? wait_array : block(thread, wait_array, until);
    case Target::alu:
      until = alu_.free_at();
      return now < until ? wait_alu : issue;
    case Target::memory:
      return memory_.takes() ? issue : wait_queue;
    case Target::control:
      break;
  }
  if (operation.kind != OperationKind::ret) return issue;
  if (thread.messages > 0) return wait_end;
  until = thread.results_at;
  return now < until ? wait_end : issue;
}

/// Updates the fields that depend on the head of a thread. Called when the head has changed.
void IssueStage::new_head(Thread& thread) const {
  thread.wait_known = false;
  thread.blocked_until = 0;
  const unsigned context =
      thread.kernel == nullptr ? 0 : static_cast<unsigned>(thread.head().kind) + 1;
  thread.context = context * static_cast<unsigned>(thread_state_table.size());
}

Cycle IssueStage::next_event(Cycle now) const {
  Cycle next = never;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    Cycle until = never;
    const ThreadState state = look(t, now + 1, until);
    const Thread& thread = *threads_[t];
    if (state == issue || thread.context + state != thread.account.code()) return now + 1;
    next = std::min(next, until);
  }
  // The account of the stage changes, too, when its state does.
  const State stage = running_ == 0 ? ended : waits;
  return account_.code() == stage ? next : now + 1;
}

// ---- a cycle ------------------------------------------------------------------------------------

void IssueStage::drive() {
  const Cycle now = clock_.now;
  chosen_ = nobody;
  const unsigned count = threads();
  for (unsigned k = 1; k <= count; ++k) {
    const unsigned t = last_ + k < count ? last_ + k : last_ + k - count;
    Cycle until = never;
    Thread& thread = *threads_[t];
    thread.state = look(t, now, until);
    if (thread.state != issue) continue;
    if (chosen_ == nobody) {
      chosen_ = t;
    } else {
      thread.state = wait_turn;
    }
  }
  links_.array.valid = links_.alu.valid = links_.memory.valid = false;
  if (chosen_ == nobody) return;
  const Thread& thread = *threads_[chosen_];
  const Operation& operation = thread.head();
  if (operation.target == Target::control) return;
  Link<Issued>& link = operation.target == Target::array ? links_.array
                       : operation.target == Target::alu ? links_.alu
                                                         : links_.memory;
  link.valid = true;
  link.bits = {&operation, thread.kernel, static_cast<std::uint8_t>(chosen_),
               static_cast<std::uint8_t>(token_of(thread, operation, now)), 0xFFFFFFFF};
  if (operation.reads_flag != 0) {
    link.bits.channels =
        enabled_channels(thread.kernel->instruction(operation), alu_.predicates(chosen_));
  }
}

void IssueStage::commit() {
  for (auto& thread : threads_) thread->account.enter(thread->context + thread->state);
  account_.enter(chosen_ != nobody ? issues : running_ > 0 ? waits : ended);
  if (chosen_ != nobody) go(chosen_);
}

/// Units receive the issued head through their channels. This function updates the thread.
void IssueStage::go(unsigned index) {
  const Cycle now = clock_.now;
  Thread& thread = *threads_[index];
  const Operation& operation = thread.head();
  last_ = index;
  if (clock_.events != nullptr) {
    clock_.events->event(
        {DpasEvent::issue, index, operation.index, static_cast<std::uint64_t>(operation.kind)});
  }
  const unsigned token = token_of(thread, operation, now);
  ++thread.next;
  const auto kind = static_cast<std::size_t>(operation.kind);
  ++stats_.issued[index];
  ++stats_.by_kind[kind];
  stats_.registers_by_kind[kind] += operation.dst.count > 0 ? operation.dst.count
                                    : operation.sources > 0
                                        ? operation.source[operation.sources - 1].count
                                        : 0;
  switch (operation.target) {
    case Target::array:
      thread.results_at = std::max(thread.results_at, array_.last_result());
      break;
    case Target::alu:
      thread.results_at = std::max(thread.results_at, now + operation.latency);
      if (operation.writes_flag != 0) thread.flags[operation.writes_flag] = now + operation.latency;
      break;
    case Target::memory:
      ++thread.messages;
      break;
    case Target::control:
      go_control(thread, operation);
      break;
  }
  if (token < most_tokens) set_token(thread, token, operation);
  new_head(thread);
  ++clock_.progress;
  if (on_retire) on_retire(now);
}

void IssueStage::go_control(Thread& thread, const Operation& operation) {
  const Cycle now = clock_.now;
  switch (operation.kind) {
    case OperationKind::jmp: {
      const Instruction& instruction = thread.kernel->instruction(operation);
      if (jump_taken(instruction, alu_.predicates(last_))) thread.next = operation.next;
      thread.resume_at = now + profile_.branch_latency;
      thread.resume_state = wait_branch;
      break;
    }
    case OperationKind::barrier:
      thread.in_barrier = true;
      release_barrier();
      break;
    case OperationKind::fence:
      thread.in_fence = true;
      thread.resume_at = now + profile_.fence_latency;
      thread.resume_state = wait_fence;
      break;
    default:
      thread.kernel = nullptr;
      --running_;
      break;
  }
}

/// Releases the barrier if all threads of the machine have reached it. A thread that has ended
/// never reaches it.
void IssueStage::release_barrier() {
  for (const auto& thread : threads_) {
    if (!thread->in_barrier) return;
  }
  for (auto& thread : threads_) {
    thread->in_barrier = false;
    thread->resume_at = clock_.now + profile_.barrier_latency;
    thread->resume_state = wait_barrier;
    thread->blocked_until = 0;
  }
}

void IssueStage::set_token(Thread& thread, unsigned index, const Operation& operation) {
  Token& token = thread.tokens[index];
  token.set = true;
  if (operation.target == Target::array) {
    token.written = array_.last_result();
    token.read = array_.last_released();
  } else if (operation.target == Target::memory) {
    token.written = never;
    token.read = clock_.now + profile_.send_latency;
  } else {
    token.written = clock_.now + operation.latency;
    token.read = clock_.now;
  }
}

void IssueStage::message_done(const Issued& issued) {
  Thread& thread = *threads_[issued.thread];
  --thread.messages;
  thread.wait_known = false;
  thread.blocked_until = 0;
  if (issued.token < most_tokens) thread.tokens[issued.token].written = clock_.now + 1;
}

// ---- what can be seen ---------------------------------------------------------------------------

std::uint32_t IssueStage::program_counter(unsigned t) const {
  const Thread& thread = *threads_[t];
  return thread.kernel == nullptr ? 0 : thread.head().index;
}

std::string IssueStage::describe_wait(unsigned index) const {
  const Thread& thread = *threads_[index];
  Cycle until = never;
  switch (look(index, clock_.now, until)) {
    case wait_barrier: {
      unsigned gone = 0, away = 0;
      for (const auto& other : threads_) {
        gone += other->kernel == nullptr ? 1 : 0;
        away += other->kernel != nullptr && !other->in_barrier ? 1 : 0;
      }
      return fmt::format("{} threads to come to the barrier{}", gone + away,
                         gone > 0 ? fmt::format("; {} of them have ended", gone) : "");
    }
    case wait_fence:
      return fmt::format("{} messages before a fence to be answered", thread.messages);
    case wait_end:
      return fmt::format("{} messages before ret to be answered", thread.messages);
    case wait_queue:
      return "room in the load/store unit";
    case wait_array:
      return array_.in_macro() ? fmt::format("the macro of thread {} to end", array_.macro_thread())
                               : "the array to take a DPAS";
    case wait_token:
      return "a token";
    case wait_load:
    case wait_result:
    case wait_sources:
    case wait_alu_result:
      return fmt::format("register {}: {}", thread.wait.grf, text(thread.wait.hazard));
    default:
      return "its turn";
  }
}

std::vector<std::string> IssueStage::waits_for() const {
  std::vector<std::string> lines;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    const Thread& thread = *threads_[t];
    if (thread.kernel == nullptr) continue;
    // A thread in a barrier or fence is shown at that instruction, although it is already issued.
    const bool behind = thread.in_barrier || thread.in_fence;
    const Operation& at = behind ? thread.kernel->operations()[thread.next - 1] : thread.head();
    lines.push_back(fmt::format("thread {}, {} at {}: {}", t, info(at.kind).title,
                                thread.kernel->place(at), describe_wait(t)));
  }
  return lines;
}

void IssueStage::describe(const trace::Scope& scope) const {
  scope.channel("array", links_.array);
  scope.channel("alu", links_.alu);
  scope.channel("memory", links_.memory);
  scope.reg(
      "last_thread", 3, [this] { return last_; }, trace::Radix::decimal);
  std::string note;
  for (unsigned s = 0; s < thread_state_table.size(); ++s) {
    note += fmt::format("{}{} {}", s == 0 ? "" : ", ", s, thread_state_table[s].name);
  }
  for (unsigned t = 0; t < threads_.size(); ++t) {
    const trace::Scope part = scope.part(thread_names[t]);
    part.reg(
        "instruction", 32, [this, t] { return program_counter(t); }, trace::Radix::decimal);
    part.state(
        "state", 4, [this, t] { return threads_[t]->state; }, note.c_str());
    part.level("messages", most_messages, [this, t] { return threads_[t]->messages; });
  }
}

}  // namespace tactus::dpas
