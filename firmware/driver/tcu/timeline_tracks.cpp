#include "firmware/driver/tcu/timeline_tracks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "isa/support/json_text.h"
#include "isa/tcu/accesses.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/names.h"
#include "models/sim/array_figures.h"

namespace tactus {

TcuTimelineTracks::TcuTimelineTracks(const WatchedMachine& machine, const TcuSystem& system)
    : machine_(machine),
      system_(system),
      layout_(system.architecture()),
      bursts_(TcuEvent::axi, {"DRAM0", "DRAM1"}) {}

void TcuTimelineTracks::begin(TimelineSheet& timeline) {
  timeline_ = &timeline;
  bursts_.begin(timeline);
  timeline.track(track_decoder, "decoder: instructions");
  timeline.track(track_array, "array: instructions");
  timeline.track(track_alus, "ALUs: operations");
  if (layout_.dais_block_count > 0) timeline.track(track_dais, "DAIS blocks: instructions");
}

void TcuTimelineTracks::begin_run(const std::vector<std::uint8_t>& program) {
  program_ = tcu::decode_program(layout_, program);
  head_ = 0;
  head_from_ = machine_.now();
  accepted_.clear();
  array_ = dais_ = {};
  in_alu_.clear();
  bursts_.begin_run();
  levels_ = system_.tcu().decoder().levels();
  const tcu::Architecture& architecture = system_.architecture();
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const tcu::InstructionKind kind = kind_of(layout_, program_[i]);
    const std::uint64_t vectors = vector_count(architecture, layout_, program_[i]);
    if (kind == tcu::InstructionKind::mat_mul || kind == tcu::InstructionKind::load_weights) {
      array_.work.push_back({i, vectors});
    } else if (kind == tcu::InstructionKind::dais) {
      const unsigned number = tcu::dais_fields(program_[i]).block;
      const tcu::DaisBlockEntry& block = architecture.dais_blocks[number];
      const std::uint64_t samples = vectors / block.input_vectors(architecture.array_size);
      if (samples > 0) dais_.work.push_back({i, samples});
    } else if (kind == tcu::InstructionKind::simd &&
               simd_fields(layout_, program_[i]).op != tcu::SimdOp::no_op) {
      in_alu_.push_back(i);
    }
  }
}

std::string TcuTimelineTracks::describe(std::size_t index) const {
  if (index >= program_.size()) return {};  // padding, or an instruction that the host has added
  return fmt::format("{{\"instruction\":{},\"text\":{}}}", index,
                     json_string(tcu::disassemble(layout_, program_[index])));
}

/// Title of an instruction in a slice: its kind, or the name of the DAIS block that it uses.
std::string_view TcuTimelineTracks::title(std::size_t index) const {
  const tcu::InstructionKind kind = kind_of(layout_, program_[index]);
  if (kind != tcu::InstructionKind::dais) return info(kind).title;
  const unsigned block = tcu::dais_fields(program_[index]).block;
  return system_.architecture().dais_blocks[block].name;
}

void TcuTimelineTracks::event(const Event& event, Cycle now) {
  if (bursts_.event(event, now)) return;
  switch (event.kind) {
    case TcuEvent::instruction_accepted:
      accepted_.push_back(now);
      break;
    case TcuEvent::retired:
      retired(event, now);
      break;
    case TcuEvent::run:
      ++multiplied_;
      works(array_, track_array, now);
      break;
    case TcuEvent::load:
      works(array_, track_array, now);
      break;
    case TcuEvent::dais:
      works(dais_, track_dais, now);
      break;
    case TcuEvent::alu:
      alu_works(now);
      break;
    default:
      break;
  }
}

void TcuTimelineTracks::retired(const Event& event, Cycle now) {
  const Cycle from = std::max(head_from_, accepted_.empty() ? 0 : accepted_.front() + 1);
  if (!accepted_.empty()) accepted_.pop_front();
  head_from_ = now + 1;
  tcu::Instruction instruction;
  instruction.opcode = static_cast<std::uint8_t>(event.a);
  instruction.flags = static_cast<std::uint8_t>(event.b);
  timeline_->slice(track_decoder, info(kind_of(layout_, instruction)).title, "decode", from,
                   now + 1, timeline_->in_view(from, now + 1) ? describe(head_) : std::string());
  ++head_;
}

void TcuTimelineTracks::works(Executing& executing, unsigned track, Cycle now) {
  if (executing.work.empty()) return;
  if (!executing.begun) executing.from = now;
  executing.begun = true;
  Executing::Work& work = executing.work.front();
  if (--work.left > 0) return;
  const Cycle from = executing.from;
  timeline_->slice(track, title(work.index), "execute", from, now + 1,
                   timeline_->in_view(from, now + 1) ? describe(work.index) : std::string());
  executing.work.pop_front();
  executing.begun = false;
}

void TcuTimelineTracks::alu_works(Cycle now) {
  if (in_alu_.empty()) return;
  const tcu::SimdOp op = simd_fields(layout_, program_[in_alu_.front()]).op;
  timeline_->slice(track_alus, info(op).name, "busy", now, now + 1, describe(in_alu_.front()));
  in_alu_.pop_front();
}

std::vector<GaugeGroup> TcuTimelineTracks::gauges() {
  GaugeGroup queues{"decoder queues", {}};
  const auto add = [&](const char* name, Decoder::LeveledQueue queue) {
    queues.gauges.push_back({name, [this, queue] { return levels_[queue]; }});
  };
  add("array", Decoder::array_level);
  add("accumulators", Decoder::accumulator_level);
  add("local router", Decoder::dataflow_level);
  if (layout_.dais_block_count > 0) add("DAIS blocks", Decoder::dais_level);
  GaugeGroup busy{
      array_figures::busy_title,
      {{"of its cycles",
        [this] { return std::exchange(multiplied_, 0) * 100 / TimelineSheet::sample_interval; }}},
      true};
  return {std::move(queues), bursts_.outstanding(), std::move(busy)};
}

}  // namespace tactus
