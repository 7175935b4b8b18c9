// Maps a byte address to row, bank, bank group, column and byte.
//
// The map is either a list or a name. The list gives the fields from the highest bits down, and a
// field may have several pieces: "row 30:16, bank 15:14, bank_group 13, column 12:3, byte 2:0". The
// names are:
//   row_bank_column   row, bank, bank_group, column, byte
//   bank_row_column   bank, bank_group, row, column, byte
//   row_column_bank   row, column, bank, bank_group, the columns of one burst, byte
// The lowest bits are byte and the columns of one burst, so an access is a contiguous block of
// addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/dram/ddr_config.h"

namespace tactus {

struct DdrAddress {
  std::uint32_t row = 0;
  std::uint16_t bank = 0;    ///< number over all groups: group * banks + bank in the group
  std::uint16_t column = 0;  ///< first column of the access
};

class AddressMap {
 public:
  /// Precondition: ddr_problems() finds nothing in the config.
  explicit AddressMap(const DdrConfig& config);

  /// Splits an address. Bits above the capacity are ignored.
  [[nodiscard]] DdrAddress decode(std::uint64_t address) const {
    const auto group = static_cast<std::uint32_t>(gather(group_, address));
    auto bank = static_cast<std::uint32_t>(gather(bank_, address));
    const auto row = static_cast<std::uint32_t>(gather(row_, address));
    bank |= group << bank_bits_;
    if (hash_) bank ^= row & bank_mask_;
    return {row, static_cast<std::uint16_t>(bank),
            static_cast<std::uint16_t>(gather(column_, address))};
  }

  /// Says what is wrong with config.address_map; empty if nothing is. Precondition: the geometry is
  /// valid.
  [[nodiscard]] static std::string problem(const DdrConfig& config);
  /// Replaces a name by the list it stands for; a list is returned unchanged.
  [[nodiscard]] static std::string written_out(const DdrConfig& config);

 private:
  /// Address bits from `low` on become field bits from `to` on; `mask` has a one for each bit.
  struct Piece {
    unsigned low = 0, to = 0;
    std::uint64_t mask = 0;
    [[nodiscard]] std::uint64_t of(std::uint64_t address) const {
      return ((address >> low) & mask) << to;
    }
  };
  /// Pieces of one field; most fields have one.
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
