#include "firmware/gemm/tcu/schedule.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

constexpr std::uint64_t least_rows = 2;
/// Largest number of chunks that is tried; it bounds the time of the search.
constexpr std::uint64_t most_chunks = 4096;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

class ScheduleFormula {
 public:
  ScheduleFormula(const tcu::Architecture& architecture, const TcuMemory& memory)
      : n_(architecture.array_size),
        beats_(std::max<std::uint64_t>(1, architecture.vector_bytes() * 8 / memory.axi_data_bits)),
        memory_(memory) {}

  [[nodiscard]] std::uint64_t cycles(const TcuSchedule& s) const {
    const std::uint64_t groups = ceil_div(s.n_tiles, s.columns);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < s.chunks; ++i) {
      const std::uint64_t rows = s.chunk_rows(i);
      sum += (s.a_stays ? 1 : groups) * s.k_tiles * (rows * beats_ + memory_.read_latency);
      sum += s.n_tiles * s.k_tiles *
             ((n_ + 1) * beats_ + memory_.read_latency + n_ + 1 + rows + 2 * n_);
      sum += s.n_tiles * (rows + rows * beats_ + memory_.write_latency);
    }
    return sum;
  }

 private:
  std::uint64_t n_, beats_;
  TcuMemory memory_;
};

/// Appends instructions to a program. A transfer of any length is one DataMove.
class Program {
 public:
  explicit Program(const tcu::Architecture& architecture) : layout_(architecture) {}

  void move(tcu::DataMoveKind kind, std::uint64_t local, std::uint64_t other,
            std::uint64_t vectors) {
    out_.push_back(tcu::make_data_move(layout_, kind, {local, 0}, {other, 0}, vectors));
  }
  void weights(std::uint64_t local, std::uint64_t vectors) {
    out_.push_back(tcu::make_load_weights(layout_, {local, 0}, vectors));
  }
  void multiply(std::uint64_t local, std::uint64_t accumulator, std::uint64_t rows, bool add) {
    out_.push_back(tcu::make_mat_mul(layout_, {local, 0}, {accumulator, 0}, rows, add));
  }
  [[nodiscard]] std::vector<tcu::Instruction> take() { return std::move(out_); }

 private:
  tcu::InstructionLayout layout_;
  std::vector<tcu::Instruction> out_;
};

}  // namespace

std::string TcuSchedule::text() const {
  const std::string pieces =
      fmt::format("{} chunk{} of {} rows", chunks, chunks == 1 ? "" : "s", chunk_rows(0));
  if (a_stays) return pieces + ", A stays in local memory";
  return fmt::format("{}, {} columns of tiles in the accumulators", pieces, columns);
}

TcuSchedule choose_schedule(const Problem& problem, const tcu::Architecture& architecture,
                            const TcuMemory& memory) {
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t block = n + 1;
  TcuSchedule s;
  s.rows = std::max(problem.m, least_rows);
  s.k_tiles = ceil_div(problem.k, n);
  s.n_tiles = ceil_div(problem.n, n);
  const std::uint64_t reach = (std::uint64_t{1} << 32) / architecture.vector_bytes();
  const auto need = [&](const char* name, std::uint64_t depth, std::uint64_t vectors) {
    if (vectors <= depth) return;
    user_error("{}: {} needs {} vectors; allowed {}", problem.shape(), name, vectors, depth);
  };
  need("A and C in DRAM0", std::min(architecture.dram0_depth, reach),
       s.rows * (s.k_tiles + s.n_tiles));
  need("B in DRAM1", std::min(architecture.dram1_depth, reach), block * s.k_tiles * s.n_tiles);
  need("a block of weights with rows in local memory", architecture.local_depth,
       block + 2 * least_rows);
  need("a chunk of rows in the accumulators", architecture.accumulator_depth, least_rows);

  const ScheduleFormula formula(architecture, memory);
  std::optional<TcuSchedule> best;
  const auto consider = [&](TcuSchedule tried) {
    tried.cycles = formula.cycles(tried);
    if (!best || tried.cycles < best->cycles) best = tried;
  };
  const std::uint64_t room = architecture.local_depth - block;
  const std::uint64_t end = std::min(s.rows / least_rows, most_chunks);
  for (s.chunks = 1; s.chunks <= end; ++s.chunks) {
    const std::uint64_t rows = s.chunk_rows(0);
    if (rows > architecture.accumulator_depth || 2 * rows > room) continue;
    s.columns = std::min(s.n_tiles, architecture.accumulator_depth / rows);
    s.a_stays = false;
    consider(s);
    s.columns = 1;
    s.a_stays = true;
    if ((s.k_tiles + 1) * rows <= room) consider(s);
  }
  if (!best) {
    user_error("{}: no chunk of rows fits local memory ({} vectors) and accumulators ({})",
               problem.shape(), architecture.local_depth, architecture.accumulator_depth);
  }
  return *best;
}

std::vector<tcu::Instruction> make_program(const TcuSchedule& s,
                                           const tcu::Architecture& architecture) {
  using Kind = tcu::DataMoveKind;
  const std::uint64_t block = architecture.array_size + 1;
  Program out(architecture);
  std::uint64_t first = 0;  // first row of the chunk
  for (std::uint64_t chunk = 0; chunk < s.chunks; ++chunk) {
    const std::uint64_t rows = s.chunk_rows(chunk);
    // Layout of local memory: weights, a tile of finished rows, then A.
    const std::uint64_t finished = block;
    const std::uint64_t a = finished + rows;
    const auto a_tile = [&](std::uint64_t k) { return a + (s.a_stays ? k * rows : 0); };
    const auto load_a = [&](std::uint64_t k) {
      out.move(Kind::dram0_to_local, a_tile(k), k * s.rows + first, rows);
    };
    if (s.a_stays) {
      for (std::uint64_t k = 0; k < s.k_tiles; ++k) load_a(k);
    }
    for (std::uint64_t group = 0; group < s.n_tiles; group += s.columns) {
      const std::uint64_t columns = std::min(s.columns, s.n_tiles - group);
      for (std::uint64_t k = 0; k < s.k_tiles; ++k) {
        if (!s.a_stays) load_a(k);
        for (std::uint64_t j = 0; j < columns; ++j) {
          out.move(Kind::dram1_to_local, 0, ((group + j) * s.k_tiles + k) * block, block);
          out.weights(0, block);
          out.multiply(a_tile(k), j * rows, rows, k > 0);
        }
      }
      for (std::uint64_t j = 0; j < columns; ++j) {
        out.move(Kind::accumulator_to_local, finished, j * rows, rows);
        out.move(Kind::local_to_dram0, finished, (s.k_tiles + group + j) * s.rows + first, rows);
      }
    }
    first += rows;
  }
  return out.take();
}

std::uint64_t weight_stationary_bound(const Problem& problem, std::uint64_t n) {
  return ceil_div(problem.n, n) * ceil_div(problem.k, n) * (n + problem.m) + 2 * n;
}

}  // namespace tactus::gemm
