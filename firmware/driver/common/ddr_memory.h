// The memory of a board as one SystemC module: the paths of its ports, the memory controller and
// the DRAM, behind sockets of TLM-2.0's base protocol.
//
// Each socket is one port, with a path of its own (models/axi/port_path.h); all paths lead to one
// controller (models/dram/ddr_controller.h). Any initiator can be bound: a CPU, a bus, a TcuDevice.
//
//   b_transport      waits for the annotated delay and for the answer, and returns a delay of 0.
//                    Several calls may be under way at a port.
//   nb_transport_fw  four phases. BEGIN_REQ returns END_REQ (TLM_UPDATED). BEGIN_RESP comes on the
//                    backward path at the time of the answer, one at a time for each socket.
//   transport_dbg    reads or writes the bytes that the DRAM has now, without time.
//   DMI              is refused.
//
// A request has any address and length, and may have byte enables. The path works on whole beats,
// so a request is divided into bursts of beats, which end at multiples of 4 KB. A read is answered
// when its last beat has come back. The data of a write is at the port when the request is; it is
// answered when the write response of its last burst has come back. Requests with BeatTimes
// (models/axi/beat_times.h), an extension that other initiators may leave out, also learn the time
// of each beat, if the request is one burst of whole beats.
//
// A request that is refused is answered at once (TLM_COMPLETED), without effect: a command that is
// neither read nor write (command error), bytes beyond the DRAM or 4 GB (address error), no bytes
// or a streaming width below the length (burst error).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "isa/dram/ddr_config.h"
#include "models/axi/path_config.h"
#include "models/dram/ddr_statistics.h"
#include "models/dram/sparse_memory.h"

namespace tactus {

class AxiSlave;
class DdrController;

class DdrMemory final : public sc_core::sc_module {
 public:
  struct Port {
    std::string name;         ///< name of the port's module, which has its socket
    sc_core::sc_time period;  ///< period of the initiator's clock, which PathConfig refers to
    unsigned beat_bytes = 8;  ///< width of the initiator's bus in bytes; a power of two, 4..128
    PathConfig path;          ///< `base` is the DRAM's byte at address 0 of the socket
    unsigned controller_port = 0;
  };
  struct Config {
    DdrConfig ddr;
    std::vector<Port> ports;
  };

  /// Throws UserError for a width that is not supported and times that the time resolution cannot
  /// hold.
  DdrMemory(const sc_core::sc_module_name& name, const Config& config);
  ~DdrMemory() override;

  /// The sockets are numbered as the configuration's ports. Each of them must be bound.
  [[nodiscard]] tlm::tlm_target_socket<>& socket(std::size_t port);
  /// Binds a DRAM port of a TcuDevice (TcuDevice::slave()) to a port that no other initiator uses
  /// and that has the period and width of the device. Write data then arrives beat by beat, so that
  /// programs take the cycles of `tactus run --memory board`, and the slave keeps an account, named
  /// `account`, of the time that it waits.
  void attach(std::size_t port, AxiSlave& slave, const char* account);

  /// Statistics of controller and DRAM up to the present.
  [[nodiscard]] const DdrStatistics& statistics();
  /// The bytes of the DRAM.
  [[nodiscard]] SparseMemory& memory();

 private:
  class Inlet;
  std::unique_ptr<DdrController> controller_;
  std::vector<std::unique_ptr<Inlet>> inlets_;
};

}  // namespace tactus
