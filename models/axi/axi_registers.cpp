// Registers of the AXI units; see models/sim/fast/registers.h.
#include "models/axi/axi_registers.h"
#include "models/axi/axi_queue.h"
#include "models/axi/axi_slave.h"
#include "models/axi/boundary_splitter.h"
#include "models/sim/bytes.h"

namespace tactus {
namespace {

/// Cuts a range at multiples of 4096 bytes and calls access(address, offset, count) for each piece.
/// Regions of direct access contain whole pages, so a piece lies inside or outside. Addresses wrap
/// at 32 bits.
template <typename Access>
void for_each_piece(std::uint32_t address, std::size_t count, const Access& access) {
  for (std::size_t done = 0; done < count;) {
    const auto from = static_cast<std::uint32_t>(address + done);
    const std::size_t length =
        std::min<std::size_t>(count - done, axi_page_bytes - from % axi_page_bytes);
    access(from, done, length);
    done += length;
  }
}

}  // namespace

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
    for (Bursts* bursts : {&reads_, &writes_, &data_}) Burst::drop(*bursts);
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
  // Only the length of a burst affects the slave's timing, not its address.
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

void AxiSlave::access_now(tlm::tlm_command command, std::uint32_t address, std::uint8_t* bytes,
                          std::size_t count) {
  const bool reads = command == tlm::TLM_READ_COMMAND;
  if (pulled_ != nullptr) {
    if (reads) return pulled_->read_now(base_ + address, bytes, count);
    return pulled_->write_now(base_ + address, bytes, count);
  }
  std::uint8_t* direct = direct_.at(socket_base_ + address, count);
  if (direct == nullptr) {
    tlm::tlm_generic_payload access;
    access.set_command(command);
    access.set_address(socket_base_ + address);
    access.set_data_ptr(bytes);
    access.set_data_length(static_cast<unsigned>(count));
    access.set_streaming_width(static_cast<unsigned>(count));
    tlm::tlm_dmi dmi;
    if (socket->get_direct_mem_ptr(access, dmi) && dmi.is_read_write_allowed()) {
      direct_.bytes = dmi.get_dmi_ptr();
      direct_.address = dmi.get_start_address();
      direct_.size = dmi.get_end_address() - dmi.get_start_address() + 1;
      direct = direct_.at(socket_base_ + address, count);
    }
    if (direct == nullptr) {
      socket->transport_dbg(access);
      return;
    }
  }
  if (reads) {
    copy_block(bytes, direct, count);
  } else {
    copy_block(direct, bytes, count);
  }
}

void AxiSlave::read_now(std::uint32_t address, std::uint8_t* bytes, std::size_t count) {
  for_each_piece(address, count, [&](std::uint32_t from, std::size_t done, std::size_t length) {
    access_now(tlm::TLM_READ_COMMAND, from, bytes + done, length);
  });
}

void AxiSlave::write_now(std::uint32_t address, const std::uint8_t* bytes, std::size_t count) {
  note_write(address, count);
  for_each_piece(address, count, [&](std::uint32_t from, std::size_t done, std::size_t length) {
    access_now(tlm::TLM_WRITE_COMMAND, from, const_cast<std::uint8_t*>(bytes) + done, length);
  });
}

}  // namespace tactus
