// The SystemC module: its protocol, its timing and its data.
#include "models/dram/ddr_controller.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/sim/kernel_scope.h"
#include "tests/dram/core_run.h"
#include "tests/dram/golden_run.h"

namespace tactus::dram {
namespace {

using sc_core::sc_time;

struct Request : tlm::tlm_generic_payload {
  std::uint64_t arrival_ps = 0;  ///< earliest arrival
  std::vector<std::uint8_t> bytes;
  std::uint64_t begin_ps = 0;   ///< actual arrival
  std::uint64_t end_ps = 0;     ///< END_REQ
  std::uint64_t answer_ps = 0;  ///< BEGIN_RESP
  unsigned answers = 0;
  DdrTimes times;

  Request(std::uint64_t arrival, bool write, std::uint64_t address, unsigned count)
      : arrival_ps(arrival), bytes(count) {
    set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    set_address(address);
    set_data_ptr(bytes.data());
    set_data_length(count);
    set_streaming_width(count);
    set_extension(&times);
  }
  ~Request() override { clear_extension(&times); }
};

/// Sends requests in order; a request is sent when the previous one was accepted. Requests arrive
/// `ahead` after their calls if END_REQ allows it.
class Initiator : public sc_core::sc_module {
 public:
  using SC_CURRENT_USER_MODULE = Initiator;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<Initiator, 32, DdrProtocol> socket{"socket"};
  std::deque<std::unique_ptr<Request>> requests;
  std::uint64_t ahead_ps = 0;
  unsigned answered = 0;

  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
    SC_METHOD(send);
    sensitive << free_;
  }
  void add(std::uint64_t arrival, bool write, std::uint64_t address, unsigned count) {
    requests.push_back(std::make_unique<Request>(arrival, write, address, count));
  }

 private:
  [[nodiscard]] static std::uint64_t now() { return sc_core::sc_time_stamp().value(); }

  void send() {
    while (next_ < requests.size()) {
      Request& request = *requests[next_];
      // Calls as late as possible, so that the controller knows no more about the future than in a
      // design.
      if (request.arrival_ps > now() + ahead_ps) {
        return free_.notify(sc_time::from_value(request.arrival_ps - now() - ahead_ps));
      }
      request.begin_ps = std::max(request.arrival_ps, now() + ahead_ps);
      ++next_;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay = sc_time::from_value(request.begin_ps - now());
      const auto returned = socket->nb_transport_fw(request, phase, delay);
      if (returned == tlm::TLM_ACCEPTED) return;
      ASSERT_EQ(returned, tlm::TLM_UPDATED);
      ASSERT_EQ(phase, tlm::END_REQ);
      request.end_ps = request.begin_ps;
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time& delay) {
    auto& request = static_cast<Request&>(payload);
    const std::uint64_t time = now() + delay.value();
    if (phase == tlm::END_REQ) {
      EXPECT_EQ(request.end_ps, 0U);
      request.end_ps = time;
      free_.notify(delay);
      return tlm::TLM_ACCEPTED;
    }
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    EXPECT_EQ(request.get_response_status(), tlm::TLM_OK_RESPONSE);
    request.answer_ps = time;
    ++request.answers;
    ++answered;
    return tlm::TLM_COMPLETED;
  }

  sc_core::sc_event free_;
  std::size_t next_ = 0;
};

struct Log : DdrObserver {
  std::vector<DdrCommand> commands;
  void command(const DdrCommand& command) override { commands.push_back(command); }
};

/// A controller and its initiators in a kernel of their own.
struct Bench {
  KernelScope kernel;
  std::unique_ptr<DdrController> controller;
  std::vector<std::unique_ptr<Initiator>> initiators;
  Log log;

  Bench(const DdrConfig& config, const std::vector<unsigned>& ports) {
    controller = std::make_unique<DdrController>("ddr", config, ports);
    controller->observe(&log);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      initiators.push_back(std::make_unique<Initiator>(("i" + std::to_string(i)).c_str()));
      initiators.back()->socket.bind(controller->socket);
    }
  }
  void run() {
    sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    controller->catch_up();
    for (const auto& initiator : initiators) {
      EXPECT_EQ(initiator->answered, initiator->requests.size());
    }
  }
};

void expect_golden(const GoldenRun& golden) {
  Bench bench(golden.config, {4});
  const unsigned burst = golden.config.burst_bytes();
  for (const GoldenRequest& request : golden.requests) {
    bench.initiators[0]->add(request.arrival_ps, request.write, request.address, burst);
  }
  bench.run();
  ASSERT_GE(bench.log.commands.size(), golden.commands.size());
  for (std::size_t i = 0; i < golden.commands.size(); ++i) {
    ASSERT_EQ(bench.log.commands[i].clock, golden.commands[i].clock) << golden.name << " " << i;
    ASSERT_EQ(bench.log.commands[i].kind, golden.commands[i].kind) << golden.name << " " << i;
    ASSERT_EQ(bench.log.commands[i].bank, golden.commands[i].bank) << golden.name << " " << i;
  }
  const std::uint64_t tck = golden.config.tck_ps;
  for (std::size_t i = 0; i < golden.requests.size(); ++i) {
    const Request& request = *bench.initiators[0]->requests[i];
    // A read is answered when its data are complete, a write when DRAMSys accepts it.
    const GoldenRequest& theirs = golden.requests[i];
    ASSERT_EQ(request.answer_ps, tck * (theirs.write ? theirs.end_req : theirs.begin_resp))
        << golden.name << ", request " << i;
    const DdrTimes& t = request.times;
    ASSERT_EQ(t.queue + t.row + t.refresh + t.bus + t.rest, request.answer_ps - request.begin_ps);
  }
}

TEST(DdrController, AnswersAsDramSysDoes) {
  for (const char* controller : {"fifo_open", "frfcfs_open"}) {
    for (const char* trace :
         {"zcu104_ddr4_2133/random_mixed", "zcu104_ddr4_2133/tcu_baseline",
          "zcu104_ddr4_2133/sparse_read", "ddr4_2400/seq_mixed", "arty_ddr3_650/stride4_read"}) {
      expect_golden(read_packed_run(std::string(trace) + "." + controller));
    }
  }
}

DdrConfig small() {
  DdrConfig c;
  c.rows = 256;
  return c;
}

/// Adds random reads and writes of three initiators on two ports. Each initiator has a memory range
/// of its own.
void fill(Bench& bench, std::uint32_t seed, unsigned ahead_ps) {
  std::mt19937 random(seed);
  const auto from = [&random](unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random);
  };
  for (std::size_t i = 0; i < bench.initiators.size(); ++i) {
    Initiator& initiator = *bench.initiators[i];
    initiator.ahead_ps = ahead_ps;
    std::uint64_t now = ahead_ps;
    for (unsigned k = 0; k < 400; ++k) {
      now += from(0, 3) == 0 ? from(0, 60000) : from(0, 3000);
      const unsigned count = 1U << from(0, 6);
      const std::uint64_t block = i * 4096 + from(0, 40) * (from(0, 1) == 0 ? 1 : 97);
      const std::uint64_t address = block * 64 + from(0, 64 / count - 1) * count;
      initiator.add(now, from(0, 1) == 0, address, count);
      for (std::uint8_t& byte : initiator.requests.back()->bytes) {
        byte = static_cast<std::uint8_t>(from(0, 255));
      }
    }
  }
}

TEST(DdrController, ReadsReturnWhatWasWritten) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    DdrConfig config = small();
    config.scheduler = seed % 3 == 0 ? DdrScheduler::fifo : DdrScheduler::frfcfs;
    config.buffer = seed % 2 == 0 ? 2 : 32;
    Bench bench(config, {7, 7, 3});
    fill(bench, seed, 0);
    std::vector<std::vector<std::vector<std::uint8_t>>> written;
    for (const auto& initiator : bench.initiators) {
      written.emplace_back();
      for (const auto& request : initiator->requests) written.back().push_back(request->bytes);
    }
    bench.run();
    for (std::size_t i = 0; i < bench.initiators.size(); ++i) {
      std::map<std::uint64_t, std::uint8_t> memory;
      const auto& requests = bench.initiators[i]->requests;
      for (std::size_t k = 0; k < requests.size(); ++k) {
        const Request& request = *requests[k];
        ASSERT_EQ(request.answers, 1U);
        for (std::size_t b = 0; b < request.bytes.size(); ++b) {
          std::uint8_t& byte = memory[request.get_address() + b];
          if (request.is_write()) byte = written[i][k][b];
          ASSERT_EQ(request.bytes[b], byte) << "seed " << seed << ", request " << k;
        }
        ASSERT_GE(request.end_ps, request.begin_ps);
      }
    }
    const DdrStatistics& statistics = bench.controller->statistics();
    EXPECT_EQ(statistics.reads + statistics.writes, 1200U);
    ASSERT_EQ(statistics.ports.size(), 2U);
    EXPECT_EQ(statistics.ports[0].port, 7U);
    EXPECT_EQ(statistics.ports[0].reads.count + statistics.ports[0].writes.count, 800U);
    EXPECT_EQ(statistics.ports[1].port, 3U);
  }
}

TEST(DdrController, ALookaheadChangesNoTime) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    DdrConfig config = small();
    config.buffer = seed % 2 == 0 ? 2 : 32;
    config.port_queue = 10000;  // large enough that no request has to wait
    const auto run = [&](std::uint64_t lookahead_ps) {
      Bench bench(config, {0, 0, 1});
      fill(bench, seed, 50000);
      bench.controller->set_lookahead(sc_time::from_value(lookahead_ps));
      bench.run();
      std::vector<std::uint64_t> times;
      for (const auto& initiator : bench.initiators) {
        for (const auto& request : initiator->requests) {
          times.push_back(request->begin_ps);
          times.push_back(request->end_ps);
          times.push_back(request->answer_ps);
        }
      }
      // Commands after the end of the run are left out, since they depend on the lookahead.
      for (const DdrCommand& command : bench.log.commands) {
        if (command.clock * config.tck_ps < sc_core::sc_time_stamp().value()) {
          times.push_back(command.clock);
        }
      }
      return times;
    };
    const auto without = run(0);
    for (const std::uint64_t lookahead_ps : {20000, 50000}) {
      const auto with = run(lookahead_ps);
      EXPECT_EQ(with.size(), without.size());
      const auto differ = std::mismatch(with.begin(), with.end(), without.begin(), without.end());
      EXPECT_EQ(differ.first, with.end())
          << "seed " << seed << ", time " << differ.first - with.begin() << ": " << *differ.first
          << ", " << *differ.second;
    }
  }
}

TEST(DdrController, TakesOneActivationForAHit) {
  const DdrConfig config = small();
  Bench bench(config, {0});
  for (unsigned i = 0; i < 100; ++i) bench.initiators[0]->add(100000 * (i + 1), false, 64 * i, 64);
  const std::uint64_t before = sc_core::sc_delta_count();
  bench.run();
  // Each access activates the initiator once and the controller once. The first access misses, and
  // a few wait for a refresh.
  EXPECT_LE(sc_core::sc_delta_count() - before, 2 * 100 + 10U);
}

TEST(DdrController, HoldsBackRequestsWhenThePortsQueueIsFull) {
  DdrConfig config = small();
  config.port_queue = 1;
  config.xpi_interval = 10;
  Bench bench(config, {0});
  for (unsigned i = 0; i < 3; ++i) bench.initiators[0]->add(0, true, 64 * i, 64);
  bench.run();
  const auto& requests = bench.initiators[0]->requests;
  EXPECT_EQ(requests[0]->end_ps, 0U);
  EXPECT_EQ(requests[1]->end_ps, 1U * config.tck_ps);
  EXPECT_EQ(requests[2]->end_ps, 11U * config.tck_ps);
  // Writes are posted: they are answered one clock after the buffer has taken them.
  EXPECT_EQ(requests[0]->answer_ps, 1U * config.tck_ps);
  EXPECT_EQ(requests[1]->answer_ps, 11U * config.tck_ps);
  EXPECT_EQ(requests[1]->times.queue, 10U * config.tck_ps);
}

TEST(DdrController, RefusesAccessesThatItCannotServe) {
  const DdrConfig config = small();
  Bench bench(config, {0});
  const auto response = [&](const std::function<void(Request&)>& spoil, bool blocking = false) {
    Request request(0, false, 0, 64);
    spoil(request);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    if (blocking) {
      bench.initiators[0]->socket->b_transport(request, delay);
    } else {
      EXPECT_EQ(bench.initiators[0]->socket->nb_transport_fw(request, phase, delay),
                tlm::TLM_COMPLETED);
    }
    return request.get_response_status();
  };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(response([&](Request& r) { r.set_address(config.bytes()); }),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(response([](Request& r) { r.set_address(32); }), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response([](Request& r) { r.set_data_length(0); }), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(response([](Request& r) { r.set_command(tlm::TLM_IGNORE_COMMAND); }),
            tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(response([](Request&) {}, true), tlm::TLM_GENERIC_ERROR_RESPONSE);
  // Debug transport accepts any length.
  Request request(0, true, 100, 500);
  request.bytes[499] = 7;
  EXPECT_EQ(bench.initiators[0]->socket->transport_dbg(request), 500U);
  std::uint8_t byte = 0;
  bench.controller->memory().read(599, &byte, 1);
  EXPECT_EQ(byte, 7);
  request.set_byte_enable_ptr(&byte);
  request.set_byte_enable_length(1);
  EXPECT_EQ(bench.initiators[0]->socket->transport_dbg(request), 0U);
}

}  // namespace
}  // namespace tactus::dram
