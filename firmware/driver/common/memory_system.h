// The board's memory as modules: a path behind the slave of each port of a machine, and one memory
// controller.
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

/// Configuration of a path. Throws UserError for clocks whose ratio is not supported.
[[nodiscard]] PathConfig path_config(const BoardValues& board, const MemoryPath& path,
                                     std::uint64_t base, unsigned access_bytes);
/// Configuration of the path of a DRAM port.
[[nodiscard]] PathConfig path_config(const BoardValues& board, unsigned port,
                                     unsigned access_bytes);

class MemorySystem {
 public:
  /// Precondition: `board` has a memory. `ports` gives, for each port of the machine, the board's
  /// DRAM port whose path and base it uses. `with_stream` adds the path of the board's "stream",
  /// which must exist. Without it the attached slaves pull the memory (models/sim/pulled_memory.h).
  MemorySystem(const BoardValues& board, const DdrConfig& ddr, const std::vector<unsigned>& ports,
               Clock& clock, bool with_stream = false);

  /// Connects the slave of a machine's port to its path, and makes it keep an account, with this
  /// name, of its waiting time. Call once for each port, during elaboration.
  void attach(unsigned port, AxiSlave& slave, const char* account);

  /// Connects the reader of the instruction stream, for a memory with the stream.
  void attach(StreamReader& reader);
  /// Binds an initiator's socket to the stream's path, of a memory with the stream.
  void attach_stream(tlm::tlm_initiator_socket<>& socket) { socket.bind(stream_path_->socket); }

  /// Figures since the machine was made.
  [[nodiscard]] DdrFigures figures();

  /// Shows banks, commands and queues as signals of a unit "memory" in this scope.
  void describe(const trace::Scope& scope);

  [[nodiscard]] DdrController& controller() { return controller_; }
  [[nodiscard]] const DdrController& controller() const { return controller_; }
  [[nodiscard]] const PortPath& path(unsigned port) const { return *paths_[port]; }

 private:
  std::vector<std::unique_ptr<PortPath>> paths_;
  std::unique_ptr<PortPath> stream_path_;  ///< null: the stream does not come from this memory
  const StreamReader* stream_reader_ = nullptr;
  DdrController controller_;
  const Clock& clock_;
  std::unique_ptr<DdrHistory> history_;  ///< null until signals are requested
};

}  // namespace tactus
