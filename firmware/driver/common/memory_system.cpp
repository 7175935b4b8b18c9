#include "firmware/driver/common/memory_system.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "isa/support/arbitration.h"
#include "isa/support/error.h"
#include "models/sim/clock_driver.h"

namespace tactus {
namespace {

std::uint64_t picoseconds(double ns) { return static_cast<std::uint64_t>(std::llround(ns * 1e3)); }

ClockRatio ratio_of(const BoardValues& board, const MemoryPath& path) {
  const auto mhz = board.port_clock_mhz ? board.port_clock_mhz : path.clock_mhz;
  if (!mhz) return path.ratio;
  if (const auto ratio = clock_ratio(*mhz, board.clock_mhz)) return *ratio;
  user_error(
      "a memory port at {:g} MHz and a design at {:g} MHz have no ratio P/Q with P "
      "and Q in 1..{}",
      *mhz, board.clock_mhz, ClockRatio::most);
}

}  // namespace

PathConfig path_config(const BoardValues& board, const MemoryPath& path, std::uint64_t base,
                       unsigned access_bytes) {
  const ClockRatio ratio = ratio_of(board, path);
  PathConfig config;
  config.clock_p = ratio.p;
  config.clock_q = ratio.q;
  config.data_bits = board.port_data_bits.value_or(path.data_bits);
  config.split_beats = path.split_beats;
  config.outstanding = path.outstanding;
  for (unsigned d = 0; d < 2; ++d) {
    config.crossing[d] = static_cast<unsigned>(path.crossing[d]);
    config.interconnect_ps[d] =
        picoseconds(board.interconnect_ns.value_or(path.interconnect_ns[d]));
    config.fixed_ps[d] = picoseconds(path.fixed_ns[d]);
  }
  config.write_buffer_beats = path.write_buffer_beats;
  config.base = base;
  config.access_bytes = access_bytes;
  return config;
}

PathConfig path_config(const BoardValues& board, unsigned port, unsigned access_bytes) {
  const BoardMemory& memory = *board.board_memory;
  return path_config(board, memory.path(port), memory.base[port], access_bytes);
}

MemorySystem::ControllerPorts MemorySystem::controller_ports(const BoardValues& board,
                                                             const std::vector<unsigned>& ports,
                                                             Stream stream, unsigned machines) {
  const BoardMemory& memory = *board.board_memory;
  const Arbitration arbitration = read_arbitration(arbitration_text(board));
  ControllerPorts all;
  DdrArbitration& to = all.arbitration;
  const auto add = [&](unsigned machine, std::string_view name, unsigned controller_port) {
    unsigned number = controller_port;
    if (arbitration.policy != Arbitration::Policy::ports) {
      number = static_cast<unsigned>(to.group.size());
      to.group.push_back(arbitration.group_of(machine, name));
    }
    all.numbers.insert(all.numbers.end(), 2, number);  // one socket for reads, one for writes
  };
  for (unsigned m = 0; m < machines; ++m) {
    for (const unsigned port : ports) {
      add(m, fmt::format("dram{}", port), memory.path(port).controller_port);
    }
    if (stream == Stream::nothing) continue;
    add(m, "stream", memory.path(memory.stream->path).controller_port);
  }
  using Policy = Arbitration::Policy;
  if (arbitration.policy == Policy::fixed) to.between = DdrArbitration::Between::ranks;
  if (arbitration.policy == Policy::shares) to.between = DdrArbitration::Between::shares;
  to.groups = static_cast<unsigned>(arbitration.groups.size()) + 1;
  to.window = arbitration.window;
  std::uint64_t rest = Arbitration::whole;
  for (const Arbitration::Group& group : arbitration.groups) {
    to.shares.push_back(group.share);
    rest -= std::min<std::uint64_t>(group.share, rest);
  }
  to.shares.push_back(rest);
  return all;
}

MemorySystem::MemorySystem(const BoardValues& board, const DdrConfig& ddr,
                           const std::vector<unsigned>& ports, Clock& clock, Stream stream)
    : MemorySystem(controller_ports(board, ports, stream, 1), ddr, ports, stream, 1, false) {
  (void)add_machine(board, clock);
}

MemorySystem::MemorySystem(const BoardValues& board, const DdrConfig& ddr,
                           const std::vector<unsigned>& ports, Stream stream, unsigned machines)
    : MemorySystem(controller_ports(board, ports, stream, machines), ddr, ports, stream, machines,
                   true) {}

MemorySystem::MemorySystem(const ControllerPorts& controller, const DdrConfig& ddr,
                           const std::vector<unsigned>& ports, Stream stream, unsigned machines,
                           bool shared)
    : ports_(ports),
      stream_(stream),
      pulled_(stream != Stream::initiator),
      shared_(shared),
      controller_("ddr", ddr, controller.numbers, controller.arbitration) {
  if (pulled_) controller_.set_pulled();
  if (machines == 1) return;
  set_parties(machines);
  for (unsigned m = 0; m < machines; ++m) set_party(m, m);
}

void MemorySystem::set_party(unsigned machine, unsigned party) {
  const std::size_t sockets = 2 * (ports_.size() + (stream_ == Stream::nothing ? 0 : 1));
  for (std::size_t s = 0; s < sockets; ++s) {
    controller_.set_party(machine * sockets + s, party);
  }
}

unsigned MemorySystem::add_machine(const BoardValues& board, Clock& clock) {
  clocks_.push_back(&clock);
  if (shared_) clock.turn = &turns_.add();
  const BoardMemory& memory = *board.board_memory;
  const unsigned access_bytes = controller_.config().burst_bytes();
  std::uint64_t answer_delay = ~std::uint64_t{0};
  const auto make_path = [&](const std::string& name, const PathConfig& config) {
    auto path = std::make_unique<PortPath>(name.c_str(), clock, clock_period(board.clock_mhz),
                                           board.axi_data_bits / 8, config);
    path->reads.bind(controller_.socket);
    path->writes.bind(controller_.socket);
    if (pulled_) path->set_pulled();
    answer_delay = std::min(answer_delay, path->answer_delay());
    lookahead_ = std::min(lookahead_, path->lookahead());
    return path;
  };
  const auto first = static_cast<unsigned>(paths_.size());
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    paths_.push_back(
        make_path(fmt::format("path{}", p), path_config(board, ports_[p], access_bytes)));
  }
  if (stream_ != Stream::nothing) {
    const MemoryStream& stream = *memory.stream;
    streams_.push_back(make_path(
        "stream_path", path_config(board, memory.path(stream.path), stream.base, access_bytes)));
  }
  controller_.set_lookahead(lookahead_);
  if (shared_) clock.turn->set_answer_delay(answer_delay);
  return first;
}

/// A slave makes its next request at the end of the cycle, the reader of a stream at its begin.
std::uint64_t MemorySystem::latest_pull(const Clock& clock) const {
  return clock.begin() + (stream_ == Stream::nothing ? clock.period / 2 : 0);
}

void MemorySystem::settle(const Clock& clock) const {
  if (clock.turn != nullptr) clock.turn->reach(latest_pull(clock));
}

DdrFigures MemorySystem::figures() {
  if (pulled_) {
    // The controller catches up to the time to which a slave may have pulled it in this cycle, so
    // the figures do not depend on how far a slave has pulled.
    std::uint64_t latest = 0;
    for (const Clock* clock : clocks_) latest = std::max(latest, latest_pull(*clock));
    controller_.catch_up(latest + lookahead_.value());
  } else {
    controller_.catch_up();
  }
  const DdrStatistics& s = controller_.statistics();
  DdrFigures figures;
  figures.hits = s.hits;
  figures.misses = s.misses;
  figures.conflicts = s.conflicts;
  figures.refreshes = s.refreshes;
  figures.bus_clocks = s.bus_clocks;
  figures.clocks = s.clocks;
  figures.tck_ps = controller_.config().tck_ps;
  for (const DdrPortStatistics& port : s.ports) {
    figures.bytes += port.bytes_read + port.bytes_written;
  }
  for (const StreamReader* reader : readers_) figures.stream_bytes += reader->bytes_read();
  figures.time = {s.queue, s.refresh, s.row, s.bus, s.rest};
  const DdrWaits& waits = controller_.waits();
  if (!waits.keeps()) return figures;
  figures.parties = waits.parties();
  for (unsigned party = 0; party < figures.parties; ++party) {
    for (unsigned other = 0; other < figures.parties; ++other) {
      figures.waits.push_back(waits.clocks(party, other));
    }
  }
  return figures;
}

void MemorySystem::describe(const trace::Scope& scope) {
  if (!history_) history_ = std::make_unique<DdrHistory>(controller_, *clocks_.front());
  history_->describe(scope.unit("memory").unit("ddr"));
}

void MemorySystem::attach(unsigned port, AxiSlave& slave, const char* account) {
  slave.socket.bind(paths_[port]->socket);
  slave.set_write_channel(*paths_[port]);
  slave.account_for_memory(account);
  if (pulled_) slave.set_pulled(controller_, paths_[port]->config().base);
}

void MemorySystem::attach(StreamReader& reader) {
  reader.socket.bind(streams_.back()->socket);
  if (pulled_) reader.set_pulled(controller_);
  readers_.push_back(&reader);
}

}  // namespace tactus
