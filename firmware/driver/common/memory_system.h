// The board's memory as modules: a path behind the slave of each of a machine's ports, one memory
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

/// What a path is made of. Throws UserError for clocks that do not meet.
[[nodiscard]] PathConfig path_config(const BoardValues& board, const MemoryPath& path,
                                     std::uint64_t base, unsigned access_bytes);
/// The same for that of a DRAM port.
[[nodiscard]] PathConfig path_config(const BoardValues& board, unsigned port,
                                     unsigned access_bytes);

class MemorySystem {
 public:
  /// `board` has a memory. `ports`: for each port of the machine, the board's DRAM port whose path
  /// and base it has. `with_stream`: the board's "stream", which it then has, is wanted too.
  /// Without it the memory is pulled (models/sim/pulled_memory.h) by the slaves that are attached.
  MemorySystem(const BoardValues& board, const DdrConfig& ddr, const std::vector<unsigned>& ports,
               Clock& clock, bool with_stream = false);

  /// Binds the slave of a machine's port to its path, and lets it keep an account of this name of
  /// what its waiting goes into. Once for each port, during elaboration.
  void attach(unsigned port, AxiSlave& slave, const char* account);

  /// The same for what reads the instruction stream, of a memory with the stream.
  void attach(StreamReader& reader);

  /// Counts since the machine was made.
  [[nodiscard]] DdrFigures figures();

  /// Banks, commands and queues as signals of a unit "memory" in this scope.
  void describe(const trace::Scope& scope);

  [[nodiscard]] DdrController& controller() { return controller_; }
  [[nodiscard]] const DdrController& controller() const { return controller_; }
  [[nodiscard]] const PortPath& path(unsigned port) const { return *paths_[port]; }

 private:
  std::vector<std::unique_ptr<PortPath>> paths_;
  std::unique_ptr<PortPath> stream_path_;  ///< null: the stream does not come from here
  const StreamReader* stream_reader_ = nullptr;
  DdrController controller_;
  const Clock& clock_;
  std::unique_ptr<DdrHistory> history_;  ///< null until somebody looks at signals
};

}  // namespace tactus
