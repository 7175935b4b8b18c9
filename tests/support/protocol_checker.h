// A checker of TLM-2.0's base protocol between an initiator and a target. It passes all calls on
// and records every breach of the rules of IEEE 1666-2011 that one socket shows: clauses 11
// (calls), 14 (payload) and 15.2 (phases, exclusion, timing). A finding names the clause.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

namespace tactus {

class ProtocolChecker final : public sc_core::sc_module,
                              private tlm::tlm_fw_transport_if<>,
                              private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<> in{"in"};       ///< the initiator is bound here
  tlm::tlm_initiator_socket<> out{"out"};  ///< bound to the target

  explicit ProtocolChecker(const sc_core::sc_module_name& name) : sc_module(name) {
    in.bind(*this);
    out.bind(*this);
  }

  [[nodiscard]] const std::vector<std::string>& findings() const { return findings_; }
  [[nodiscard]] unsigned accesses() const { return accesses_; }  ///< begun with either transport
  [[nodiscard]] std::size_t open() const { return transactions_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  /// A transaction that has begun and not ended, with the attributes that must not change.
  struct Transaction {
    bool blocking = false;
    unsigned phase = tlm::UNINITIALIZED_PHASE;
    sc_core::sc_time time;  ///< of the last call or return
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    unsigned char *data = nullptr, *enables = nullptr;
    unsigned length = 0, enable_length = 0, width = 0;
    std::vector<unsigned char> bytes;  ///< of a write
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    in->invalidate_direct_mem_ptr(first, last);
  }

  void expect(bool holds, const char* clause, const char* what) {
    if (!holds) findings_.push_back(std::string(name()) + ": " + clause + ": " + what);
  }
  Transaction& begin(Payload& payload, bool blocking);
  void expect_unchanged(const Payload& payload);
  void expect_managed(const Payload& payload);
  /// A call or return in a transaction: its effective time must not decrease.
  void pass_time(const Payload& payload, const sc_core::sc_time& delay);
  void request_ends(const Payload& payload);
  void response_begins(const Payload& payload);
  void response_ends(const Payload& payload);
  void end(const Payload& payload);
  /// A phase that the target gives, by a call or a return.
  void backward(const Payload& payload, unsigned phase);

  std::map<const Payload*, Transaction> transactions_;
  const Payload* request_ = nullptr;   ///< between BEGIN_REQ and END_REQ
  const Payload* response_ = nullptr;  ///< between BEGIN_RESP and END_RESP
  std::vector<std::string> findings_;
  unsigned accesses_ = 0;
};

}  // namespace tactus
