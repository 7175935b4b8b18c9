// Finds the earlier instructions for which an instruction must wait because of local memory, in
// machines whose accesses to it may be late: with a queue for transfers, or with weights that have
// reads of their own. Decoder::conflicts() and Decoder::block_by_weights() answer the same question
// from ranges of addresses while time passes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/tcu/accesses.h"
#include "models/tcu/decoder/local_order.h"
#include "models/tcu/fast/program_items.h"

namespace tactus {

class LocalOrders {
 public:
  explicit LocalOrders(const tcu::Architecture& architecture);

  /// Forgets all earlier instructions.
  void restart();
  /// Returns the order of the next instruction of the program.
  [[nodiscard]] LocalOrder next(const ProgramItem& item) {
    return decides_ ? find(item) : LocalOrder{};
  }

 private:
  /// The range of local memory that an instruction uses, if any.
  using Range = std::optional<tcu::LocalRange>;
  [[nodiscard]] LocalOrder find(const ProgramItem& item);
  [[nodiscard]] static std::uint8_t newest(const std::vector<Range>& before, const Range& range);
  static void push(std::vector<Range>& before, const Range& range, std::size_t most);

  const bool decides_, own_reads_;
  /// The number of transfers that may be queued when an instruction comes to the head, plus the
  /// head itself.
  const std::size_t most_moves_;
  std::vector<Range> moves_, loads_;  ///< newest first
  Range last_;
};

}  // namespace tactus
