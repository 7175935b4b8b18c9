// Every socket of a public module follows TLM-2.0's base protocol: a checker in front of it finds
// nothing under random traffic. It finds faults that are planted.
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn
#include <gtest/gtest.h>

#include "firmware/config/board_ddr.h"
#include "firmware/driver/common/ddr_memory.h"
#include "models/dram/fixed_latency_bank.h"
#include "tests/device/platform.h"
#include "tests/support/program.h"
#include "tests/support/protocol_checker.h"
#include "tests/support/test_scale.h"
#include "tests/support/tlm_traffic.h"

namespace tactus {
namespace {

using sc_core::sc_time;

void expect_none(const ProtocolChecker& checker) {
  EXPECT_GT(checker.accesses(), 0U) << checker.name();
  EXPECT_EQ(checker.open(), 0U) << checker.name();
  for (const std::string& finding : checker.findings()) ADD_FAILURE() << finding;
}

// ---- the checker --------------------------------------------------------------------------------

enum class Plant {
  none,
  request_exclusion,
  response_exclusion,
  no_manager,
  old_status,
  dmi_hint,
  no_data,
  wrong_phase,
  response_twice,
  no_status,
  time_decreases,
  changes_length,
  changes_data,
  method,
  blocking_status,
  blocking_time,
};

/// A target and an initiator that break one rule.
struct Faulty final : sc_core::sc_module, tlm::tlm_mm_interface {
  using SC_CURRENT_USER_MODULE = Faulty;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<Faulty> from{"from"};
  tlm_utils::simple_target_socket<Faulty> to{"to"};
  Plant plant;
  std::array<std::uint8_t, 8> bytes{};
  std::deque<tlm::tlm_generic_payload> accesses;
  std::vector<tlm::tlm_generic_payload*> begun;

  Faulty(const sc_core::sc_module_name& name, Plant what) : sc_module(name), plant(what) {
    from.register_nb_transport_bw(this, &Faulty::backward);
    to.register_nb_transport_fw(this, &Faulty::forward);
    to.register_b_transport(this, &Faulty::call);
    SC_THREAD(run);
    SC_METHOD(run_method);
  }
  ~Faulty() override = default;
  void free(tlm::tlm_generic_payload* /*payload*/) override {}

  tlm::tlm_generic_payload& access() {
    tlm::tlm_generic_payload& made = accesses.emplace_back();
    if (plant != Plant::no_manager) {
      made.set_mm(this);
      made.acquire();
    }
    made.set_command(tlm::TLM_WRITE_COMMAND);
    made.set_data_ptr(plant == Plant::no_data ? nullptr : bytes.data());
    made.set_data_length(plant == Plant::no_data ? 0 : 8);
    made.set_streaming_width(8);
    made.set_dmi_allowed(plant == Plant::dmi_hint);
    made.set_response_status(plant == Plant::old_status ? tlm::TLM_OK_RESPONSE
                                                        : tlm::TLM_INCOMPLETE_RESPONSE);
    return made;
  }
  void request(tlm::tlm_generic_payload& what, unsigned number = tlm::BEGIN_REQ) {
    tlm::tlm_phase phase(number);
    sc_time delay(5, sc_core::SC_NS);
    from->nb_transport_fw(what, phase, delay);
  }
  void answer(tlm::tlm_generic_payload& what, unsigned number) {
    tlm::tlm_phase phase(number);
    sc_time delay(plant == Plant::time_decreases ? 1 : 5, sc_core::SC_NS);
    if (plant != Plant::no_status) what.set_response_status(tlm::TLM_OK_RESPONSE);
    to->nb_transport_bw(what, phase, delay);
  }
  void run() {
    const bool blocking = plant == Plant::blocking_status || plant == Plant::blocking_time;
    if (blocking) {
      sc_time delay(5, sc_core::SC_NS);
      return from->b_transport(access(), delay);
    }
    request(access());
    if (plant != Plant::request_exclusion) answer(*begun[0], tlm::END_REQ);
    request(access());
    answer(*begun[1], tlm::END_REQ);
    if (plant == Plant::wrong_phase) answer(*begun[0], tlm::END_RESP);
    if (plant == Plant::changes_length) begun[0]->set_data_length(4);
    if (plant == Plant::changes_data) ++bytes[3];
    answer(*begun[0], tlm::BEGIN_RESP);
    if (plant == Plant::response_twice) answer(*begun[0], tlm::BEGIN_RESP);
    if (plant != Plant::response_exclusion) request(*begun[0], tlm::END_RESP);
    answer(*begun[1], tlm::BEGIN_RESP);
    request(*begun[1], tlm::END_RESP);
  }
  void run_method() {
    if (plant != Plant::method) return;
    sc_time delay;
    from->b_transport(access(), delay);
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& what, tlm::tlm_phase& phase,
                             sc_time& /*delay*/) {
    if (phase == tlm::BEGIN_REQ) begun.push_back(&what);
    return tlm::TLM_ACCEPTED;
  }
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): sockets take members
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& /*what*/, tlm::tlm_phase& /*phase*/,
                              sc_time& /*delay*/) {
    return tlm::TLM_ACCEPTED;
  }
  void call(tlm::tlm_generic_payload& what, sc_time& delay) {
    if (plant != Plant::blocking_status) what.set_response_status(tlm::TLM_OK_RESPONSE);
    if (plant == Plant::blocking_time) delay = sc_core::SC_ZERO_TIME;
  }
};

TEST(ProtocolChecker, FindsPlantedFaults) {
  const std::pair<Plant, const char*> plants[] = {
      {Plant::none, ""},
      {Plant::request_exclusion, "15.2.6 e"},
      {Plant::response_exclusion, "15.2.6 f"},
      {Plant::no_manager, "14.5 i"},
      {Plant::old_status, "14.17 e"},
      {Plant::dmi_hint, "14.16"},
      {Plant::no_data, "14.11 e"},
      {Plant::wrong_phase, "15.2.3 c"},
      {Plant::response_twice, "15.2.4"},
      {Plant::no_status, "14.17"},
      {Plant::time_decreases, "15.2.7 c"},
      {Plant::changes_length, "14.7"},
      {Plant::changes_data, "14.7"},
      {Plant::method, "11.1.1.4 b"},
      {Plant::blocking_status, "14.17"},
      {Plant::blocking_time, "15.2.7 c"},
  };
  for (const auto& [plant, clause] : plants) {
    KernelScope kernel;
    Faulty faulty("faulty", plant);
    ProtocolChecker checker("checker");
    faulty.from.bind(checker.in);
    checker.out.bind(faulty.to);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    std::string all;
    for (const std::string& finding : checker.findings()) all += finding + "\n";
    if (plant == Plant::none) {
      EXPECT_EQ(all, "");
      continue;
    }
    EXPECT_NE(all.find(clause), std::string::npos) << clause << " is missing in:\n" << all;
    kernel.end_threads();
  }
}

// ---- the board's memory -------------------------------------------------------------------------

TEST(DdrMemory, FollowsTheBaseProtocolUnderRandomTraffic) {
  for (const std::uint64_t seed : test_seeds(47'000'000, 6)) {
    Random random(seed);
    Board board = read_board(random.pick({"zcu104", "zcu104_dual", "ultra96_v2", "pynq_z1"}));
    std::vector<BoardPort> ports;
    const auto& paths = board.board_memory->paths;
    for (unsigned i = 0; i < 3; ++i) {
      ports.push_back({"port" + std::to_string(i), paths[random.below(paths.size())].first,
                       0x100000 * random.below(4)});
    }
    DdrMemory::Config config = ddr_memory_config(board, ports);
    for (DdrMemory::Port& port : config.ports) port.beat_bytes = 4U << random.below(5);
    KernelScope kernel;
    DdrMemory memory("memory", config);
    std::vector<std::unique_ptr<TlmTraffic>> traffic;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const std::string number = std::to_string(i);
      traffic.push_back(std::make_unique<TlmTraffic>(("traffic" + number).c_str(), seed + i,
                                                     0x1000000 * (i + 1), 100));
      checkers.push_back(std::make_unique<ProtocolChecker>(("checker" + number).c_str()));
      traffic.back()->socket.bind(checkers.back()->in);
      checkers.back()->out.bind(memory.socket(i));
    }
    sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    for (std::size_t i = 0; i < ports.size(); ++i) {
      EXPECT_EQ(traffic[i]->done(), 200U) << "seed " << seed;
      for (const std::string& fault : traffic[i]->faults()) ADD_FAILURE() << fault;
      expect_none(*checkers[i]);
    }
    EXPECT_GT(memory.statistics().reads, 100U);
    kernel.end_threads();
  }
}

/// A CPU of one access at a time.
struct Cpu final : sc_core::sc_module {
  using SC_CURRENT_USER_MODULE = Cpu;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
  std::function<void(Cpu&)> work;
  explicit Cpu(const sc_core::sc_module_name& name) : sc_module(name) { SC_THREAD(run); }
  void run() { work(*this); }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, unsigned length,
                                  unsigned width) {
    tlm::tlm_generic_payload payload;
    bytes.resize(length);
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(length);
    payload.set_streaming_width(width);
    sc_time delay(100, sc_core::SC_NS);
    socket->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
  std::vector<std::uint8_t> bytes;
};

/// A lone read of 64 bytes takes the times of the board's file; accesses that cannot be served are
/// refused at once; the debug interface sees the bytes, and there is no DMI.
TEST(DdrMemory, ServesACpu) {
  const Board board = read_board("zcu104");
  DdrMemory::Config config = ddr_memory_config(board, {{"cpu", "hp1"}});
  config.ddr.refresh = DdrRefresh::none;
  KernelScope kernel;
  DdrMemory memory("memory", config);
  Cpu cpu("cpu_module");
  cpu.socket.bind(memory.socket(0));
  cpu.work = [&](Cpu& c) {
    const auto read = tlm::TLM_READ_COMMAND, write = tlm::TLM_WRITE_COMMAND;
    const std::uint64_t end = std::min(config.ddr.bytes(), std::uint64_t{1} << 32);
    EXPECT_EQ(c.access(read, 0, 64, 64), tlm::TLM_OK_RESPONSE);
    const sc_time begin = sc_core::sc_time_stamp();
    EXPECT_EQ(c.access(read, 128, 64, 64), tlm::TLM_OK_RESPONSE);
    // 100 ns of the call, the path of 95 ns and 6 clocks, a row hit, 4 beats.
    const double ns = (sc_core::sc_time_stamp() - begin).to_seconds() * 1e9;
    EXPECT_GT(ns, 100 + 90 + 50 + 15);
    EXPECT_LT(ns, 100 + 100 + 60 + 25 + 50);
    EXPECT_EQ(c.access(read, end - 64, 64, 64), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(c.access(read, end - 64, 65, 65), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(c.access(read, ~std::uint64_t{0}, 64, 64), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(c.access(read, 0, 64, 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(c.access(tlm::TLM_IGNORE_COMMAND, 0, 64, 64), tlm::TLM_COMMAND_ERROR_RESPONSE);
    c.bytes.assign(10'000, 0x5a);
    EXPECT_EQ(c.access(write, 4093, 10'000, 10'000), tlm::TLM_OK_RESPONSE);
    std::vector<std::uint8_t> seen(10'002);
    tlm::tlm_generic_payload debug;
    debug.set_command(read);
    debug.set_address(4092);
    debug.set_data_ptr(seen.data());
    debug.set_data_length(10'002);
    debug.set_streaming_width(10'002);
    EXPECT_EQ(c.socket->transport_dbg(debug), 10'002U);
    EXPECT_EQ(seen[0], 0);
    EXPECT_EQ(seen[10'001], 0);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 0x5a), 10'000);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(c.socket->get_direct_mem_ptr(debug, dmi));
  };
  sc_core::sc_start();
  kernel.end_threads();
}

// ---- a device -----------------------------------------------------------------------------------

/// Reads, products and writes, all of which lie in the first 300 vectors.
std::vector<std::uint8_t> some_program(Random& random, const tcu::Architecture& architecture) {
  Program program(architecture);
  for (unsigned i = 0; i < 60; ++i) {
    const std::uint64_t n = random.range(1, 40);
    if (random.chance(40)) program.read_dram(random.below(2), n, {random.below(64), 0});
    if (random.chance(40)) program.write_dram(random.below(2), n, {random.below(64), 0});
    program.load_weights(8).mat_mul(random.range(1, 40));
  }
  return program.bytes();
}

/// A device with checkers at all of its sockets, on a board's memory. Its banks have these
/// addresses in the DRAM, by `dram_base` or by the ports' own. Returns TCU_LATENCY.
std::uint32_t cycles_on_board(const std::vector<std::uint8_t>& program, Transport transport,
                              std::uint64_t seed, bool by_dram_base) {
  constexpr std::array<std::uint64_t, 2> banks{0x1000000, 0x2000000};
  TcuDevice::Config device = device_config(small_machine());
  device.system.axi_data_bits = 128;
  device.transport = transport;
  if (by_dram_base) device.dram_base = banks;
  const auto port_base = [&](unsigned p) { return by_dram_base ? 0 : banks[p]; };
  device.trusts_dmi = seed % 2 == 0;  // refused
  KernelScope kernel;
  TcuDevice tcu("tcu", device);
  TestHost host("host");
  sc_core::sc_signal<bool> interrupt("interrupt"), reset("reset");
  tcu.interrupt(interrupt);
  tcu.reset(reset);
  host.interrupt(interrupt);
  host.reset(reset);
  const Board board = read_board("zcu104");
  DdrMemory memory(
      "memory", ddr_memory_config(
                    board, {{"a", "hp1", port_base(0)}, {"b", "hp2", port_base(1)}, {"c", "hp3"}}));
  ProtocolChecker first("first"), second("second"), third("third"), registers("registers_checker");
  tcu.dram0.bind(first.in);
  first.out.bind(memory.socket(0));
  tcu.dram1.bind(second.in);
  second.out.bind(memory.socket(1));
  tcu.instructions.bind(third.in);
  third.out.bind(memory.socket(2));
  host.socket.bind(registers.in);
  registers.out.bind(tcu.registers);
  const auto stream = tcu.stream(program, "program");
  memory.memory().write(0x3000000, stream.data(), stream.size());
  std::uint32_t cycles = 0;
  host.run = [&](TestHost& h) {
    h.start(0x3000000, stream.size());
    h.wait_for_interrupt();
    cycles = h.read(DeviceRegister::latency);
  };
  sc_core::sc_start();
  for (const ProtocolChecker* checker : {&first, &second, &third, &registers}) {
    expect_none(*checker);
  }
  kernel.end_threads();
  return cycles;
}

/// One memory gives one number of cycles, whatever the transport, and wherever the addresses of the
/// banks are added.
TEST(TcuDeviceProtocol, IsFollowedOnTheBoardsMemory) {
  for (const std::uint64_t seed : test_seeds(47'100'000, 6)) {
    Random random(seed);
    const auto program = some_program(random, small_machine().architecture);
    const std::uint32_t blocking = cycles_on_board(program, Transport::blocking, seed, false);
    const std::uint32_t phases = cycles_on_board(program, Transport::non_blocking, seed, true);
    EXPECT_GT(blocking, 0U);
    EXPECT_EQ(blocking, phases) << "seed " << seed;
  }
}

TEST(TcuDeviceProtocol, IsFollowedOnBanksOfFixedLatency) {
  for (const std::uint64_t seed : test_seeds(47'200'000, 6)) {
    Random random(seed);
    TcuDevice::Config device = device_config(small_machine());
    device.transport = random.pick({Transport::blocking, Transport::non_blocking});
    device.trusts_dmi = random.chance(50);
    device.system.sample_block_size = random.chance(50) ? 64 : 0;
    device.system.sample_interval = device.system.sample_block_size == 0 ? 0 : 5;
    KernelScope kernel;
    TcuDevice tcu("tcu", device);
    TestHost host("host");
    sc_core::sc_signal<bool> interrupt("interrupt"), reset("reset");
    tcu.interrupt(interrupt);
    tcu.reset(reset);
    host.interrupt(interrupt);
    host.reset(reset);
    host.socket.bind(tcu.registers);
    std::vector<std::unique_ptr<ProtocolChecker>> checkers;
    std::vector<std::unique_ptr<FixedLatencyBank>> banks;
    const auto place = [&](tlm::tlm_initiator_socket<>& socket) {
      const std::string number = std::to_string(banks.size());
      checkers.push_back(std::make_unique<ProtocolChecker>(("checker" + number).c_str()));
      banks.push_back(std::make_unique<FixedLatencyBank>(
          ("bank" + number).c_str(), FixedLatencyBank::Config{20, 5, device.period}));
      socket.bind(checkers.back()->in);
      checkers.back()->out.bind(banks.back()->socket);
    };
    place(tcu.dram0);
    place(tcu.dram1);
    place(tcu.instructions);
    if (device.system.sample_block_size != 0) place(tcu.samples());
    const auto stream = tcu.stream(some_program(random, small_machine().architecture), "program");
    banks[2]->memory().write(0, stream.data(), stream.size());
    bool done = false;
    host.run = [&](TestHost& h) {
      if (device.system.sample_block_size != 0) {
        h.write(DeviceRegister::s2mm_dmacr, tcu::dmacr_run);
        h.write(DeviceRegister::s2mm_da, 0);
        h.write(DeviceRegister::s2mm_length, 4096);
      }
      h.start(0, stream.size());
      h.wait_for_interrupt();
      done = true;
      sc_core::sc_stop();
    };
    sc_core::sc_start();
    EXPECT_TRUE(done) << "seed " << seed;
    for (const auto& checker : checkers) {
      for (const std::string& finding : checker->findings()) ADD_FAILURE() << finding;
    }
    kernel.end_threads();
  }
}

}  // namespace
}  // namespace tactus
