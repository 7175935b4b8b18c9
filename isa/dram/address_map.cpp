#include "isa/dram/address_map.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

enum Field : unsigned { row, bank, bank_group, column, byte, fields };
constexpr std::array<std::string_view, fields> field_names{"row", "bank", "bank_group", "column",
                                                           "byte"};
constexpr unsigned top_bit = 63;

/// One piece of a map: address bits `high` down to `low` are the next lower bits of `field`.
struct Bits {
  Field field;
  unsigned high, low;
};

struct Parsed {
  std::vector<Bits> pieces;  ///< in the order of the text
  std::string problem;
};

unsigned log2(std::uint64_t power) {
  unsigned bits = 0;
  while ((power >>= 1) != 0) ++bits;
  return bits;
}

std::array<unsigned, fields> widths(const DdrConfig& c) {
  return {log2(c.rows), log2(c.banks), log2(c.bank_groups), log2(c.columns), log2(c.bus_bits / 8)};
}

std::string piece_text(Field field, unsigned high, unsigned low) {
  return high == low ? fmt::format("{} {}", field_names[field], high)
                     : fmt::format("{} {}:{}", field_names[field], high, low);
}

/// Text of the map that has fields of these widths, from the highest bits down.
std::string list(const std::vector<std::pair<Field, unsigned>>& from_top) {
  unsigned above = 0;
  for (const auto& [field, bits] : from_top) above += bits;
  std::string text;
  for (const auto& [field, bits] : from_top) {
    if (bits == 0) continue;
    if (!text.empty()) text += ", ";
    text += piece_text(field, above - 1, above - bits);
    above -= bits;
  }
  return text;
}

bool read_bit(std::string_view text, unsigned& bit) {
  const auto number = read_number<unsigned>(text);
  bit = number.value_or(0);
  return number && bit <= top_bit;
}

/// Parses "row 30:16" or "row 30".
bool parse_piece(std::string_view text, Bits& bits, std::string& problem) {
  const auto space = text.find(' ');
  const std::string_view name = text.substr(0, space);
  const auto found = std::find(field_names.begin(), field_names.end(), name);
  if (found == field_names.end()) {
    const std::vector<std::string_view> names(field_names.begin(), field_names.end());
    problem = fmt::format(
        "{} is no field; allowed {}, or as a whole: row_bank_column, "
        "bank_row_column, row_column_bank{}",
        quote(name), quote_list(names), suggestion(name, names));
    return false;
  }
  bits.field = static_cast<Field>(found - field_names.begin());
  const std::string_view numbers =
      space == std::string_view::npos ? std::string_view() : trimmed(text.substr(space), " ");
  const auto colon = numbers.find(':');
  const bool good =
      read_bit(numbers.substr(0, colon), bits.high) &&
      (colon == std::string_view::npos ? read_bit(numbers, bits.low)
                                       : read_bit(numbers.substr(colon + 1), bits.low));
  if (!good || bits.low > bits.high) {
    problem = fmt::format("{} does not say which bits; allowed {} HIGH:LOW or {} BIT, 0..{}",
                          quote(text), name, name, top_bit);
    return false;
  }
  return true;
}

Parsed parse(const std::string& text) {
  Parsed parsed;
  std::string_view left = text;
  while (true) {
    const auto comma = left.find(',');
    Bits bits{};
    if (!parse_piece(trimmed(left.substr(0, comma), " "), bits, parsed.problem)) return parsed;
    parsed.pieces.push_back(bits);
    if (comma == std::string_view::npos) return parsed;
    left = left.substr(comma + 1);
  }
}

/// Sets `owner` to the field of each address bit, -1 for no field. Returns a message if two pieces
/// overlap.
std::string find_overlap(const std::vector<Bits>& pieces, std::vector<int>& owner) {
  owner.assign(top_bit + 1, -1);
  for (const Bits& piece : pieces) {
    for (unsigned bit = piece.low; bit <= piece.high; ++bit) {
      if (owner[bit] >= 0) {
        return fmt::format("bit {} belongs to {} and to {}", bit,
                           field_names[static_cast<unsigned>(owner[bit])],
                           field_names[piece.field]);
      }
      owner[bit] = static_cast<int>(piece.field);
    }
  }
  return {};
}

}  // namespace

std::string AddressMap::written_out(const DdrConfig& c) {
  const auto w = widths(c);
  const unsigned burst = std::min(log2(c.burst_length), w[column]);
  if (c.address_map == "row_bank_column") {
    return list({{row, w[row]},
                 {bank, w[bank]},
                 {bank_group, w[bank_group]},
                 {column, w[column]},
                 {byte, w[byte]}});
  }
  if (c.address_map == "bank_row_column") {
    return list({{bank, w[bank]},
                 {bank_group, w[bank_group]},
                 {row, w[row]},
                 {column, w[column]},
                 {byte, w[byte]}});
  }
  if (c.address_map == "row_column_bank") {
    return list({{row, w[row]},
                 {column, w[column] - burst},
                 {bank, w[bank]},
                 {bank_group, w[bank_group]},
                 {column, burst},
                 {byte, w[byte]}});
  }
  return c.address_map;
}

std::string AddressMap::problem(const DdrConfig& config) {
  const Parsed parsed = parse(written_out(config));
  if (!parsed.problem.empty()) return parsed.problem;
  std::vector<int> owner;
  if (std::string overlap = find_overlap(parsed.pieces, owner); !overlap.empty()) return overlap;
  const auto w = widths(config);
  std::array<unsigned, fields> given{};
  for (const Bits& piece : parsed.pieces) given[piece.field] += piece.high - piece.low + 1;
  unsigned all = 0;
  for (unsigned f = 0; f < fields; ++f) {
    all += w[f];
    if (given[f] == w[f]) continue;
    return fmt::format("{} has {} bit{}; allowed {}, by the geometry", field_names[f], given[f],
                       given[f] == 1 ? "" : "s", w[f]);
  }
  for (unsigned bit = 0; bit < all; ++bit) {
    if (owner[bit] < 0) return fmt::format("bit {} belongs to no field", bit);
  }
  const unsigned burst = log2(config.burst_length);
  for (unsigned bit = 0; bit < w[byte] + burst; ++bit) {
    const Field needed = bit < w[byte] ? byte : column;
    if (owner[bit] == static_cast<int>(needed)) continue;
    return fmt::format(
        "bit {} belongs to {}; allowed {}: the {} lowest bits are byte and the columns of a burst",
        bit, field_names[static_cast<unsigned>(owner[bit])], field_names[needed], w[byte] + burst);
  }
  return {};
}

AddressMap::AddressMap(const DdrConfig& config)
    : bank_bits_(log2(config.banks)), bank_mask_(config.all_banks() - 1), hash_(config.bank_hash) {
  if (const std::string text = problem(config); !text.empty()) {
    internal_error("address map {} was not checked: {}", config.address_map, text);
  }
  std::array<unsigned, fields> left = widths(config);
  const std::array<Pieces*, fields> pieces{&row_, &bank_, &group_, &column_, nullptr};
  for (const Bits& bits : parse(written_out(config)).pieces) {
    const unsigned count = bits.high - bits.low + 1;
    left[bits.field] -= count;
    if (pieces[bits.field] == nullptr) continue;
    Pieces& field = *pieces[bits.field];
    const Piece piece{bits.low, left[bits.field], (std::uint64_t{1} << count) - 1};
    if (field.first.mask == 0) {
      field.first = piece;
    } else {
      field.others.push_back(piece);
    }
  }
}

}  // namespace tactus
