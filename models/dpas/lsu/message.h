// A load or store on its way through the load/store unit.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dpas/channels.h"
#include "models/sim/clock.h"

namespace tactus::dpas {

/// In a load/store unit at most.
inline constexpr unsigned most_messages = 256;

/// Rows of a rectangle; the bytes of a row follow each other in memory and in Message::data.
struct Rows {
  std::uint32_t address = 0;  ///< of the first byte in memory
  std::uint32_t bytes = 0;    ///< of a row
  std::uint32_t offset = 0;   ///< of the first byte in `data`
  std::uint32_t count = 1;    ///< rows
  std::uint32_t pitch = 0;    ///< bytes of memory from a row to the next
  std::uint32_t step = 0;     ///< bytes of `data` from a row to the next
};

struct Message {
  Issued issued;
  bool load = false;
  Cycle ready_at = 0;              ///< its sources have been read
  std::vector<std::uint8_t> data;  ///< elements in the order of memory; what lies outside is zero
  std::vector<Rows> rows;          ///< in the order in which they are moved
  std::uint64_t bytes = 0;         ///< of all rows

  // ---- of the memory side
  std::size_t rectangle = 0;  ///< the present one of `rows`
  std::uint32_t row = 0;      ///< of it
  std::uint32_t in_row = 0;   ///< bytes of that which were requested
  unsigned outstanding = 0;   ///< bursts that are not answered
  bool sent = false;          ///< all bursts were requested
};

/// Messages in order, and those that are free again. Never allocates once every message has had its
/// largest size.
class MessageQueue {
 public:
  explicit MessageQueue(unsigned capacity) : slots_(capacity), free_(capacity), queue_(capacity) {
    for (unsigned i = 0; i < capacity; ++i) free_[i] = &slots_[i];
  }
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;

  [[nodiscard]] unsigned capacity() const { return static_cast<unsigned>(slots_.size()); }
  /// Messages that are waiting or in flight.
  [[nodiscard]] unsigned in_use() const { return capacity() - static_cast<unsigned>(free_.size()); }
  [[nodiscard]] bool full() const { return free_.empty(); }

  /// A message that will come to the end of the queue by push().
  [[nodiscard]] Message& take() {
    Message& message = *free_.back();
    free_.pop_back();
    message.rows.clear();
    message.bytes = 0;
    message.rectangle = 0;
    message.row = message.in_row = message.outstanding = 0;
    message.sent = false;
    return message;
  }
  void push(Message& message) { queue_[end_++ % queue_.size()] = &message; }
  void give_back(Message& message) { free_.push_back(&message); }

  /// The oldest that has not been handed to memory, if its sources were read before cycle `now`.
  [[nodiscard]] Message* head(Cycle now) const {
    if (first_ == end_) return nullptr;
    Message* message = queue_[first_ % queue_.size()];
    return message->ready_at <= now ? message : nullptr;
  }
  [[nodiscard]] bool empty() const { return first_ == end_; }
  [[nodiscard]] Cycle head_ready_at() const { return queue_[first_ % queue_.size()]->ready_at; }
  void pop() { ++first_; }

 private:
  std::vector<Message> slots_;
  std::vector<Message*> free_;
  std::vector<Message*> queue_;
  std::size_t first_ = 0, end_ = 0;  ///< count on for ever
};

}  // namespace tactus::dpas
