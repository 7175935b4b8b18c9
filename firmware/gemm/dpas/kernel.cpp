// Generates the code of a kernel:
//
//   start      set the coordinates of the thread's first block: lane j of X is the first column of
//              tile column j, lane i of Y the first row of tile row i
//   next       if the block is at a border, jump to the code of its kind
//     block    set the positions in A and B to 0 and load; in each iteration over K load the next
//              operands and multiply; at the end store
//   advance    advance by `threads` blocks, with a carry from rows to columns; repeat while columns
//              are left
//   end        ret
//
// With two sets of operands an iteration loads the operands of the next one. The first instruction
// of an accumulator has a null src0 instead of zeroes.
#include "firmware/gemm/dpas/kernel.h"

#include <algorithm>

#include "firmware/gemm/dpas/kernel_builder.h"
#include "firmware/gemm/dpas/tiles.h"
#include "isa/dpas/timing.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

using dpas::Instruction;
using dpas::Opcode;
using dpas::Operand;
using dpas::Type;

constexpr unsigned lanes = most_tiles;  ///< elements of the coordinates X and Y, one for each tile
constexpr std::uint32_t thread_x = 1;   ///< id of %thread_x
/// The iterations over K are a loop if unrolling would give more DPAS instructions than this.
constexpr std::uint64_t most_unrolled = 64;

class Writer {
 public:
  Writer(const DpasTask& task, const dpas::Profile& profile, const Blocking& blocking)
      : task_(task),
        profile_(profile),
        blocking_(blocking),
        layout_(layout_of(task)),
        shape_(operand_shape(task, profile)),
        grid_(grid_of(task, profile, blocking)),
        out_("gemm"),
        result_(task.is_integer() ? Type::d : Type::f) {
    const BlockPlan plan = block_plan(task, profile, blocking, grid_.rows, grid_.n_tiles);
    const unsigned dwords = profile.grf_bytes / 4;
    const unsigned passed = profile.grf_bytes;  // the inputs follow register 0
    at_a_ = out_.input("A", Type::uq, passed);
    at_b_ = out_.input("B", Type::uq, passed + 8);
    at_c_ = out_.input("C", Type::uq, passed + 16);
    x_ = out_.variable("X", Type::d, lanes);
    y_ = out_.variable("Y", Type::d, lanes);
    in_a_ = out_.variable("IN_A", Type::d, 1);
    in_b_ = out_.variable("IN_B", Type::d, 1);
    c_ =
        out_.variable("SUM", result_, blocking.rows * blocking.m_tiles * blocking.n_tiles * dwords);
    for (unsigned i = 0; i < blocking.buffers; ++i) {
      a_[i] = out_.variable(fmt::format("A{}", i), Type::ud, plan.a_registers * dwords);
      b_[i] = out_.variable(fmt::format("B{}", i), Type::ud, plan.b_registers * dwords);
    }
  }

  dpas::Program write() {
    start();
    const std::uint32_t next = out_.label("next");
    const std::uint32_t advance = out_.label("advance");
    const bool more = grid_.blocks() > blocking_.threads;
    if (more) out_.place(next);
    blocks(advance);
    out_.place(advance);
    if (more) step_to_next(next);
    out_.ret();
    dpas::Program program;
    program.source = "gemm.visaasm";
    program.kernels.push_back(std::move(out_.kernel()));
    return program;
  }

 private:
  // ---- coordinates

  /// Sets lane 0 to index * factor (to 0 without an index) and lane i to lane 0 + i * size, for at
  /// least `tiles` lanes. The factor is not 0.
  void coordinates(std::uint32_t values, unsigned tiles, unsigned size, const Operand* index,
                   std::uint64_t factor) {
    const Operand first = out_.scalar(values);
    if (index == nullptr) {
      out_.mov(1, first, KernelBuilder::immediate(0));
    } else {
      // The ISA has no multiplication. The code goes through the factor's bits from the highest on:
      // it doubles the product for each, and adds the index if the bit is set.
      out_.mov(1, first, *index);
      int bit = 63;
      while ((factor >> bit & 1U) == 0) --bit;
      while (bit-- > 0) {
        out_.add(1, first, first, first);
        if ((factor >> bit & 1U) != 0) out_.add(1, first, first, *index);
      }
    }
    for (unsigned i = 1; i < tiles; i *= 2) {
      out_.add(i, out_.vector(values, static_cast<std::uint8_t>(i)), out_.vector(values),
               KernelBuilder::immediate(static_cast<std::int64_t>(i) * size));
    }
  }

  void start() {
    const std::uint64_t rows = grid_.rows;
    const std::uint64_t columns = std::uint64_t{grid_.n_tiles} * profile_.execution_size;
    const Operand thread = out_.scalar(thread_x);
    const auto x = [&](const Operand* index) {
      coordinates(x_, grid_.n_tiles, profile_.execution_size, index, columns);
    };
    const auto y = [&](const Operand* index) {
      coordinates(y_, blocking_.m_tiles, blocking_.rows, index, rows);
    };
    if (blocking_.threads == 1) {
      x(nullptr);
      y(nullptr);
    } else if (grid_.m_blocks >= blocking_.threads) {
      x(nullptr);
      y(&thread);
    } else if (grid_.m_blocks == 1) {
      x(&thread);
      y(nullptr);
    } else {
      // IN_A = thread modulo m_blocks, IN_B = thread / m_blocks.
      const auto m_blocks = static_cast<std::int64_t>(grid_.m_blocks);
      const Operand in_a = out_.scalar(in_a_);
      const Operand in_b = out_.scalar(in_b_);
      const std::uint16_t carry = out_.predicate("FOLD", 1);
      out_.mov(1, in_a, thread);
      out_.mov(1, in_b, KernelBuilder::immediate(0));
      for (std::int64_t i = m_blocks; i < blocking_.threads; i += m_blocks) {
        out_.cmp(1, dpas::Comparison::ge, carry, in_a, KernelBuilder::immediate(m_blocks));
        out_.add(1, in_a, in_a, KernelBuilder::immediate(-m_blocks), carry);
        out_.add(1, in_b, in_b, KernelBuilder::immediate(1), carry);
      }
      x(&in_b);
      y(&in_a);
    }
  }

  void step_to_next(std::uint32_t next) {
    const std::uint64_t rows = grid_.rows;
    const std::uint64_t columns = std::uint64_t{grid_.n_tiles} * profile_.execution_size;
    const auto move = [&](std::uint32_t values, std::uint64_t by, std::int64_t sign = 1,
                          std::uint16_t predicate = 0) {
      if (by == 0) return;
      out_.add(lanes, out_.vector(values), out_.vector(values),
               KernelBuilder::immediate(sign * static_cast<std::int64_t>(by)), predicate);
    };
    const std::uint64_t m_step = blocking_.threads % grid_.m_blocks;
    move(x_, blocking_.threads / grid_.m_blocks * columns);
    move(y_, m_step * rows);
    if (m_step != 0) {
      const std::uint16_t carry = out_.predicate("CARRY", lanes);
      const std::uint64_t all = grid_.m_blocks * rows;
      out_.cmp(lanes, dpas::Comparison::ge, carry, out_.scalar(y_),
               KernelBuilder::immediate(static_cast<std::int64_t>(all)));
      move(x_, columns, 1, carry);
      move(y_, all, -1, carry);
    }
    const std::uint16_t again = out_.predicate("AGAIN", 1);
    out_.cmp(1, dpas::Comparison::lt, again, out_.scalar(x_),
             KernelBuilder::immediate(static_cast<std::int64_t>(grid_.n_blocks * columns)));
    out_.jump(next, again);
  }

  // ---- blocks

  /// Generates the code of every kind of block; each ends with a jump to `done`.
  void blocks(std::uint32_t done) {
    const bool m_edge = grid_.edge_rows != 0 && grid_.m_blocks > 1;
    const bool n_edge = grid_.edge_n_tiles != 0 && grid_.n_blocks > 1;
    const unsigned rows = m_edge || grid_.edge_rows == 0 ? grid_.rows : grid_.edge_rows;
    const unsigned n_tiles = n_edge || grid_.edge_n_tiles == 0 ? grid_.n_tiles : grid_.edge_n_tiles;
    std::uint16_t at_bottom = 0;
    std::uint16_t at_right = 0;
    if (m_edge) {
      at_bottom = out_.predicate("BOTTOM", 1);
      out_.cmp(1, dpas::Comparison::ge, at_bottom, out_.scalar(y_),
               KernelBuilder::immediate(static_cast<std::int64_t>((grid_.m_blocks - 1) * rows)));
    }
    if (n_edge) {
      at_right = out_.predicate("RIGHT", 1);
      out_.cmp(1, dpas::Comparison::ge, at_right, out_.scalar(x_),
               KernelBuilder::immediate(static_cast<std::int64_t>((grid_.n_blocks - 1) * n_tiles *
                                                                  profile_.execution_size)));
    }
    std::uint32_t bottom = 0;
    std::uint32_t right = 0;
    if (m_edge) out_.jump(bottom = out_.label("bottom"), at_bottom);
    if (n_edge) out_.jump(right = out_.label("right"), at_right);
    block("inner", rows, n_tiles);
    if (m_edge) {
      out_.jump(done);
      out_.place(bottom);
      std::uint32_t corner = 0;
      if (n_edge) out_.jump(corner = out_.label("corner"), at_right);
      block("bottom", grid_.edge_rows, n_tiles);
      if (n_edge) {
        out_.jump(done);
        out_.place(corner);
        block("corner", grid_.edge_rows, grid_.edge_n_tiles);
      }
    }
    if (n_edge) {
      out_.jump(done);
      out_.place(right);
      block("right", rows, grid_.edge_n_tiles);
    }
  }

  void block(const std::string& name, unsigned rows, unsigned n_tiles) {
    const BlockPlan plan = block_plan(task_, profile_, blocking_, rows, n_tiles);
    const std::uint64_t steps = blocking_.k_steps;
    const std::uint64_t turns = (grid_.steps + steps - 1) / steps;
    const std::uint64_t whole = grid_.steps / steps;  // iterations with all their steps
    const unsigned ahead = blocking_.buffers - 1;
    out_.mov(1, out_.vector(in_a_), KernelBuilder::immediate(0));
    out_.mov(1, out_.vector(in_b_), KernelBuilder::immediate(0));
    const auto turn = [&](std::uint64_t number) {
      if (number + ahead < turns) load(plan, (number + ahead) % blocking_.buffers);
      multiply(plan, number % blocking_.buffers, number == 0,
               number < whole ? blocking_.k_steps : static_cast<unsigned>(grid_.steps % steps));
    };
    for (unsigned i = 0; i < ahead; ++i) load(plan, i);
    turn(0);
    std::uint64_t number = 1;
    // The loop body has one iteration for each set of operands. All iterations in the loop load
    // complete sets.
    const std::uint64_t alike = whole > ahead + 1 ? whole - ahead - 1 : 0;
    const std::uint64_t rounds = alike / blocking_.buffers;
    const std::uint64_t products = std::uint64_t{plan.m_tiles} * plan.n_tiles * steps;
    if (rounds > 1 && products * turns > most_unrolled) {
      const std::uint32_t loop = out_.label(name + "_k");
      const std::uint16_t again = out_.predicate("MORE_" + name, 1);
      out_.place(loop);
      for (unsigned i = 0; i < blocking_.buffers; ++i) turn(number + i);
      number += rounds * blocking_.buffers;
      // At the end IN_B is the position of the load that follows the loop.
      const std::uint64_t end = (number + ahead) * steps * shape_.b_rows;
      out_.cmp(1, dpas::Comparison::lt, again, out_.scalar(in_b_),
               KernelBuilder::immediate(static_cast<std::int64_t>(end)));
      out_.jump(loop, again);
    }
    for (; number < turns; ++number) turn(number);
    store(plan);
  }

  static Operand size_operand(std::uint64_t value) {
    return KernelBuilder::immediate(static_cast<std::int64_t>(value), Type::ud);
  }

  /// Makes a 2D block message without its data operand.
  Instruction message(dpas::LscOperation operation, std::uint32_t address, const Surface& surface,
                      const dpas::Block2d& block, const Operand& x, const Operand& y) const {
    Instruction result;
    result.opcode = Opcode::lsc_untyped;
    result.execution_size = 1;
    result.lsc.operation = operation;
    result.lsc.block = block;
    result.lsc.data_size = block.element_bytes == 1   ? dpas::LscDataSize::d8
                           : block.element_bytes == 2 ? dpas::LscDataSize::d16
                                                      : dpas::LscDataSize::d32;
    result.source[0] = out_.scalar(address);
    result.source[1] = size_operand(surface.width - 1);
    result.source[2] = size_operand(surface.height - 1);
    result.source[3] = size_operand(surface.pitch - 1);
    result.source[4] = x;
    result.source[5] = y;
    return result;
  }

  /// Loads the operands of one iteration into a set and advances along K. Elements beyond K are
  /// loaded as zero.
  void load(const BlockPlan& plan, std::uint64_t set) {
    const unsigned grf = profile_.grf_bytes;
    for (const ALoad& part : plan.a) {
      dpas::Block2d block;
      block.blocks = static_cast<std::uint8_t>(blocking_.k_steps);
      block.width = static_cast<std::uint16_t>(shape_.a_row_bytes);
      block.height = static_cast<std::uint16_t>(part.rows);
      Instruction load =
          message(dpas::LscOperation::load_block2d, at_a_, layout_.a, block, out_.scalar(in_a_),
                  out_.scalar(y_, static_cast<std::uint8_t>(part.first)));
      load.dst = out_.raw(a_[set], part.grf * grf);
      out_.append(load);
    }
    for (const BLoad& part : plan.b) {
      dpas::Block2d block;
      block.element_bytes = static_cast<std::uint8_t>(shape_.b_element_bytes);
      block.blocks = static_cast<std::uint8_t>(part.tiles);
      block.width = static_cast<std::uint16_t>(profile_.execution_size);
      block.height = static_cast<std::uint16_t>(shape_.b_rows * blocking_.k_steps);
      block.transform = shape_.b_transform;
      Instruction load =
          message(dpas::LscOperation::load_block2d, at_b_, layout_.b, block,
                  out_.scalar(x_, static_cast<std::uint8_t>(part.first)), out_.scalar(in_b_));
      load.dst = out_.raw(b_[set], part.grf * grf);
      out_.append(load);
    }
    out_.add(1, out_.vector(in_a_), out_.scalar(in_a_),
             KernelBuilder::immediate(blocking_.k_steps * shape_.a_row_bytes));
    out_.add(1, out_.vector(in_b_), out_.scalar(in_b_),
             KernelBuilder::immediate(blocking_.k_steps * shape_.b_rows));
  }

  [[nodiscard]] std::uint32_t c_offset(unsigned i, unsigned j) const {
    return (j * blocking_.m_tiles + i) * blocking_.rows * profile_.grf_bytes;
  }

  /// Offset, in a set of operands, of src1 for tile column j and a step; bytes.
  [[nodiscard]] std::uint32_t b_offset(const BlockPlan& plan, unsigned j, unsigned step) const {
    const BLoad* part = plan.b.data();
    while (j >= part->first + part->tiles) ++part;
    const unsigned block = (j - part->first) * blocking_.k_steps + step;
    return (part->grf + block * shape_.b_registers) * profile_.grf_bytes;
  }
  [[nodiscard]] std::uint32_t a_offset(const BlockPlan& plan, unsigned i, unsigned step) const {
    const ALoad* part = plan.a.data();
    while (i >= part->first + part->tiles) ++part;
    return (part->grf + step * part->step_grfs) * profile_.grf_bytes +
           (i - part->first) * blocking_.rows * shape_.a_row_bytes;
  }

  /// Multiplies all tiles of the block for `steps` steps of K. The tiles of a column follow each
  /// other, downwards in even columns and upwards in odd ones, so that a column begins with the
  /// rows of A that the array may still hold.
  void multiply(const BlockPlan& plan, std::uint64_t set, bool first, unsigned steps) {
    for (unsigned step = 0; step < steps; ++step) {
      for (unsigned j = 0; j < plan.n_tiles; ++j) {
        for (unsigned tile = 0; tile < plan.m_tiles; ++tile) {
          const unsigned i = j % 2 == 0 ? tile : plan.m_tiles - 1 - tile;
          Instruction dpas;
          dpas.opcode = Opcode::dpas;
          dpas.execution_size = static_cast<std::uint8_t>(profile_.execution_size);
          dpas.w = task_.w;
          dpas.a = task_.a;
          dpas.repeat_count = static_cast<std::uint8_t>(plan.rows_of(i, blocking_));
          dpas.dst = out_.raw(c_, c_offset(i, j));
          dpas.source[0] = first && step == 0 ? KernelBuilder::null(result_) : dpas.dst;
          dpas.source[1] = out_.raw(b_[set], b_offset(plan, j, step));
          const std::uint32_t a = a_offset(plan, i, step);
          dpas.source[2] =
              out_.vector(a_[set], static_cast<std::uint8_t>(a % profile_.grf_bytes / 4));
          dpas.source[2].row = static_cast<std::uint8_t>(a / profile_.grf_bytes);
          out_.append(dpas);
        }
      }
    }
  }

  void store(const BlockPlan& plan) {
    for (unsigned j = 0; j < plan.n_tiles; ++j) {
      for (unsigned i = 0; i < plan.m_tiles; ++i) {
        dpas::Block2d block;
        block.element_bytes = 4;
        block.width = static_cast<std::uint16_t>(profile_.execution_size);
        block.height = static_cast<std::uint16_t>(plan.rows_of(i, blocking_));
        Instruction store = message(dpas::LscOperation::store_block2d, at_c_, layout_.c, block,
                                    out_.scalar(x_, static_cast<std::uint8_t>(j)),
                                    out_.scalar(y_, static_cast<std::uint8_t>(i)));
        store.source[6] = out_.raw(c_, c_offset(i, j));
        out_.append(store);
      }
    }
  }

  const DpasTask& task_;
  const dpas::Profile& profile_;
  const Blocking& blocking_;
  DpasLayout layout_;
  OperandShape shape_;
  Grid grid_;
  KernelBuilder out_;
  Type result_;
  std::uint32_t at_a_ = 0, at_b_ = 0, at_c_ = 0;  ///< addresses of the matrices
  std::uint32_t x_ = 0, y_ = 0, in_a_ = 0, in_b_ = 0, c_ = 0;
  std::uint32_t a_[2]{}, b_[2]{};  ///< for each set of operands
};

/// Joins DPAS instructions to macros where dpas::joins_macro() allows it (isa/dpas/timing.h). The
/// instructions of a column join, since they share B; if the array also buffers A, the columns of a
/// step join too.
void join_macros(dpas::Kernel& kernel, const dpas::Profile& profile) {
  std::vector<Instruction>& list = kernel.instructions;
  std::size_t first = 0;
  for (std::size_t i = 0; i + 1 < list.size(); ++i) {
    const auto members = static_cast<unsigned>(i - first + 1);
    const bool joins = list[i].opcode == Opcode::dpas &&
                       dpas::joins_macro(profile, &list[first], members, list[i + 1]);
    list[i].annotations.atomic = joins;
    if (!joins) first = i + 1;
  }
}

}  // namespace

dpas::Program make_kernel(const DpasTask& task, const dpas::Profile& profile,
                          const Blocking& blocking) {
  const unsigned registers = registers_needed(task, profile, blocking);
  if (registers > profile.grf_count) {
    user_error("a blocking of {} needs {} registers; profile {} has {}", blocking.text(), registers,
               profile.name, profile.grf_count);
  }
  dpas::Program program = Writer(task, profile, blocking).write();
  resolve(program, profile);
  join_macros(program.kernels.front(), profile);
  return program;
}

}  // namespace tactus::gemm
