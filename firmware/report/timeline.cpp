#include "firmware/report/timeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "firmware/report/figures.h"
#include "isa/support/error.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/names.h"

namespace tactus {
namespace {

/// Track numbers; viewers show them in this order.
enum Track : unsigned {
  track_runs = 1,
  track_array_time,
  track_decoder,
  track_array,
  track_alus,
  track_dais,  ///< only where the architecture names blocks
  track_units = 10,
  track_bursts = 100,  ///< and one for each port and lane
  lanes_per_port = 100,
};

constexpr std::size_t buffer_bytes = 1 << 16;

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

const char* category(StateKind kind) { return kind == StateKind::busy ? "busy" : "stall"; }

}  // namespace

Timeline::Timeline(const std::string& path, const TcuSimulation& simulation,
                   TimelineOptions options)
    : simulation_(simulation),
      layout_(simulation.config().architecture),
      options_(options),
      path_(path),
      file_(path) {
  put("{\"otherData\":{\"time\":\"1 us is 1 cycle\",\"tool\":\"tactus\"},\"traceEvents\":[");
  put("\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"Tactus (1 us is 1 "
      "cycle)\"}}");
  track(track_runs, "runs and layers");
  track(track_array_time, "where the array's time goes");
  track(track_decoder, "decoder: instructions");
  track(track_array, "array: instructions");
  track(track_alus, "ALUs: operations");
  if (layout_.dais_block_count > 0) track(track_dais, "DAIS blocks: instructions");
}

// ---- the file -----------------------------------------------------------------------------------

void Timeline::put(std::string_view text) {
  if (failure_) return;
  buffer_ += text;
  if (buffer_.size() < buffer_bytes) return;
  try {
    file_.write(buffer_);
  } catch (const UserError& error) {
    failure_ = error.what();
  }
  buffer_.clear();
}

void Timeline::track(unsigned id, const std::string& name) {
  put(
      fmt::format(",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":\"thread_name\",\"args\":"
                  "{{\"name\":{1}}}}},\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":"
                  "\"thread_sort_index\",\"args\":{{\"sort_index\":{0}}}}}",
                  id, json_text(name)));
}

void Timeline::slice(unsigned track, Name name, Name category, Cycle from, Cycle to,
                     const std::string& arguments) {
  if (cut_) to = std::min(to, *cut_);
  from = std::max(from, options_.from);
  to = std::min(to, options_.to);
  if (from >= to) return;
  if (to - from < options_.min_duration) {
    ++too_short_;
    return;
  }
  ++events_;
  put(
      fmt::format(",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{},\"cat\":"
                  "\"{}\"{}{}}}",
                  track, from, to - from, json_text(name), category,
                  arguments.empty() ? "" : ",\"args\":", arguments));
}

void Timeline::counter(Name name, Cycle at, const std::string& values) {
  if (cut_ || at < options_.from || at >= options_.to) return;
  ++events_;
  put(fmt::format(",\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{},\"name\":\"{}\",\"args\":{{{}}}}}", at,
                  name, values));
}

/// Whether any of it would be written, so that a text is worth making.
bool Timeline::in_view(Cycle from, Cycle to) const {
  return !cut_ && !failure_ && from < options_.to && to > options_.from &&
         to - from >= options_.min_duration;
}

void Timeline::close() {
  if (options_.from >= simulation_.now()) {
    user_error("{}: no cycle of the run is in the window from cycle {}; the run has {}", path_,
               options_.from, simulation_.now());
  }
  put("\n],");
  if (const auto text = note()) put(fmt::format("\"tactusNote\":{},", json_text(*text)));
  put("\"displayTimeUnit\":\"ms\"}\n");
  if (failure_) throw UserError(*failure_);
  file_.write(buffer_);
  buffer_.clear();
  file_.close();
}

std::optional<std::string> Timeline::note() const {
  std::string text;
  if (cut_) {
    text = fmt::format(
        "the timeline ends at cycle {}, after {} events; --timeline-max-events N allows more, "
        "--timeline-from and --timeline-to choose a window, --timeline-min leaves out short slices",
        *cut_, events_);
  }
  if (too_short_ > 0) {
    text += fmt::format("{}{} slices shorter than {} cycles are left out", text.empty() ? "" : "; ",
                        too_short_, options_.min_duration);
  }
  if (text.empty()) return std::nullopt;
  return text;
}

// ---- runs and layers ----------------------------------------------------------------------------

void Timeline::begin_run(const std::string& name, const std::vector<std::uint8_t>& program) {
  run_name_ = name;
  run_from_ = simulation_.now();
  program_ = tcu::decode_program(layout_, program);
  head_ = 0;
  head_from_ = run_from_;
  accepted_.clear();
  in_array_.clear();
  in_alu_.clear();
  array_begun_ = false;
  in_dais_.clear();
  dais_begun_ = false;
  for (Port& port : ports_) {
    port.reads.clear();
    port.writes.clear();
    port.lanes.assign(port.lanes.size(), false);
  }
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const tcu::InstructionKind kind = kind_of(layout_, program_[i]);
    if (kind == tcu::InstructionKind::mat_mul || kind == tcu::InstructionKind::load_weights) {
      in_array_.push_back(
          {i, vector_count(simulation_.config().architecture, layout_, program_[i])});
    } else if (kind == tcu::InstructionKind::dais) {
      const tcu::Architecture& a = simulation_.config().architecture;
      const tcu::DaisBlockEntry& block = a.dais_blocks[tcu::dais_fields(program_[i]).block];
      const std::uint64_t samples =
          vector_count(a, layout_, program_[i]) / block.input_vectors(a.array_size);
      if (samples > 0) in_dais_.push_back({i, samples});
    } else if (kind == tcu::InstructionKind::simd &&
               simd_fields(layout_, program_[i]).op != tcu::SimdOp::no_op) {
      in_alu_.push_back(i);
    }
  }
}

void Timeline::end_run(const Accounting& accounting) {
  // The overview stays whole when the details were cut.
  const std::optional<Cycle> cut = std::exchange(cut_, std::nullopt);
  slice(track_runs, run_name_, "run", run_from_, run_from_ + accounting.cycles,
        fmt::format("{{\"cycles\":{}}}", accounting.cycles));
  for (const RegionSpan& span : accounting.spans) {
    slice(track_runs, accounting.regions[span.region].name, "layer", run_from_ + span.from,
          run_from_ + span.to);
  }
  cut_ = cut;
}

std::string Timeline::describe(std::size_t index) const {
  if (index >= program_.size()) return {};  // padding, or what the host adds
  return fmt::format("{{\"instruction\":{},\"text\":{}}}", index,
                     json_text(tcu::disassemble(layout_, program_[index])));
}

// ---- states of the units ------------------------------------------------------------------------

unsigned Timeline::unit_track(const Account& account) {
  if (account.unit() == "array_time") return track_array_time;
  const auto found = std::find(units_.begin(), units_.end(), &account);
  const auto index = static_cast<unsigned>(found - units_.begin());
  if (found == units_.end()) {
    units_.push_back(&account);
    track(track_units + index, std::string(unit_title(account.unit())));
  }
  return track_units + index;
}

void Timeline::interval(const Account& account, unsigned code, Cycle from, Cycle to) {
  if (full() && !cut_) cut_ = simulation_.now();
  const unsigned id = unit_track(account);
  const std::size_t state = code % account.states().count;
  const std::size_t context = code / account.states().count;
  const UnitState& info = account.states()[state];
  if (info.kind == StateKind::idle) return;
  std::string arguments;
  if (context > 0) {
    arguments =
        fmt::format("{{\"head\":{}}}", json_text(tcu::instruction_kind_infos[context - 1].title));
  }
  slice(id, info.name, category(info.kind), from, to, arguments);
}

// ---- instructions and bursts --------------------------------------------------------------------

void Timeline::event(const Event& event) {
  const Cycle now = simulation_.now();
  switch (event.kind) {
    case EventKind::instruction_accepted:
      accepted_.push_back(now);
      break;
    case EventKind::retired:
      retired(event, now);
      break;
    case EventKind::run:
      ++runs_;
      array_works(now);
      break;
    case EventKind::load:
      array_works(now);
      break;
    case EventKind::dais:
      dais_works(now);
      break;
    case EventKind::alu:
      if (in_alu_.empty()) break;
      slice(track_alus,
            tcu::simd_op_names[static_cast<std::size_t>(
                simd_fields(layout_, program_[in_alu_.front()]).op)],
            "busy", now, now + 1, describe(in_alu_.front()));
      in_alu_.pop_front();
      break;
    case EventKind::axi_read_address:
    case EventKind::axi_write_address:
      open_burst(event.kind == EventKind::axi_read_address, event, now);
      break;
    case EventKind::axi_read_data:
    case EventKind::axi_write_response:
      close_burst(event.port, event.kind == EventKind::axi_read_data, now);
      break;
    default:
      break;
  }
}

void Timeline::retired(const Event& event, Cycle now) {
  const Cycle from = std::max(head_from_, accepted_.empty() ? 0 : accepted_.front() + 1);
  if (!accepted_.empty()) accepted_.pop_front();
  head_from_ = now + 1;
  tcu::Instruction instruction;
  instruction.opcode = static_cast<std::uint8_t>(event.a);
  instruction.flags = static_cast<std::uint8_t>(event.b);
  slice(track_decoder, info(kind_of(layout_, instruction)).title, "decode", from, now + 1,
        in_view(from, now + 1) ? describe(head_) : std::string());
  ++head_;
}

void Timeline::array_works(Cycle now) {
  if (in_array_.empty()) return;
  if (!array_begun_) array_from_ = now;
  array_begun_ = true;
  Work& work = in_array_.front();
  if (--work.left > 0) return;
  slice(track_array, info(kind_of(layout_, program_[work.index])).title, "execute", array_from_,
        now + 1, in_view(array_from_, now + 1) ? describe(work.index) : std::string());
  in_array_.pop_front();
  array_begun_ = false;
}

/// A sample enters a block.
void Timeline::dais_works(Cycle now) {
  if (in_dais_.empty()) return;
  if (!dais_begun_) dais_from_ = now;
  dais_begun_ = true;
  Work& work = in_dais_.front();
  if (--work.left > 0) return;
  const unsigned block = tcu::dais_fields(program_[work.index]).block;
  slice(track_dais, simulation_.config().architecture.dais_blocks[block].name, "execute",
        dais_from_, now + 1, in_view(dais_from_, now + 1) ? describe(work.index) : std::string());
  in_dais_.pop_front();
  dais_begun_ = false;
}

void Timeline::open_burst(bool read, const Event& event, Cycle now) {
  Port& port = ports_[event.port];
  unsigned lane = 0;
  while (lane < port.lanes.size() && port.lanes[lane]) ++lane;
  if (lane == port.lanes.size()) {
    port.lanes.push_back(false);
    track(track_bursts + event.port * lanes_per_port + lane,
          fmt::format("DRAM{} bursts {}", event.port, lane));
  }
  port.lanes[lane] = true;
  (read ? port.reads : port.writes)
      .push_back({now, event.a, event.b + 1, read ? event.b + 1 : 1, lane});
}

/// A beat of a read, or the response of a write.
void Timeline::close_burst(unsigned index, bool read, Cycle now) {
  Port& port = ports_[index];
  std::deque<Burst>& bursts = read ? port.reads : port.writes;
  if (bursts.empty() || --bursts.front().left > 0) return;
  const Burst burst = bursts.front();
  bursts.pop_front();
  port.lanes[burst.lane] = false;
  slice(track_bursts + index * lanes_per_port + burst.lane, read ? "read" : "write", "burst",
        burst.from, now + 1,
        fmt::format("{{\"address\":\"0x{:x}\",\"beats\":{}}}", burst.address, burst.beats));
}

// ---- counters -----------------------------------------------------------------------------------

void Timeline::end_of_cycle(Cycle cycle) {
  if (full() && !cut_) cut_ = cycle + 1;
  if (cycle + 1 < next_sample_) return;
  sample(cycle);
}

/// Writes the counters that have changed since the sample before.
void Timeline::sample(Cycle now) {
  const Decoder::Levels levels = simulation_.system().tcu().decoder().levels();
  const auto outstanding = [&](std::size_t p) {
    return ports_[p].reads.size() + ports_[p].writes.size();
  };
  const std::array<std::uint64_t, 7> values{levels.array,   levels.accumulator, levels.dataflow,
                                            outstanding(0), outstanding(1),     runs_,
                                            levels.dais};
  const auto changed = [&](std::size_t i) { return values[i] != samples_[i]; };
  if (changed(0) || changed(1) || changed(2) || changed(6)) {
    counter(
        "decoder queues", now,
        fmt::format("\"array\":{},\"accumulators\":{},\"local router\":{}", values[0], values[1],
                    values[2]) +
            (layout_.dais_block_count > 0 ? fmt::format(",\"DAIS blocks\":{}", values[6]) : ""));
  }
  if (changed(3) || changed(4)) {
    counter("outstanding bursts", now,
            fmt::format("\"DRAM0\":{},\"DRAM1\":{}", values[3], values[4]));
  }
  if (changed(5)) {
    counter("array utilisation %", next_sample_ - sample_interval,
            fmt::format("\"of peak\":{}", values[5] * 100 / sample_interval));
  }
  samples_ = values;
  runs_ = 0;
  next_sample_ = now + 1 + sample_interval - (now + 1) % sample_interval;
}

}  // namespace tactus
