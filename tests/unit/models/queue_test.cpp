// The queue primitive compared with the pointer-and-flag description of hardware spec 2.1, and the
// block ring compared with a list.
#include <cstdint>
#include <deque>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "models/sim/queue.h"

namespace tactus {
namespace {

/// The queue of spec 2.1, signal by signal.
struct QueueReference {
  QueueReference(std::size_t n, bool flows, bool pipes) : slots(n), flow(flows), pipe(pipes) {}

  std::vector<int> slots;
  bool flow, pipe;
  std::size_t write_pointer = 0, read_pointer = 0;
  bool maybe_full = false;

  [[nodiscard]] bool empty() const { return write_pointer == read_pointer && !maybe_full; }
  [[nodiscard]] bool full() const { return write_pointer == read_pointer && maybe_full; }
  [[nodiscard]] std::size_t count() const {
    if (full()) return slots.size();
    return (write_pointer + slots.size() - read_pointer) % slots.size();
  }
  [[nodiscard]] bool enqueue_ready(bool dequeue_ready) const {
    return !full() || (pipe && dequeue_ready);
  }
  [[nodiscard]] bool dequeue_valid(bool enqueue_valid) const {
    return !empty() || (flow && enqueue_valid);
  }
  [[nodiscard]] int bits(int enqueue_bits) const {
    return flow && empty() ? enqueue_bits : slots[read_pointer];
  }
  void clock(bool enqueue_valid, int enqueue_bits, bool dequeue_ready) {
    bool do_enqueue = enqueue_valid && enqueue_ready(dequeue_ready);
    bool do_dequeue = dequeue_valid(enqueue_valid) && dequeue_ready;
    if (flow && empty()) {
      do_dequeue = false;
      if (dequeue_ready) do_enqueue = false;
    }
    if (do_enqueue) {
      slots[write_pointer] = enqueue_bits;
      write_pointer = (write_pointer + 1) % slots.size();
    }
    if (do_dequeue) read_pointer = (read_pointer + 1) % slots.size();
    if (do_enqueue != do_dequeue) maybe_full = do_enqueue;
  }
};

struct QueueCycle {
  bool enqueue_valid, dequeue_ready;
};

std::vector<QueueCycle> random_cycles() {
  std::vector<QueueCycle> cycles(static_cast<std::size_t>(*rc::gen::inRange(0, 1000)));
  // Each side is active in a random share of the cycles, so that queues become full and empty.
  const int producer = *rc::gen::inRange(1, 11);
  const int consumer = *rc::gen::inRange(1, 11);
  for (QueueCycle& cycle : cycles) {
    cycle = {*rc::gen::inRange(0, 10) < producer, *rc::gen::inRange(0, 10) < consumer};
  }
  return cycles;
}

template <QueueKind kind>
void compare_queues() {
  const auto capacity = static_cast<std::size_t>(*rc::gen::inRange(1, 6));
  Queue<int, kind> queue(capacity);
  QueueReference reference(capacity, kind != QueueKind::plain, kind == QueueKind::pipe_flow);
  int next = 1;
  for (const QueueCycle& cycle : random_cycles()) {
    RC_ASSERT(queue.empty() == reference.empty());
    RC_ASSERT(queue.full() == reference.full());
    RC_ASSERT(queue.count() == reference.count());
    const bool ready = reference.enqueue_ready(cycle.dequeue_ready);
    RC_ASSERT(queue.can_enqueue(cycle.dequeue_ready) == ready);
    RC_ASSERT(queue.can_enqueue() == reference.enqueue_ready(false));
    RC_ASSERT(queue.has_output(cycle.enqueue_valid) ==
              reference.dequeue_valid(cycle.enqueue_valid));
    RC_ASSERT(queue.output(next) == reference.bits(next));
    RC_ASSERT(queue.front() == reference.slots[reference.read_pointer]);  // stale if empty
    queue.commit(cycle.enqueue_valid && ready, next, cycle.dequeue_ready);
    reference.clock(cycle.enqueue_valid, next, cycle.dequeue_ready);
    ++next;
  }
}

RC_GTEST_PROP(QueueProperty, Plain, ()) { compare_queues<QueueKind::plain>(); }
RC_GTEST_PROP(QueueProperty, Flow, ()) { compare_queues<QueueKind::flow>(); }
RC_GTEST_PROP(QueueProperty, PipeFlow, ()) { compare_queues<QueueKind::pipe_flow>(); }

TEST(Queue, EachKindHasItsLatencyAndRate) {
  Queue<int, QueueKind::plain> plain(2);
  EXPECT_FALSE(plain.has_output(true));  // latency of one cycle
  plain.commit(true, 7, true);
  EXPECT_TRUE(plain.has_output());
  EXPECT_EQ(plain.front(), 7);

  Queue<int, QueueKind::flow> flow(1);
  EXPECT_TRUE(flow.has_output(true));
  EXPECT_EQ(flow.output(9), 9);
  flow.commit(true, 9, true);
  EXPECT_TRUE(flow.empty());
  flow.commit(true, 9, false);
  EXPECT_FALSE(flow.can_enqueue(true));

  Queue<int, QueueKind::pipe_flow> bypass(1);
  bypass.commit(true, 9, false);
  EXPECT_FALSE(bypass.can_enqueue(false));
  EXPECT_TRUE(bypass.can_enqueue(true));  // accepts when its entry leaves
}

/// At most one pop and then at most one push per cycle; the popped element stays readable.
RC_GTEST_PROP(BlockRingProperty, KeepsOrderAndWhatWasJustTaken, ()) {
  const auto capacity = static_cast<std::size_t>(*rc::gen::inRange(1, 6));
  const auto block = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
  BlockRing ring(capacity, block);
  std::deque<std::vector<std::uint8_t>> reference;
  std::uint8_t next = 1;
  const auto holds = [block](const std::uint8_t* bytes, const std::vector<std::uint8_t>& expected) {
    return std::vector<std::uint8_t>(bytes, bytes + block) == expected;
  };
  for (const QueueCycle& cycle : random_cycles()) {
    RC_ASSERT(ring.count() == reference.size());
    RC_ASSERT(ring.empty() == reference.empty());
    const std::uint8_t* taken = nullptr;
    std::vector<std::uint8_t> taken_bytes;
    if (!reference.empty()) {
      RC_ASSERT(holds(ring.front(), reference.front()));
      if (cycle.dequeue_ready) {
        taken = ring.front();
        taken_bytes = reference.front();
        ring.pop();
        reference.pop_front();
      }
    }
    if (cycle.enqueue_valid && reference.size() < capacity) {
      reference.emplace_back(block, next++);
      std::uint8_t* slot = ring.push();
      std::copy(reference.back().begin(), reference.back().end(), slot);
    }
    if (taken != nullptr) RC_ASSERT(holds(taken, taken_bytes));
  }
}

}  // namespace
}  // namespace tactus
