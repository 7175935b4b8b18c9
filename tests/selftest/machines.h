// Machines for the self-tests: correct ones, and ones with a faulty memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/selftest/tcu/selftest.h"
#include "isa/tcu/architecture.h"
#include "models/dram/sparse_memory.h"

namespace tactus {

/// Returns a machine with an architecture of configs/arch.
inline TcuSimulationConfig preset(const std::string& name, unsigned axi_data_bits = 64) {
  TcuSimulationConfig config;
  config.architecture =
      tcu::read_architecture(TACTUS_SOURCE_DIR "/configs/arch/" + name + ".tarch");
  config.axi_data_bits = axi_data_bits;
  return config;
}

/// Returns a machine whose four memories have the same depth.
inline TcuSimulationConfig uniform(tcu::DataType type, std::uint32_t array_size,
                                   std::uint64_t depth, unsigned axi_data_bits) {
  TcuSimulationConfig config;
  tcu::Architecture& a = config.architecture;
  a.data_type = type;
  a.array_size = array_size;
  a.dram0_depth = a.dram1_depth = a.local_depth = a.accumulator_depth = depth;
  config.axi_data_bits = axi_data_bits;
  return config;
}

/// Returns the names of the tests with this result, in order, separated by blanks.
inline std::string names(const std::vector<SelftestResult>& results, SelftestStatus status) {
  std::string list;
  for (const SelftestResult& result : results) {
    if (result.status == status) list += (list.empty() ? "" : " ") + result.name;
  }
  return list;
}

/// Returns "name: detail" of every failed test, one per line.
inline std::string failures(const std::vector<SelftestResult>& results) {
  std::string text;
  for (const SelftestResult& result : results) {
    if (result.status == SelftestStatus::failed) text += result.name + ": " + result.detail + "\n";
  }
  return text;
}

/// A fault of a memory. It affects the machine's accesses, but not the host's debug accesses.
struct Fault {
  std::uint32_t address_and = 0xFFFFFFFF;  ///< bits missing here are stuck at 0
  std::function<void(std::uint8_t*data, unsigned length)> on_read, on_write;
  bool silent = false;  ///< the memory never responds
};

class FaultyBank final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<FaultyBank> socket{"socket"};

  FaultyBank(const sc_core::sc_module_name& name, Fault fault)
      : sc_module(name), fault_(std::move(fault)) {
    socket.register_nb_transport_fw(this, &FaultyBank::nb_transport_fw);
    socket.register_transport_dbg(this, &FaultyBank::transport_dbg);
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) {
    if (fault_.silent) {
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    std::uint8_t* data = transaction.get_data_ptr();
    const unsigned length = transaction.get_data_length();
    const auto address = static_cast<std::uint32_t>(transaction.get_address()) & fault_.address_and;
    if (transaction.is_read()) {
      memory_.read(address, data, length);
      if (fault_.on_read) fault_.on_read(data, length);
    } else {
      if (fault_.on_write) fault_.on_write(data, length);
      memory_.write(address, data, length);
    }
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) {
    const auto address = static_cast<std::uint32_t>(transaction.get_address());
    if (transaction.is_read()) {
      memory_.read(address, transaction.get_data_ptr(), transaction.get_data_length());
    } else {
      memory_.write(address, transaction.get_data_ptr(), transaction.get_data_length());
    }
    return transaction.get_data_length();
  }

  Fault fault_;
  SparseMemory memory_;
};

/// Uses a faulty memory at one port and a correct one of the same kind at the other.
inline MemoryFactory faulty_memory(unsigned faulty_port, Fault fault) {
  return [faulty_port, fault](unsigned port, AxiSlave& slave) {
    auto bank = std::make_unique<FaultyBank>(port == 0 ? "bank0" : "bank1",
                                             port == faulty_port ? fault : Fault{});
    slave.socket.bind(bank->socket);
    return bank;
  };
}

}  // namespace tactus
