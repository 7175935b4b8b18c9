// Which of the instructions before it an instruction has to wait for because of local memory, in
// machines where accesses to it may be late: with a queue for DRAM moves, or with weights that have
// reads of their own. See Decoder::conflicts() and Decoder::block_by_weights(), which ask the same
// of ranges of addresses while time passes.
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

  /// From here on, as if nothing were before.
  void restart();
  /// The order of the next instruction of the program.
  [[nodiscard]] LocalOrder next(const ProgramItem& item) {
    return decides_ ? find(item) : LocalOrder{};
  }

 private:
  /// What an instruction uses of local memory, if it does.
  using Range = std::optional<tcu::LocalRange>;
  [[nodiscard]] LocalOrder find(const ProgramItem& item);
  [[nodiscard]] static std::uint8_t newest(const std::vector<Range>& before, const Range& range);
  static void push(std::vector<Range>& before, const Range& range, std::size_t most);

  const bool decides_, own_reads_;
  /// Those that may be queued when an instruction comes to the head, and one that is the head.
  const std::size_t most_moves_;
  std::vector<Range> moves_, loads_;  ///< the newest first
  Range last_;
};

}  // namespace tactus
