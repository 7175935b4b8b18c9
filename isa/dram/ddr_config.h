// Parameters of one DRAM channel and its controller, as in a file of configs/dram.
//
// Times are whole clocks of the DRAM (tCK). Data is transferred twice per clock, so a burst of BL
// occupies the bus for BL/2 clocks. One rank. Names of timings are JEDEC's: t_rcd is tRCD.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/parameter.h"

namespace tactus {

enum class DdrScheduler {
  fifo,    ///< a bank serves its accesses in order; banks are independent
  frfcfs,  ///< first-ready, first-come: row hits first within a bank, then the oldest
};

enum class DdrPagePolicy {
  open,     ///< a row stays open until another row of the bank is needed, or a refresh
  closed,   ///< every access precharges its bank afterwards
  timeout,  ///< a row is closed after page_timeout clocks without an access to its bank
};

enum class DdrRefresh { all_bank, none };

struct DdrConfig {
  // Geometry. A column is bus_bits wide.
  unsigned bus_bits = 64;
  unsigned burst_length = 8;  ///< columns per access
  unsigned bank_groups = 1;
  unsigned banks = 8;  ///< banks per group
  std::uint64_t rows = 16384;
  unsigned columns = 1024;
  std::string address_map = "row_bank_column";  ///< a name or a list, see AddressMap
  bool bank_hash = false;                       ///< bank bits are XORed with the low row bits

  // Timings, clocks. DDR3-1600 by default.
  unsigned tck_ps = 1250;
  unsigned cl = 10;
  unsigned cwl = 8;
  unsigned t_rcd = 10;
  unsigned t_rp = 10;
  unsigned t_ras = 28;
  unsigned t_rc = 38;
  unsigned t_faw = 24;
  unsigned t_rrd_s = 5;
  unsigned t_rrd_l = 5;
  unsigned t_ccd_s = 4;
  unsigned t_ccd_l = 4;
  unsigned t_wr = 12;
  unsigned t_rtp = 6;
  unsigned t_wtr_s = 6;
  unsigned t_wtr_l = 6;
  unsigned t_turn = 2;  ///< idle clocks of the bus between read data and write data
  unsigned t_rfc = 88;
  unsigned t_refi = 6240;

  // Controller.
  DdrRefresh refresh = DdrRefresh::all_bank;
  DdrScheduler scheduler = DdrScheduler::frfcfs;
  unsigned cap = 16;  ///< frfcfs: an access passed over this often goes first; 0: no limit
  DdrPagePolicy page_policy = DdrPagePolicy::open;
  std::optional<std::uint64_t> page_timeout;  ///< clocks; only with DdrPagePolicy::timeout
  unsigned buffer = 32;  ///< accesses the scheduler chooses from; with read_priority: reads only
  bool read_priority = true;      ///< reads before writes, which have a buffer of their own
  unsigned write_buffer = 32;     ///< with read_priority: capacity, accesses
  unsigned write_high_mark = 24;  ///< writes go first when this many are waiting
  /// writes stop going first when no more than this many are waiting
  unsigned write_low_mark = 16;
  unsigned port_queue = 8;     ///< accesses a port holds in front of the scheduler
  unsigned xpi_interval = 1;   ///< clocks from one access of a port to its next
  unsigned command_delay = 1;  ///< clocks from an access's admission to its first command

  [[nodiscard]] unsigned burst_bytes() const { return bus_bits / 8 * burst_length; }
  [[nodiscard]] unsigned burst_clocks() const { return burst_length / 2; }
  [[nodiscard]] unsigned all_banks() const { return bank_groups * banks; }
  [[nodiscard]] std::uint64_t bytes() const {
    return std::uint64_t{bus_bits / 8} * columns * rows * all_banks();
  }
};

/// The table of parameters, one for each member of DdrConfig: key, range, unit, sentence.
[[nodiscard]] const ParameterTable<DdrConfig>& ddr_parameters();

/// A contradiction between values that are each in range: timings that do not fit together, address
/// bits that overlap or are missing.
struct DdrProblem {
  std::string key;
  std::string what;
};
[[nodiscard]] std::vector<DdrProblem> ddr_problems(const DdrConfig& config);

/// Adds these contradictions to the problems of `reader`, each with the path of its key. If a value
/// could not be read, no contradictions are added.
void check_ddr(const DdrConfig& config, ObjectReader& reader);

}  // namespace tactus
