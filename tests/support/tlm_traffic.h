// An initiator of random traffic over TLM-2.0's base protocol, for tests of targets: both
// transports, any length and alignment, byte enables, annotated delays, and every way to end a
// response. It compares the data of each read with what was written.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "tests/support/random_program.h"

namespace tactus {

class TlmTraffic final : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  using SC_CURRENT_USER_MODULE = TlmTraffic;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<TlmTraffic> socket{"socket"};

  /// Uses the bytes [base, base + slots * slot_bytes) of the target, which are 0 at first.
  static constexpr unsigned slots = 16, slot_bytes = 6000;
  TlmTraffic(const sc_core::sc_module_name& name, std::uint64_t seed, std::uint64_t base,
             unsigned accesses)
      : sc_module(name), random_(seed), base_(base), to_send_(accesses), to_call_(accesses) {
    socket.register_nb_transport_bw(this, &TlmTraffic::nb_transport_bw);
    for (auto& bytes : expected_) bytes.assign(slot_bytes, 0);
    SC_THREAD(send);
    for (int i = 0; i < 3; ++i) {
      sc_core::sc_spawn([this] { call(); }, sc_core::sc_gen_unique_name("call"));
    }
  }
  [[nodiscard]] unsigned done() const { return done_; }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Access : tlm::tlm_generic_payload {
    unsigned slot = 0, offset = 0;
    std::vector<std::uint8_t> bytes, enables;
  };

  [[nodiscard]] sc_core::sc_time some_time(std::uint64_t most_ns) {
    return sc_core::sc_time(static_cast<double>(random_.below(most_ns * 1000 + 1)), sc_core::SC_PS);
  }
  /// Returns an access to a slot that no other access uses, or null.
  Access* draw() {
    const auto slot = static_cast<unsigned>(random_.below(slots));
    if (busy_[slot]) return nullptr;
    busy_[slot] = true;
    if (free_.empty()) {
      free_.push_back(all_.emplace_back(std::make_unique<Access>()).get());
      free_.back()->set_mm(this);
    }
    Access& access = *free_.back();
    free_.pop_back();
    const unsigned most = random_.chance(80) ? 200 : slot_bytes;
    const auto length = static_cast<unsigned>(random_.range(1, most));
    access.slot = slot;
    access.offset = static_cast<unsigned>(random_.below(slot_bytes - length + 1));
    if (random_.chance(40)) access.offset -= access.offset % 64;
    access.bytes.resize(length);
    access.enables.clear();
    if (random_.chance(30)) {
      access.enables.resize(random_.range(1, length));
      for (std::uint8_t& e : access.enables) e = random_.chance(50) ? 0xff : 0;
    }
    access.set_command(random_.chance(50) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    for (std::uint8_t& byte : access.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
    access.set_address(base_ + std::uint64_t{slot} * slot_bytes + access.offset);
    access.set_data_ptr(access.bytes.data());
    access.set_data_length(length);
    access.set_streaming_width(length);
    access.set_byte_enable_ptr(access.enables.empty() ? nullptr : access.enables.data());
    access.set_byte_enable_length(static_cast<unsigned>(access.enables.size()));
    access.set_dmi_allowed(false);
    access.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    access.acquire();
    return &access;
  }
  void finish(Access& access) {
    if (!access.is_response_ok()) faults_.push_back(access.get_response_string());
    std::vector<std::uint8_t>& expected = expected_[access.slot];
    for (std::size_t i = 0; i < access.bytes.size(); ++i) {
      const bool enabled =
          access.enables.empty() || access.enables[i % access.enables.size()] == 0xff;
      if (!enabled) continue;
      std::uint8_t& byte = expected[access.offset + i];
      if (access.is_write()) byte = access.bytes[i];
      if (byte != access.bytes[i]) {
        faults_.push_back("a read returns other data than was written");
        break;
      }
    }
    busy_[access.slot] = false;
    ++done_;
    access.release();
  }
  void call() {
    while (to_call_ > 0) {
      wait(some_time(300));
      Access* access = to_call_ > 0 ? draw() : nullptr;
      if (access == nullptr) continue;
      --to_call_;
      sc_core::sc_time delay = random_.chance(50) ? some_time(100) : sc_core::SC_ZERO_TIME;
      socket->b_transport(*access, delay);
      wait(delay);
      finish(*access);
    }
  }
  void send() {
    while (to_send_ > 0) {
      wait(random_.chance(50) ? some_time(20) : some_time(300));
      Access* access = draw();
      if (access == nullptr) continue;
      --to_send_;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = random_.chance(50) ? some_time(50) : sc_core::SC_ZERO_TIME;
      request_open_ = true;
      const tlm::tlm_sync_enum status = socket->nb_transport_fw(*access, phase, delay);
      if (status == tlm::TLM_COMPLETED ||
          (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
        request_open_ = false;
        if (status == tlm::TLM_UPDATED) {
          phase = tlm::END_RESP;
          socket->nb_transport_fw(*access, phase, delay);
        }
        finish(*access);
      } else if (status == tlm::TLM_UPDATED) {
        request_open_ = false;
      }
      while (request_open_) wait(request_ended_);
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
      request_open_ = false;
      request_ended_.notify(delay);
    }
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    auto& access = static_cast<Access&>(payload);
    const std::uint64_t way = random_.below(3);
    if (way == 0) {
      finish(access);
      return tlm::TLM_COMPLETED;
    }
    if (way == 1) {
      phase = tlm::END_RESP;
      delay += some_time(30);
      finish(access);
      return tlm::TLM_UPDATED;
    }
    sc_core::sc_spawn([this, &access, time = delay + some_time(30)] { end(access, time); },
                      sc_core::sc_gen_unique_name("end"));
    return tlm::TLM_ACCEPTED;
  }
  void end(Access& access, const sc_core::sc_time& time) {
    wait(time);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(access, phase, delay);
    finish(access);
  }
  void free(tlm::tlm_generic_payload* payload) override {
    free_.push_back(static_cast<Access*>(payload));
  }

  Random random_;
  const std::uint64_t base_;
  unsigned to_send_, to_call_, done_ = 0;
  std::array<bool, slots> busy_{};
  std::array<std::vector<std::uint8_t>, slots> expected_;
  bool request_open_ = false;
  sc_core::sc_event request_ended_;
  std::vector<std::unique_ptr<Access>> all_;
  std::vector<Access*> free_;
  std::vector<std::string> faults_;
};

}  // namespace tactus
