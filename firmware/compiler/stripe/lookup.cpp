#include "firmware/compiler/stripe/lookup.h"

#include <algorithm>
#include <cmath>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {

std::optional<std::string> table_of(const Intrinsic& intrinsic) {
  const std::string prefix = lookup_name("");
  if (intrinsic.name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  return intrinsic.name.substr(prefix.size());
}

std::string lookup_problem(const Intrinsic& intrinsic, const Block& entry) {
  const std::string table = table_of(intrinsic).value_or("");
  if (intrinsic.inputs.size() != 2 || intrinsic.outputs.size() != 1) {
    return fmt::format("{} takes an argument and the distance of keys, and gives one value",
                       quote(intrinsic.name));
  }
  const Refinement* buffer = entry.ref(table);
  if (buffer == nullptr || buffer->direction != Direction::none) {
    return fmt::format("{} needs a buffer {} of the entry block", quote(intrinsic.name),
                       quote(table));
  }
  const auto& dims = buffer->shape.dims;
  if (dims.size() == 2 && dims[0].size == 2 && dims[1].size != 0 && dims[1].size % 2 == 0) {
    return {};
  }
  return fmt::format(
      "{} needs a buffer of two rows, slopes and values, of an even number of entries; "
      "{} has another shape",
      quote(intrinsic.name), quote(table));
}

std::set<std::string> tables_in(const Block& block) {
  std::set<std::string> tables;
  for (const Statement& stmt : block.statements) {
    if (const Block* nested = stmt.block()) tables.merge(tables_in(*nested));
    const auto* op = stmt.as<Intrinsic>();
    if (const auto table = op != nullptr ? table_of(*op) : std::nullopt) tables.insert(*table);
  }
  return tables;
}

TableKey table_key(double argument, double step, std::size_t entries) {
  if (!(step > 0)) user_error("a lookup with keys {} apart; more than 0 is needed", step);
  const std::size_t middle = entries / 2;
  const auto half = static_cast<double>(middle);
  const double key = std::clamp(std::floor(argument / step + 0.5), -half, half - 1);
  if (std::isnan(argument)) return {0, argument};
  return {static_cast<std::size_t>(key + half), argument - key * step};
}

}  // namespace tactus::stripe
