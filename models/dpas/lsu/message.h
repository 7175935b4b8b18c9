// A load or store in the load/store unit.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dpas/channels.h"
#include "models/sim/clock.h"

namespace tactus::dpas {

/// Largest number of messages in a load/store unit.
inline constexpr unsigned most_messages = 256;

/// The rows of a rectangle in memory. The bytes of a row are consecutive in memory and in
/// Message::data.
struct Rows {
  std::uint32_t address = 0;  ///< first byte in memory
  std::uint32_t bytes = 0;    ///< bytes per row
  std::uint32_t offset = 0;   ///< first byte in `data`
  std::uint32_t count = 1;    ///< number of rows
  std::uint32_t pitch = 0;    ///< bytes from one row to the next in memory
  std::uint32_t step = 0;     ///< bytes from one row to the next in `data`
};

struct Message {
  Issued issued;
  bool load = false;
  Cycle ready_at = 0;  ///< cycle from which its sources have been read
  /// The elements in the order of memory. Bytes outside the surface are zero.
  std::vector<std::uint8_t> data;
  std::vector<Rows> rows;   ///< in the order of their transfer
  std::uint64_t bytes = 0;  ///< bytes of all rows

  // ---- progress at the memory side
  std::size_t rectangle = 0;  ///< index in `rows` of the current rectangle
  std::uint32_t row = 0;      ///< current row of that rectangle
  std::uint32_t in_row = 0;   ///< bytes of that row that have been requested
  unsigned outstanding = 0;   ///< unanswered bursts
  bool sent = false;          ///< all bursts have been requested
};

/// A queue of messages, and a pool of free messages. It allocates no memory once every message has
/// had its largest size.
class MessageQueue {
 public:
  explicit MessageQueue(unsigned capacity) : slots_(capacity), free_(capacity), queue_(capacity) {
    for (unsigned i = 0; i < capacity; ++i) free_[i] = &slots_[i];
  }
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;

  [[nodiscard]] unsigned capacity() const { return static_cast<unsigned>(slots_.size()); }
  /// Number of messages that wait or are in flight.
  [[nodiscard]] unsigned in_use() const { return capacity() - static_cast<unsigned>(free_.size()); }
  [[nodiscard]] bool full() const { return free_.empty(); }

  /// Takes a free message; push() appends it to the queue.
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

  /// The oldest message that the memory side has not finished sending, if its sources have been
  /// read by cycle `now`; else null.
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
  std::size_t first_ = 0, end_ = 0;  ///< positions modulo the capacity; they only increase
};

}  // namespace tactus::dpas
