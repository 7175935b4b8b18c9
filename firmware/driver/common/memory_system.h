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
#include "models/sim/turns.h"

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
  /// What is at the path of the board's "stream", which must exist unless it is `nothing`.
  enum class Stream { nothing, reader, initiator };
  [[nodiscard]] static Stream stream_of(const BoardValues& board) {
    return board.stream_model == StreamModel::board ? Stream::reader : Stream::nothing;
  }

  /// Makes the memory of one machine. Precondition: `board` has a memory. `ports` gives, for each
  /// port of the machine, the board's DRAM port whose path and base it uses. The machine pulls the
  /// memory (models/sim/pulled_memory.h), unless the stream has an initiator of its own.
  MemorySystem(const BoardValues& board, const DdrConfig& ddr, const std::vector<unsigned>& ports,
               Clock& clock, Stream stream = Stream::nothing);
  /// Makes the memory of several machines on a board, which take turns (models/sim/turns.h). Call
  /// add_machine() for each of them, in order.
  MemorySystem(const BoardValues& board, const DdrConfig& ddr, const std::vector<unsigned>& ports,
               Stream stream, unsigned machines);
  /// Makes the paths of a machine; `board` has the bases of its ports. Returns the number of its
  /// first port.
  unsigned add_machine(const BoardValues& board, Clock& clock);

  /// Connects the slave of a machine's port to its path. The slave then keeps an account, named
  /// `account`, of the time that it waits. Call attach() once for each port, during elaboration.
  void attach(unsigned port, AxiSlave& slave, const char* account);

  /// What a machine among several needs to take its turns. Machines are numbered as they were
  /// added.
  [[nodiscard]] Turn& turn(unsigned machine) { return *clocks_[machine]->turn; }

  /// Keeps account of whose accesses each party waits for, in figures(), from now on. With several
  /// machines each is a party at first.
  void set_parties(unsigned parties) { controller_.set_parties(parties); }
  /// Sets the party that a machine's accesses belong to from now on.
  void set_party(unsigned machine, unsigned party);

  /// Call before the host of a machine with this clock accesses the memory. If others share it, it
  /// has then done what is due in the present cycle.
  void settle(const Clock& clock) const;

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
  /// The controller's ports, and whose turn it is.
  struct ControllerPorts {
    std::vector<unsigned> numbers;  ///< of each socket
    DdrArbitration arbitration;
  };

  MemorySystem(const ControllerPorts& controller, const DdrConfig& ddr,
               const std::vector<unsigned>& ports, Stream stream, unsigned machines, bool shared);
  [[nodiscard]] static ControllerPorts controller_ports(const BoardValues& board,
                                                        const std::vector<unsigned>& ports,
                                                        Stream stream, unsigned machines);
  /// The latest time, in units of sc_time, to which a machine pulls the memory in this cycle.
  [[nodiscard]] std::uint64_t latest_pull(const Clock& clock) const;

  const std::vector<unsigned> ports_;  ///< the board's DRAM port for each port of a machine
  const Stream stream_;
  const bool pulled_;  ///< all initiators pull the memory
  const bool shared_;  ///< the memory is made for machines that take turns
  std::vector<std::unique_ptr<PortPath>> paths_, streams_;  ///< paths of all machines
  std::vector<const StreamReader*> readers_;
  DdrController controller_;
  sc_core::sc_time lookahead_ = sc_core::sc_max_time();  ///< shortest lookahead of all paths
  std::vector<Clock*> clocks_;                           ///< of all machines
  Turns turns_{controller_};
  std::unique_ptr<DdrHistory> history_;  ///< null until signals are requested
};

}  // namespace tactus
