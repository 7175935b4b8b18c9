// Registers of the AXI units; see models/sim/fast/registers.h.
#include "models/axi/axi_registers.h"
#include "models/axi/axi_queue.h"
#include "models/axi/axi_slave.h"
#include "models/axi/boundary_splitter.h"
#include "models/sim/bytes.h"

namespace tactus {

void AxiQueue::registers(Registers& r) {
  const unsigned beat_bytes = beat_bytes_;
  r.items(ar_, [&](AxiAddress& a) { axi_registers(r, a, beat_bytes); });
  r.items(aw_, [&](AxiAddress& a) { axi_registers(r, a, beat_bytes); });
  w_.registers(r);
  r_.registers(r);
  r.items(b_, [](AxiResponse&) {});
}

void BoundarySplitter::registers(Registers& r) {
  for (Channel* channel : {&reads_, &writes_}) {
    r.items(channel->lengths, [&](unsigned& length) { r(length); });
    r(channel->beats_issued);
    channel->fork.registers(r);
    r.count_of_burst(channel->beats_passed,
                     channel->lengths.empty() ? 0 : channel->lengths.front());
  }
  r.items(keep_response_, [&](std::uint8_t& keep) { r(keep); });
}

void AxiSlave::registers(Registers& r) {
  if (r.loads()) {
    for (Bursts* bursts : {&reads_, &writes_, &data_}) drop(*bursts);
    if (collecting_ != nullptr) collecting_->release();
    requests_.clear();
  }
  const auto burst = [&](Burst*& b) {
    if (r.loads()) b = new_burst();
    r(b->beats);
    r.count_of_burst(b->collected, b == collecting_ ? most_beats : 0U);
    r.count_of_burst(b->next_beat, b->beats);
    r.time(b->available);
  };
  r.items(reads_, burst);
  r.items(writes_, burst);
  r.items(data_, burst);
  // Where a burst goes decides nothing here.
  r.items(addresses_, [&](AxiAddress& a) { r(a.length); });
  bool collects = collecting_ != nullptr;
  r(collects);
  if (r.loads()) collecting_ = nullptr;
  if (collects) burst(collecting_);
  r(in_flight_.reads);
  r(in_flight_.write_addresses);
  r(in_flight_.write_data);
  r.time(room_from_);
  r.time(takes_data_from_);
  account_.registers(r);
}

template <typename Move>
void AxiSlave::access_now(std::uint32_t address, std::size_t count, bool writes, const Move& move) {
  constexpr std::size_t piece = 4096;  // no page of a memory that grants direct access is smaller
  for (std::size_t done = 0; done < count;) {
    const auto from = static_cast<std::uint32_t>(address + done);
    const std::size_t now = std::min(count - done, piece - from % piece);
    std::uint8_t* bytes = direct_.at(from, now);
    if (bytes != nullptr) {
      move(bytes, done, now);
    } else {
      tlm::tlm_generic_payload access;
      std::array<std::uint8_t, piece> buffer;
      access.set_command(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      access.set_address(from);
      access.set_data_ptr(buffer.data());
      access.set_data_length(static_cast<unsigned>(now));
      access.set_streaming_width(static_cast<unsigned>(now));
      tlm::tlm_dmi dmi;
      if (socket->get_direct_mem_ptr(access, dmi) && dmi.is_read_write_allowed()) {
        direct_.bytes = dmi.get_dmi_ptr();
        direct_.address = dmi.get_start_address();
        direct_.size = dmi.get_end_address() - dmi.get_start_address() + 1;
        if (direct_.at(from, now) != nullptr) continue;
      }
      if (writes) move(buffer.data(), done, now);
      socket->transport_dbg(access);
      if (!writes) move(buffer.data(), done, now);
    }
    done += now;
  }
}

void AxiSlave::read_now(std::uint32_t address, std::uint8_t* bytes, std::size_t count) {
  access_now(address, count, false,
             [bytes](const std::uint8_t* from, std::size_t at, std::size_t length) {
               copy_block(bytes + at, from, length);
             });
}

void AxiSlave::write_now(std::uint32_t address, const std::uint8_t* bytes, std::size_t count) {
  access_now(address, count, true, [bytes](std::uint8_t* to, std::size_t at, std::size_t length) {
    copy_block(to, bytes + at, length);
  });
}

}  // namespace tactus
