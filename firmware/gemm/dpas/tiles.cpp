#include "firmware/gemm/dpas/tiles.h"

#include <algorithm>

namespace tactus::gemm {
namespace {

unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

}  // namespace

OperandShape operand_shape(const DpasTask& task, const dpas::Profile& profile) {
  const unsigned ops = dpas::ops_per_channel(task.w, task.a);
  const unsigned w_bits = info(task.w).bits;
  OperandShape shape;
  shape.a_row_bytes = info(task.a).bits * ops;
  shape.b_registers = w_bits * ops / 4;
  shape.b_transform = task.layout_of_b() == BLayout::rows;
  shape.b_rows = shape.b_transform ? task.k_step() : shape.b_registers;
  shape.b_element_bytes = shape.b_transform ? w_bits / 8 : 4;
  // A message has at most 4 blocks of 1-byte elements and at most 2 of 2- or 4-byte elements
  // (published).
  const unsigned most = shape.b_element_bytes == 1 ? 4 : 2;
  const unsigned tile_bytes = profile.execution_size * shape.b_element_bytes;
  shape.b_most_blocks = std::min(most, most_row_bytes / tile_bytes);
  return shape;
}

BlockPlan block_plan(const DpasTask& task, const dpas::Profile& profile, const Blocking& blocking,
                     unsigned rows, unsigned n_tiles) {
  const OperandShape shape = operand_shape(task, profile);
  BlockPlan plan;
  plan.m_tiles = ceil_div(rows, blocking.rows);
  plan.n_tiles = n_tiles;
  plan.last_rows = rows - (plan.m_tiles - 1) * blocking.rows;
  const unsigned tiles_of_load = most_block_rows / blocking.rows;
  for (unsigned first = 0; first < plan.m_tiles; first += tiles_of_load) {
    ALoad load;
    load.first = first;
    load.tiles = std::min(tiles_of_load, plan.m_tiles - first);
    load.rows = std::min(load.tiles * blocking.rows, rows - first * blocking.rows);
    load.grf = plan.a_registers;
    load.step_grfs = ceil_div(load.rows * shape.a_row_bytes, profile.grf_bytes);
    plan.a_registers += load.step_grfs * blocking.k_steps;
    plan.a.push_back(load);
  }
  for (unsigned first = 0; first < n_tiles;) {
    BLoad load;
    load.first = first;
    load.tiles = shape.b_most_blocks;
    while (load.tiles > n_tiles - first) load.tiles /= 2;
    load.grf = plan.b_registers;
    plan.b_registers += load.tiles * shape.b_registers * blocking.k_steps;
    plan.b.push_back(load);
    first += load.tiles;
  }
  return plan;
}

Grid grid_of(const DpasTask& task, const dpas::Profile& profile, const Blocking& blocking) {
  const std::uint64_t n_tiles =
      (task.problem.n + profile.execution_size - 1) / profile.execution_size;
  Grid grid;
  grid.rows = blocking.rows * blocking.m_tiles;
  grid.n_tiles = blocking.n_tiles;
  grid.m_blocks = (task.problem.m + grid.rows - 1) / grid.rows;
  grid.n_blocks = (n_tiles + grid.n_tiles - 1) / grid.n_tiles;
  grid.edge_rows = static_cast<unsigned>(task.problem.m % grid.rows);
  grid.edge_n_tiles = static_cast<unsigned>(n_tiles % grid.n_tiles);
  grid.steps = (task.problem.k + task.k_step() - 1) / task.k_step();
  return grid;
}

}  // namespace tactus::gemm
