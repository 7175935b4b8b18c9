#include "tests/support/protocol_checker.h"

#include <algorithm>

namespace tactus {
namespace {

using sc_core::sc_time;

sc_time effective(const sc_time& delay) { return sc_core::sc_time_stamp() + delay; }

}  // namespace

ProtocolChecker::Transaction& ProtocolChecker::begin(Payload& payload, bool blocking) {
  ++accesses_;
  expect(payload.get_data_ptr() != nullptr, "14.11 e", "no data pointer");
  expect(payload.get_data_length() != 0, "14.12 d", "a data length of 0");
  expect(payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_length() != 0,
         "14.14 f", "byte enables of length 0");
  expect(payload.get_streaming_width() != 0, "14.15 f", "a streaming width of 0");
  expect(!payload.is_dmi_allowed(), "14.16", "a request with the DMI hint set");
  expect(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "14.17 e",
         "a request with a response status");
  expect(payload.get_gp_option() == tlm::TLM_MIN_PAYLOAD, "14.8 g", "a request with an option");
  if (payload.has_mm()) {
    expect(payload.get_ref_count() > 0, "14.5 t", "a request with a reference count of 0");
  }
  const auto old = transactions_.find(&payload);
  expect(old == transactions_.end(),
         old != transactions_.end() && old->second.blocking != blocking ? "15.2.10 c" : "15.2.4",
         "a request while the transaction is under way");
  Transaction& transaction = transactions_[&payload];
  transaction = {};
  transaction.blocking = blocking;
  transaction.command = payload.get_command();
  transaction.data = payload.get_data_ptr();
  transaction.enables = payload.get_byte_enable_ptr();
  transaction.length = payload.get_data_length();
  transaction.enable_length = payload.get_byte_enable_length();
  transaction.width = payload.get_streaming_width();
  if (payload.is_write()) {
    transaction.bytes.assign(transaction.data, transaction.data + transaction.length);
  }
  return transaction;
}

void ProtocolChecker::expect_unchanged(const Payload& payload) {
  const auto found = transactions_.find(&payload);
  if (found == transactions_.end()) return;
  const Transaction& t = found->second;
  const bool same = payload.get_command() == t.command && payload.get_data_ptr() == t.data &&
                    payload.get_data_length() == t.length &&
                    payload.get_byte_enable_ptr() == t.enables &&
                    payload.get_byte_enable_length() == t.enable_length &&
                    payload.get_streaming_width() == t.width;
  expect(same, "14.7", "an attribute has changed in a transaction");
  if (!same || t.bytes.empty()) return;
  expect(std::equal(t.bytes.begin(), t.bytes.end(), t.data), "14.7",
         "the data of a write has changed in a transaction");
}

void ProtocolChecker::expect_managed(const Payload& payload) {
  expect(payload.has_mm(), "14.5 i", "a non-blocking call without a memory manager");
  expect(payload.get_ref_count() > 0, "14.5 t", "a non-blocking call with a reference count of 0");
}

void ProtocolChecker::pass_time(const Payload& payload, const sc_time& delay) {
  const auto found = transactions_.find(&payload);
  if (found == transactions_.end()) return;
  expect(effective(delay) >= found->second.time, "15.2.7 c", "the time of a call decreases");
  found->second.time = effective(delay);
}

void ProtocolChecker::request_ends(const Payload& payload) {
  if (request_ == &payload) request_ = nullptr;
}

void ProtocolChecker::response_begins(const Payload& payload) {
  request_ends(payload);
  expect(response_ == nullptr, "15.2.6 f", "BEGIN_RESP before the END_RESP of another");
  response_ = &payload;
  expect(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "14.17",
         "a response without a status");
}

void ProtocolChecker::response_ends(const Payload& payload) {
  if (response_ == &payload) response_ = nullptr;
  end(payload);
}

void ProtocolChecker::end(const Payload& payload) { transactions_.erase(&payload); }

void ProtocolChecker::backward(const Payload& payload, unsigned phase) {
  const auto found = transactions_.find(&payload);
  const unsigned before =
      found == transactions_.end() ? tlm::UNINITIALIZED_PHASE : found->second.phase;
  switch (phase) {
    case tlm::END_REQ:
      expect(before == tlm::BEGIN_REQ, "15.2.4", "END_REQ without BEGIN_REQ before it");
      request_ends(payload);
      break;
    case tlm::BEGIN_RESP:
      expect(before == tlm::BEGIN_REQ || before == tlm::END_REQ, "15.2.4",
             "BEGIN_RESP without a request before it");
      response_begins(payload);
      break;
    default:
      if (phase <= tlm::END_RESP)
        expect(false, "15.2.3 c", "the target gives an initiator's phase");
      return;  // phases beyond the base protocol are ignored
  }
  if (found != transactions_.end()) found->second.phase = phase;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_time& delay) {
  expect_managed(payload);
  const unsigned given = phase;
  if (given == tlm::BEGIN_REQ) {
    expect(request_ == nullptr, "15.2.6 e", "BEGIN_REQ before the END_REQ of another");
    begin(payload, false).phase = given;
    request_ = &payload;
  } else if (given == tlm::END_RESP) {
    const auto found = transactions_.find(&payload);
    expect(found != transactions_.end() && found->second.phase == tlm::BEGIN_RESP, "15.2.4",
           "END_RESP without BEGIN_RESP before it");
    if (response_ == &payload) response_ = nullptr;
  } else if (given <= tlm::END_RESP) {
    expect(false, "15.2.3 c", "the initiator gives a target's phase");
  }
  pass_time(payload, delay);
  const bool managed = payload.has_mm();
  if (managed) payload.acquire();  // it must exist when the call returns
  const tlm::tlm_sync_enum status = out->nb_transport_fw(payload, phase, delay);
  expect_unchanged(payload);
  if (given == tlm::END_RESP) {
    end(payload);
  } else if (status == tlm::TLM_UPDATED) {
    pass_time(payload, delay);
    backward(payload, phase);
  } else if (status == tlm::TLM_COMPLETED) {
    pass_time(payload, delay);
    expect(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "14.17",
           "a transaction is completed without a status");
    request_ends(payload);
    end(payload);
  }
  if (managed) payload.release();
  return status;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_time& delay) {
  expect_managed(payload);
  expect_unchanged(payload);
  pass_time(payload, delay);
  const unsigned given = phase;
  backward(payload, given);
  const bool managed = payload.has_mm();
  if (managed) payload.acquire();
  const tlm::tlm_sync_enum status = in->nb_transport_bw(payload, phase, delay);
  expect_unchanged(payload);
  if (status == tlm::TLM_UPDATED) {
    pass_time(payload, delay);
    expect(phase == tlm::END_RESP && given == tlm::BEGIN_RESP, "15.2.4",
           "the initiator returns another phase than END_RESP after BEGIN_RESP");
    response_ends(payload);
  } else if (status == tlm::TLM_COMPLETED) {
    pass_time(payload, delay);
    expect(given == tlm::BEGIN_RESP, "15.2.4", "the initiator completes before the response");
    response_ends(payload);
  }
  if (managed) payload.release();
  return status;
}

void ProtocolChecker::b_transport(Payload& payload, sc_time& delay) {
  expect(sc_core::sc_get_current_process_handle().proc_kind() != sc_core::SC_METHOD_PROC_,
         "11.1.1.4 b", "b_transport is called from a method");
  begin(payload, true).time = effective(delay);
  out->b_transport(payload, delay);
  expect_unchanged(payload);
  pass_time(payload, delay);
  expect(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "14.17",
         "b_transport returns without a status");
  end(payload);
}

unsigned ProtocolChecker::transport_dbg(Payload& payload) {
  expect(payload.get_data_length() == 0 || payload.get_data_ptr() != nullptr, "11.3.4 l",
         "a debug access without a data pointer");
  const unsigned count = out->transport_dbg(payload);
  expect(count <= payload.get_data_length(), "11.3.4 s", "a debug access of more bytes than asked");
  return count;
}

bool ProtocolChecker::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
  expect(dmi.get_dmi_ptr() == nullptr && dmi.is_none_allowed() && dmi.get_start_address() == 0 &&
             dmi.get_end_address() == ~sc_dt::uint64{0},
         "11.2.5", "a DMI descriptor that is not initialised");
  const bool granted = out->get_direct_mem_ptr(payload, dmi);
  if (!granted) return false;
  const sc_dt::uint64 address = payload.get_address();
  expect(dmi.get_dmi_ptr() != nullptr && !dmi.is_none_allowed(), "11.2.5 f",
         "DMI is granted without a pointer or a right");
  expect(dmi.get_start_address() <= address && address <= dmi.get_end_address(), "11.2.5 u",
         "DMI is granted for another region");
  return granted;
}

}  // namespace tactus
