// Data that a memory would move while its initiator passes cycles in which only the time counts.
#pragma once

#include <cstdint>

namespace tactus {

class PostponedMoves {
 public:
  virtual ~PostponedMoves() = default;
  /// True while accesses take their time and move no data.
  [[nodiscard]] virtual bool postpones() const = 0;
  /// Receives an access in place of its data, in the order in which the memory would move them:
  /// `count` bytes of burst `number` from its byte `offset` on, at this address of the memory.
  virtual void postpone(bool writes, std::uint32_t number, std::uint32_t offset,
                        std::uint32_t address, std::uint32_t count) = 0;
};

/// An access as a part of a burst whose moves may be postponed.
struct PartOfBurst {
  PostponedMoves* moves = nullptr;  ///< null: nobody postpones them
  std::uint32_t number = 0;         ///< the burst's
  std::uint32_t offset = 0;         ///< first byte of the access in its burst
};

}  // namespace tactus
