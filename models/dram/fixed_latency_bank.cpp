#include "models/dram/fixed_latency_bank.h"

namespace tactus {
namespace {

constexpr std::uint64_t bank_bytes = std::uint64_t{1} << 32;

/// True if the bank has all bytes of an access.
bool bank_holds(std::uint64_t address, std::uint64_t bytes) {
  return address < bank_bytes && bytes <= bank_bytes - address;
}

}  // namespace

FixedLatencyBank::FixedLatencyBank(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name),
      // A request reaches the bank at the clock edge that ends the cycle of its handshake. One
      // cycle of the latency has passed then, so the bank adds one cycle less.
      read_delay_(config.period * static_cast<double>(config.read_latency - 1)),
      write_delay_(config.period * static_cast<double>(config.write_latency - 1)) {
  socket.register_b_transport(this, &FixedLatencyBank::b_transport);
  socket.register_nb_transport_fw(this, &FixedLatencyBank::nb_transport_fw);
  socket.register_get_direct_mem_ptr(this, &FixedLatencyBank::get_direct_mem_ptr);
  socket.register_transport_dbg(this, &FixedLatencyBank::transport_dbg);
}

bool FixedLatencyBank::access(tlm::tlm_generic_payload& transaction) {
  const unsigned length = transaction.get_data_length();
  if (!bank_holds(transaction.get_address(), length)) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  const auto address = static_cast<std::uint32_t>(transaction.get_address());
  if (transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return false;
  }
  if (transaction.is_read()) {
    memory_.read(address, transaction.get_data_ptr(), length);
  } else if (transaction.is_write()) {
    memory_.write(address, transaction.get_data_ptr(), length);
  } else {
    transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return false;
  }
  transaction.set_dmi_allowed(memory_.page(address).bytes != nullptr);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

void FixedLatencyBank::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const bool write = transaction.is_write();
  if (access(transaction)) delay += write ? write_delay_ : read_delay_;
}

tlm::tlm_sync_enum FixedLatencyBank::nb_transport_fw(tlm::tlm_generic_payload& transaction,
                                                     tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
  // The time of the answer is known now. Early completion with an annotated delay saves kernel
  // events.
  b_transport(transaction, delay);
  return tlm::TLM_COMPLETED;
}

/// Grants direct access to one page of the memory. Pages keep their location.
bool FixedLatencyBank::get_direct_mem_ptr(tlm::tlm_generic_payload& transaction,
                                          tlm::tlm_dmi& dmi) {
  if (!bank_holds(transaction.get_address(), 1)) return false;
  const SparseMemory::Page page =
      memory_.page(static_cast<std::uint32_t>(transaction.get_address()));
  if (page.bytes == nullptr) return false;
  dmi.set_dmi_ptr(page.bytes);
  dmi.set_start_address(page.address);
  dmi.set_end_address(page.address + SparseMemory::page_bytes - 1);
  dmi.set_read_latency(read_delay_);
  dmi.set_write_latency(write_delay_);
  dmi.allow_read_write();
  return true;
}

unsigned FixedLatencyBank::transport_dbg(tlm::tlm_generic_payload& transaction) {
  return access(transaction) ? transaction.get_data_length() : 0;
}

}  // namespace tactus
