// Rates of a traffic generator at one or two ports of the shipped boards, compared with HP ports of
// a real ZCU102 and a real Ultra96.
//
// The reference values were measured by K. Manev, A. Vaishnav, D. Koch ("Unexpected Diversity", FPT
// 2019): ns per burst of 128-bit beats at 300 MHz, with up to about 48 bursts in flight; DDR4-2133
// of 64 bits, LPDDR4-1066 of 32 bits. The paths and DRAMs are those in configs/boards. The ZCU102
// has the ZCU104's ports, and DDR4 of the same speed grade at 1066 MHz instead of 1050.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/driver/common/memory_system.h"
#include "models/axi/port_path.h"
#include "models/dram/ddr_controller.h"
#include "models/sim/kernel_scope.h"

namespace tactus {
namespace {

constexpr std::uint64_t period_ps = 3333;
constexpr unsigned beat_bytes = 16;
constexpr unsigned in_flight = 48;

/// Sends bursts one after the other, with up to `in_flight` bursts in flight.
class Generator final : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  using SC_CURRENT_USER_MODULE = Generator;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<Generator> socket{"socket"};

  Generator(const sc_core::sc_module_name& name, PortPath& path, bool writes, unsigned beats,
            std::uint64_t first_address)
      : sc_module(name), path_(path), writes_(writes), beats_(beats), address_(first_address) {
    socket.register_nb_transport_bw(this, &Generator::nb_transport_bw);
    socket.bind(path.socket);
    for (unsigned i = 0; i < in_flight; ++i) {
      free_.push_back(bursts_.emplace_back(std::make_unique<Burst>()).get());
      free_.back()->data.resize(std::size_t{beats} * beat_bytes);
      free_.back()->set_mm(this);
      free_.back()->set_extension(&free_.back()->times);
    }
    SC_METHOD(work);
  }

  /// Returns the mean time per burst in ns, over the second half of the bursts.
  [[nodiscard]] double ns_per_burst() const {
    const std::size_t half = ends_.size() / 2;
    const auto ps = static_cast<double>(ends_.back() - ends_[half]);
    return ps / static_cast<double>(ends_.size() - 1 - half) / 1e3;
  }

 private:
  struct Burst : tlm::tlm_generic_payload {
    std::vector<std::uint8_t> data;
    BeatTimes times;
    std::uint64_t end = 0;  ///< in ps
  };

  /// Sends one burst, and waits until the next address can be issued.
  void work() {
    const std::uint64_t now = sc_core::sc_time_stamp().value();
    const auto done = std::find_if(back_.begin(), back_.end(),
                                   [now](const Burst* burst) { return burst->end <= now; });
    if (done != back_.end()) {
      free_.push_back(*done);
      back_.erase(done);
    }
    const bool sends = !free_.empty();
    if (sends) send(now);
    // The data of a write occupy the channel for all of its beats.
    next_trigger(sc_core::sc_time::from_value(sends && writes_ ? beats_ * period_ps : period_ps));
  }

  void send(std::uint64_t now) {
    Burst& burst = *free_.back();
    free_.pop_back();
    burst.acquire();
    burst.times.clear();
    burst.set_command(writes_ ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    burst.set_address(address_);
    burst.set_data_ptr(burst.data.data());
    burst.set_data_length(beats_ * beat_bytes);
    burst.set_streaming_width(beats_ * beat_bytes);
    burst.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    address_ =
        (address_ & ~std::uint64_t{0xFFFFFFF}) | ((address_ + beats_ * beat_bytes) & 0xFFFFFFF);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::sc_time::from_value(0);
    (void)socket->nb_transport_fw(burst, phase, delay);
    for (unsigned i = 0; writes_ && i < beats_; ++i) (void)path_.take_beat(now + i * period_ps);
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    auto& burst = static_cast<Burst&>(payload);
    burst.end = writes_ ? (sc_core::sc_time_stamp() + delay).value() : burst.times.at.back();
    ends_.push_back(burst.end);
    back_.push_back(&burst);
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }
  void free(tlm::tlm_generic_payload* /*payload*/) override {}

  PortPath& path_;
  bool writes_;
  unsigned beats_;
  std::uint64_t address_;
  std::vector<std::unique_ptr<Burst>> bursts_;
  std::vector<Burst*> free_, back_;
  std::vector<std::uint64_t> ends_;  ///< in ps
};

/// A board's path from a port to its DRAM, driven by a generator at the port instead of a design
/// with its own clock and interconnect.
struct Rig {
  PathConfig path;
  DdrConfig ddr;
};

Rig rig_of(const std::string& name) {
  const Board board = read_board(name);
  Rig rig;
  rig.ddr = *board.simulation_config().resolved_ddr;
  rig.path = path_config(board, 0, rig.ddr.burst_bytes());
  rig.path.clock_p = rig.path.clock_q = 1;
  rig.path.interconnect_ps = {0, 0};
  rig.path.base = 0;
  rig.path.write_buffer_beats = 4096;  // so that the generator can send at the port's rate
  return rig;
}

Rig zcu102() {
  Rig rig = rig_of("zcu104");
  rig.ddr.tck_ps = 938;
  return rig;
}

/// Returns ns per burst for generators at these ports of the controller.
std::vector<double> rates(const Rig& rig, bool writes, unsigned beats,
                          const std::vector<unsigned>& ports) {
  KernelScope kernel;
  Clock clock;
  std::vector<unsigned> bindings;
  for (const unsigned port : ports) bindings.insert(bindings.end(), 2, port);
  DdrController controller("ddr", rig.ddr, bindings);
  std::vector<std::unique_ptr<PortPath>> paths;
  std::vector<std::unique_ptr<Generator>> generators;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string number = std::to_string(i);
    paths.push_back(std::make_unique<PortPath>(("path" + number).c_str(), clock,
                                               sc_core::sc_time::from_value(period_ps), beat_bytes,
                                               rig.path));
    paths.back()->reads.bind(controller.socket);
    paths.back()->writes.bind(controller.socket);
    generators.push_back(std::make_unique<Generator>(("generator" + number).c_str(), *paths.back(),
                                                     writes, beats, i << 28));
  }
  controller.set_lookahead(paths.front()->lookahead());
  sc_core::sc_start(400, sc_core::SC_US);
  std::vector<double> result;
  for (const auto& generator : generators) result.push_back(generator->ns_per_burst());
  return result;
}

struct Measured {
  unsigned beats;
  double ns;
};

void expect_rates(const Rig& rig, bool writes, std::initializer_list<Measured> measured) {
  for (const Measured& m : measured) {
    const double ns = rates(rig, writes, m.beats, {4}).front();
    EXPECT_NEAR(ns, m.ns, 0.03 * m.ns)
        << m.beats << " beats: " << 100 * (ns / m.ns - 1) << " % beside what was measured";
  }
}

TEST(PortRates, ReadsOfOnePortAreThoseMeasured) {
  expect_rates(zcu102(), false,
               {{1, 13.752},
                {2, 13.982},
                {4, 14.267},
                {8, 26.911},
                {16, 54.099},
                {64, 216.396},
                {256, 865.0}});
}

TEST(PortRates, WritesOfOnePortAreThoseMeasured) {
  expect_rates(zcu102(), true, {{1, 7.52}, {2, 7.52}, {4, 13.33}});
}

TEST(PortRates, ReadsOfAnUltra96AreThoseMeasured) {
  expect_rates(rig_of("ultra96_v2"), false, {{1, 25.209}, {2, 25.602}, {4, 26.104}});
}

/// Boards with the ZCU104's chip have the same ports; only clocks and interconnects differ.
TEST(PortRates, BoardsOfOneChipHaveTheSamePorts) {
  const Board zcu104 = read_board("zcu104");
  const MemoryPath& path = zcu104.board_memory->path(0);
  for (const char* name : {"zcu104", "zcu104_dual", "zcu104_uram"}) {
    const Board board = read_board(name);
    for (const auto& [port, other] : board.board_memory->paths) {
      EXPECT_EQ(other.fixed_ns, path.fixed_ns) << name << " " << port;
      EXPECT_EQ(other.crossing, path.crossing) << name << " " << port;
      EXPECT_EQ(other.data_bits, path.data_bits) << name << " " << port;
      EXPECT_EQ(other.split_beats, path.split_beats) << name << " " << port;
      EXPECT_EQ(other.outstanding, path.outstanding) << name << " " << port;
    }
  }
}

/// HP1 and HP2 share a port of the controller, whose rate is lower than the sum of both.
TEST(PortRates, TwoPortsShareAPortOfTheController) {
  const Rig rig = zcu102();
  const std::vector<double> apart = rates(rig, false, 16, {4, 5});
  const std::vector<double> shared = rates(rig, false, 16, {4, 4});
  const double alone = rates(rig, false, 16, {4}).front();
  for (const double ns : apart) EXPECT_NEAR(ns, alone, 0.03 * alone);
  // The measured rate of both together is 8.1 GB/s.
  const double gigabytes = 2 * 256 / (0.5 * (shared[0] + shared[1]));
  EXPECT_NEAR(gigabytes, 8.1, 0.05 * 8.1);
}

}  // namespace
}  // namespace tactus
