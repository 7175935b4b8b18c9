// Which bits of a byte address choose row, bank, bank group, column and byte.
//
// A list of fields from the top, each with its bits, highest first; a field may have several
// pieces: "row 30:16, bank 15:14, bank_group 13, column 12:3, byte 2:0". Or a name:
//   row_bank_column   row, bank, bank_group, column, byte
//   bank_row_column   bank, bank_group, row, column, byte
//   row_column_bank   row, column, bank, bank_group, the columns of one burst, byte
// The lowest bits are byte and the columns of one burst, so that an access is a block of addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/dram/ddr_config.h"

namespace tactus {

struct DdrAddress {
  std::uint32_t row = 0;
  std::uint16_t bank = 0;    ///< over all groups: group * banks + bank in the group
  std::uint16_t column = 0;  ///< first column of the access
};

class AddressMap {
 public:
  /// A config without ddr_problems().
  explicit AddressMap(const DdrConfig& config);

  /// Bits above the capacity are ignored.
  [[nodiscard]] DdrAddress decode(std::uint64_t address) const {
    const auto group = static_cast<std::uint32_t>(gather(group_, address));
    auto bank = static_cast<std::uint32_t>(gather(bank_, address));
    const auto row = static_cast<std::uint32_t>(gather(row_, address));
    bank |= group << bank_bits_;
    if (hash_) bank ^= row & bank_mask_;
    return {row, static_cast<std::uint16_t>(bank),
            static_cast<std::uint16_t>(gather(column_, address))};
  }

  /// What is wrong with config.address_map, or nothing; the geometry is sound.
  [[nodiscard]] static std::string problem(const DdrConfig& config);
  /// The list that a name stands for; a list as it is.
  [[nodiscard]] static std::string written_out(const DdrConfig& config);

 private:
  /// Bits `low`.. of the address become bits `to`.. of the field.
  struct Piece {
    unsigned low = 0, to = 0;
    std::uint64_t mask = 0;
    [[nodiscard]] std::uint64_t of(std::uint64_t address) const {
      return ((address >> low) & mask) << to;
    }
  };
  /// Of one field, which mostly has one.
  struct Pieces {
    Piece first;
    std::vector<Piece> others;
  };
  static std::uint64_t gather(const Pieces& pieces, std::uint64_t address) {
    std::uint64_t value = pieces.first.of(address);
    for (const Piece& piece : pieces.others) value |= piece.of(address);
    return value;
  }

  Pieces row_, bank_, group_, column_;
  unsigned bank_bits_;
  std::uint32_t bank_mask_;
  bool hash_;
};

}  // namespace tactus
