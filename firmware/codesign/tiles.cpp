#include "firmware/codesign/tiles.h"

#include <algorithm>

namespace tactus::codesign {
namespace {

using stripe::Block;
using stripe::Direction;
using stripe::Statement;

void add(const Block& block, std::uint64_t runs, Tiles& tiles) {
  runs *= block.positions();
  bool copies = false;
  for (const auto& [into, ref] : block.refs) {
    if (ref.direction != Direction::none || ref.location.empty()) continue;
    const std::string& device = ref.location.devices.front().name;
    if (device == "ACC") tiles.accumulator_elements += ref.shape.elements();
    if (device == "LOCAL") tiles.local_elements += ref.shape.elements();
    copies = copies || device == "ACC" || device == "LOCAL";
  }
  if (copies) tiles.count = std::max(tiles.count, runs);
  for (const Statement& stmt : block.statements) {
    if (const Block* nested = stmt.block()) add(*nested, runs, tiles);
  }
}

}  // namespace

std::vector<Tiles> tiles_of(const stripe::Program& program) {
  const Block* main = &program.block();
  for (const Statement& stmt : main->statements) {
    if (stmt.has_tag("main") && stmt.block() != nullptr) main = stmt.block();
  }
  std::vector<Tiles> result;
  for (const Statement& stmt : main->statements) {
    if (stmt.block() == nullptr) continue;
    Tiles tiles;
    tiles.kernel = stmt.block()->name;
    add(*stmt.block(), 1, tiles);
    if (tiles.count != 0) result.push_back(std::move(tiles));
  }
  return result;
}

}  // namespace tactus::codesign
