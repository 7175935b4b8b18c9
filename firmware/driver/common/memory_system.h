// The board's memory as SystemC modules: a path behind the slave of each port of a machine, and one
// memory controller with its DRAM.
#pragma once

#include <memory>
#include <vector>

#include "firmware/driver/common/ddr_figures.h"
#include "isa/dram/ddr_config.h"
#include "isa/support/board_values.h"
#include "models/axi/axi_slave.h"
#include "models/axi/port_path.h"
#include "models/axi/stream_reader.h"
#include "models/dram/ddr_controller.h"
#include "models/dram/ddr_history.h"

namespace tactus {

/// Configuration of a path whose port begins at byte `base` of the DRAM. Throws UserError for
/// clocks whose ratio is not supported.
[[nodiscard]] PathConfig path_config(const BoardValues& board, const MemoryPath& path,
                                     std::uint64_t base, unsigned access_bytes);
/// Configuration of the path of a DRAM port.
[[nodiscard]] PathConfig path_config(const BoardValues& board, unsigned port,
                                     unsigned access_bytes);

class MemorySystem {
 public:
  /// Makes the memory of one machine. Precondition: `board` has a memory. `ports` gives, for each
  /// port of the machine, the board's DRAM port whose path and base it uses. `with_stream` adds the
  /// path of the board's "stream", which must exist. Without a stream the attached slaves pull the
  /// memory (models/sim/pulled_memory.h).
  MemorySystem(const BoardValues& board, const DdrConfig& ddr, const std::vector<unsigned>& ports,
               Clock& clock, bool with_stream = false);
  /// Makes the memory of several equal machines. Call add_machine() for each of them, in order.
  MemorySystem(const BoardValues& board, const DdrConfig& ddr, std::vector<unsigned> ports,
               bool with_stream, unsigned machines);
  /// Makes the paths of a machine; `board` has the bases of its ports. Returns the number of its
  /// first port.
  unsigned add_machine(const BoardValues& board, Clock& clock);

  /// Connects the slave of a machine's port to its path. The slave then keeps an account, named
  /// `account`, of the time that it waits. Call attach() once for each port, during elaboration.
  void attach(unsigned port, AxiSlave& slave, const char* account);

  /// Connects the reader of the instruction stream of the machine that was added last.
  void attach(StreamReader& reader);
  /// Binds an initiator's socket to the stream path of the machine that was added last.
  void attach_stream(tlm::tlm_initiator_socket<>& socket) { socket.bind(streams_.back()->socket); }

  /// Figures of all machines since the memory was made.
  [[nodiscard]] DdrFigures figures();

  /// Shows banks, commands and queues as signals of a unit "memory.ddr" in this scope.
  void describe(const trace::Scope& scope);

  [[nodiscard]] DdrController& controller() { return controller_; }
  [[nodiscard]] const DdrController& controller() const { return controller_; }
  [[nodiscard]] const PortPath& path(unsigned port) const { return *paths_[port]; }

 private:
  const std::vector<unsigned> ports_;  ///< the board's DRAM port for each port of a machine
  const bool with_stream_;
  /// True if slaves pull the memory: with one machine and without a stream.
  const bool pulled_;
  std::vector<std::unique_ptr<PortPath>> paths_, streams_;  ///< paths of all machines
  std::vector<const StreamReader*> readers_;
  DdrController controller_;
  sc_core::sc_time lookahead_ = sc_core::sc_max_time();  ///< shortest lookahead of all paths
  /// Clock of the machine that was added first.
  const Clock* clock_ = nullptr;
  std::unique_ptr<DdrHistory> history_;  ///< null until signals are requested
};

}  // namespace tactus
