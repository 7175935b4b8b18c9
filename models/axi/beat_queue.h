// A Queue<AxiBeat, QueueKind::plain, 2> (models/sim/queue.h) that also stores the bytes of its
// beats. A beat on a channel only points to its bytes, and its producer overwrites them later.
#pragma once

#include <array>

#include "models/axi/axi.h"
#include "models/sim/fast/registers.h"
#include "models/sim/queue.h"

namespace tactus {

class BeatQueue {
 public:
  static constexpr std::size_t capacity = 2;
  explicit BeatQueue(std::size_t beat_bytes) : bytes_(beat_bytes), data_(capacity, beat_bytes) {}

  [[nodiscard]] bool empty() const { return data_.empty(); }
  [[nodiscard]] std::size_t count() const { return data_.count(); }
  [[nodiscard]] bool can_enqueue() const { return data_.count() < capacity; }
  [[nodiscard]] AxiBeat front() { return {data_.front(), last_[read_]}; }

  void registers(Registers& r) {
    std::size_t held = count();
    r(held);
    if (r.loads()) data_.begin_load(held);
    for (std::size_t i = 0; i < held; ++i) r(last_[(read_ + i) % slots]);
  }

  /// Clock edge: removes the front if `dequeue_ready`, and appends `beat` if `enqueue`.
  void commit(bool enqueue, const AxiBeat& beat, bool dequeue_ready) {
    const bool dequeue = dequeue_ready && !data_.empty();
    const unsigned write = (read_ + static_cast<unsigned>(data_.count())) % slots;
    if (dequeue) {
      data_.pop();
      read_ = (read_ + 1) % slots;
    }
    if (enqueue) {
      copy_block(data_.push(), beat.data, bytes_);
      last_[write] = beat.last;
    }
  }

 private:
  static constexpr unsigned slots = capacity + 1;
  std::size_t bytes_;
  BlockRing data_;
  std::array<bool, slots> last_{};
  unsigned read_ = 0;
};

}  // namespace tactus
