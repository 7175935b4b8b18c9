// Reference interpreter of TCU programs: in order, untimed, scalar by scalar.
//
// It is written only from the hardware specification and, for extensions, from isa/README.md, and
// decodes instruction bytes itself. Tests compare it with the cycle models for programs whose
// results do not depend on the hardware's ordering hazards (hardware spec section 8.1).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "isa/dais/fast_executor.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/arithmetic.h"

namespace tactus {

/// A DRAM bank: bytes at 32-bit addresses, initially zero.
class FunctionalDram {
 public:
  static constexpr std::uint32_t page_bytes = 4096;
  using Page = std::vector<std::uint8_t>;

  [[nodiscard]] std::uint8_t read(std::uint32_t address) const;
  void write(std::uint32_t address, std::uint8_t byte);
  void write(std::uint32_t address, const std::vector<std::uint8_t>& bytes);
  /// Returns all pages that have been written, by the address of their first byte.
  [[nodiscard]] const std::map<std::uint32_t, Page>& pages() const { return pages_; }

 private:
  std::map<std::uint32_t, Page> pages_;
};

class FunctionalModel {
 public:
  using Vector = std::vector<std::int64_t>;  ///< mantissas

  /// Counts that do not depend on timing.
  struct Counts {
    std::uint64_t instructions = 0;
    std::array<std::uint64_t, 2> vectors_read{}, vectors_written{};  ///< index: DRAM port
    std::uint64_t array_runs = 0, array_loads = 0, alu_operations = 0;
    std::array<std::uint64_t, 8> dais_instructions{}, dais_samples{};  ///< index: block
    std::uint64_t table_vectors = 0, lookups = 0;
  };

  /// A request to a DRAM port for consecutive vectors.
  struct DramRequest {
    unsigned port;
    bool write;
    std::uint32_t address;  ///< bytes
    std::uint64_t vectors;
  };

  explicit FunctionalModel(const tcu::Architecture& architecture);

  /// Runs a program of complete instructions, as in a .tprog file.
  void run(const std::vector<std::uint8_t>& program);

  [[nodiscard]] const std::vector<Vector>& local() const { return local_; }
  [[nodiscard]] const std::vector<Vector>& accumulators() const { return accumulators_; }
  [[nodiscard]] FunctionalDram& dram(unsigned port) { return dram_[port]; }
  [[nodiscard]] const FunctionalDram& dram(unsigned port) const { return dram_[port]; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const std::vector<DramRequest>& dram_requests() const { return requests_; }

 private:
  /// Bit widths of the instruction's fields (spec 3.1).
  struct Widths {
    unsigned local, accumulators, dram[2], selector, operation;
    unsigned address0, stride0, operand0, address1, stride1, operand1, operand2;
  };
  struct Fields {
    unsigned opcode, flags;
    std::uint64_t address0, stride0, address1, stride1, operand1, operand2;
    std::uint32_t configure;
  };
  /// Addresses of consecutive vectors: base + offset, or base - offset, truncated to the memory's
  /// address width. The offset wraps at the depth (spec 2.4).
  class Walk {
   public:
    Walk(std::uint64_t base, std::uint64_t stride, std::uint64_t depth, unsigned bits,
         bool reverse = false);
    std::uint64_t next();

   private:
    std::uint64_t base_, step_, depth_, mask_;
    bool reverse_;
    std::uint64_t offset_ = 0;
  };

  [[nodiscard]] Fields decode(const std::uint8_t* bytes) const;
  void execute(const Fields& f);
  void mat_mul(const Fields& f);
  void load_weights(const Fields& f);
  void data_move(const Fields& f);
  void dram_move(const Fields& f, unsigned port, bool to_dram);
  void simd(const Fields& f);
  void look_up(const Vector& argument, std::uint64_t dest);
  void load_lut(const Fields& f);
  void load_activation(const Fields& f);
  [[nodiscard]] Vector activated(const Vector& x) const;
  void dais(const Fields& f);
  void configure(const Fields& f);

  [[nodiscard]] Walk local_walk(const Fields& f) const;
  [[nodiscard]] Walk accumulator_walk(const Fields& f) const;
  [[nodiscard]] Vector read(const std::vector<Vector>& memory, std::uint64_t address) const;
  static void write(std::vector<Vector>& memory, std::uint64_t address, const Vector& vector);
  void write_accumulator(std::uint64_t address, const Vector& vector, bool accumulate);
  [[nodiscard]] Vector multiply(const Vector& x) const;
  [[nodiscard]] std::uint32_t dram_byte(unsigned port, std::uint64_t address) const;
  [[nodiscard]] Vector read_dram(unsigned port, std::uint64_t address) const;
  void write_dram(unsigned port, std::uint64_t address, const Vector& vector);

  const tcu::Architecture architecture_;
  const tcu::DataTypeInfo& type_;
  Widths widths_{};
  std::vector<Vector> local_, accumulators_, registers_;
  /// Executors of the DAIS blocks. The cycle models use another executor.
  std::vector<dais::FastPipelineExecutor> blocks_;
  std::vector<std::vector<std::int64_t>> tables_;
  std::array<Vector, 4> activation_;  ///< scale, offset, slope, limit
  std::deque<Vector> weights_;        ///< bias, then the weights of input 0, 1, ...
  std::array<FunctionalDram, 2> dram_;
  std::array<std::uint32_t, 2> dram_offset_{};
  Counts counts_;
  std::vector<DramRequest> requests_;
};

}  // namespace tactus
