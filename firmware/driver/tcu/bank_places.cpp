#include "firmware/driver/tcu/bank_places.h"

#include <algorithm>
#include <optional>

#include "isa/support/error.h"

namespace tactus {
namespace {

/// Byte addresses [first, end) of the DRAM.
struct Range {
  std::uint64_t first, end;
};

std::uint64_t power_of_two_from(std::uint64_t value) {
  std::uint64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

/// Finds addresses for banks that overlap nothing else.
class Places {
 public:
  Places(std::uint64_t size, std::uint64_t step) : size_(size), step_(step) {}

  void take(const Range& range) { taken_.push_back(range); }
  /// Takes the first free place for `bytes`, searching from `base` on, and returns its address;
  /// nothing if there is none.
  std::optional<std::uint64_t> take_from(std::uint64_t base, std::uint64_t bytes) {
    for (std::uint64_t tried = 0; tried < size_; tried += step_) {
      const std::uint64_t first = (base + tried) % size_;
      const Range range{first, first + bytes};
      const bool meets = std::any_of(taken_.begin(), taken_.end(), [&](const Range& other) {
        return range.first < other.end && other.first < range.end;
      });
      if (meets || range.end > size_) continue;
      take(range);
      return first;
    }
    return std::nullopt;
  }

 private:
  std::uint64_t size_, step_;
  std::vector<Range> taken_;
};

}  // namespace

BankBytes bank_bytes(const tcu::Architecture& architecture) {
  const std::uint64_t vector = architecture.vector_bytes();
  return {architecture.dram0_depth * vector, architecture.dram1_depth * vector};
}

std::vector<BankBases> place_bank_pairs(const TcuSimulationConfig& config,
                                        const std::vector<BankBytes>& pairs,
                                        std::uint64_t stream_bytes, std::uint64_t least_step) {
  const BoardMemory& memory = *config.board_memory;
  std::uint64_t largest = least_step;
  for (const BankBytes& bytes : pairs) largest = std::max({largest, bytes[0], bytes[1]});
  Places places(config.resolved_ddr->bytes(), power_of_two_from(largest));
  if (stream_bytes > 0) {
    places.take({memory.stream->base, memory.stream->base + stream_bytes});
  }
  std::vector<BankBases> bases{{memory.base[0], memory.base[1]}};
  for (const unsigned p : {0U, 1U}) {
    places.take({memory.base[p], memory.base[p] + pairs.front()[p]});
  }
  while (bases.size() < pairs.size()) {
    BankBases pair{};
    for (const unsigned p : {0U, 1U}) {
      const auto place = places.take_from(memory.base[p], pairs[bases.size()][p]);
      if (!place) return bases;
      pair[p] = *place;
    }
    bases.push_back(pair);
  }
  return bases;
}

std::vector<BankBases> bank_places(const TcuSimulationConfig& config, unsigned units,
                                   std::uint64_t stream_bytes) {
  const BankBytes bytes = bank_bytes(config.architecture);
  std::vector<BankBases> bases =
      place_bank_pairs(config, std::vector<BankBytes>(units, bytes), stream_bytes);
  if (bases.size() == units) return bases;
  user_error(
      "{} units with banks of {} and {} bytes do not fit the DRAM of {} bytes; allowed "
      "1..{}, or smaller dram0_depth and dram1_depth",
      units, bytes[0], bytes[1], config.resolved_ddr->bytes(), bases.size());
}

std::uint64_t stream_bytes_of(const TcuSimulationConfig& config, std::uint64_t program_bytes) {
  if (config.stream_model != StreamModel::board) return 0;
  // Room for padding to whole words of the stream.
  return program_bytes + 2 * std::uint64_t{config.axi_data_bits / 8};
}

}  // namespace tactus
