// What instructions do beside the decoder's head, in machines with extensions of Tactus's own that
// no RTL has: transfers wait in a queue (`dma_queue`), and weights have reads of their own.
#pragma once

#include "models/tcu/decoder/decoder.h"

namespace tactus {

struct Decoder::Transfers {
  Transfers(Clock& clock, std::size_t capacity)
      : slots(capacity), account("transfers", clock, transfer_states, no_transfer) {}
  /// The i-th oldest transfer; the oldest is in progress.
  [[nodiscard]] Decoded& at(std::size_t i) { return slots[(first + i) % slots.size()]; }
  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] bool full() const { return count == slots.size(); }
  std::vector<Decoded> slots;
  std::size_t first = 0, count = 0;
  Account account;
};

/// Has no data of its own, and costs nothing to make.
class BesideHead : private DecoderItems {
 public:
  explicit BesideHead(Decoder& decoder) : d_(decoder) {}

  /// Makes the queue for transfers, if the machine has one.
  void make_queue();
  /// Offers the head to its consumers, unless it has to wait for what is under way beside it.
  void offer_head();
  /// The clock edge of the queue for transfers.
  void move_transfers();
  /// Sends the weights of a LoadWeights, at the head or behind it.
  void send_weights(Decoded& d);
  void number_loads(Decoded& d);

 private:
  [[nodiscard]] Decoder::Block block_of_head() const;
  [[nodiscard]] Decoder::Block block_by_transfers(const Decoded& head) const;
  [[nodiscard]] Decoder::Block block_by_weights(const Decoded& head) const;
  [[nodiscard]] bool conflicts(const Decoded& head, std::size_t moves_between = 0) const;
  [[nodiscard]] bool overwrites(const Decoded& head, const Decoded& next) const;
  [[nodiscard]] bool can_send_ahead() const;
  void offer_transfers();
  void enter_account();

  Decoder& d_;
};

}  // namespace tactus
