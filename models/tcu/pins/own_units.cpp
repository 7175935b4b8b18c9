#include "models/tcu/pins/own_units.h"

#include <algorithm>
#include <utility>

#include "models/sim/trace/tracer.h"

namespace tactus {
namespace {

/// Cycles of a difference's waveform before the difference.
constexpr std::size_t cycles_before = 20;
/// A replaced unit whose pins have not moved for so many cycles has nothing more to do by itself.
constexpr Cycle rest_cycles = 64;
/// No chain of wires passes the modules more often: each passes each of a unit's outputs once.
constexpr unsigned most_rounds = 64;
constexpr unsigned most_deltas = 10000;

std::string hex(const std::uint64_t* words, unsigned width) {
  std::string text;
  for (unsigned i = words_for(width); i-- > 0;) {
    text += text.empty() ? (words[i] == 0 && i > 0 ? "" : fmt::format("{:x}", words[i]))
                         : fmt::format("{:016x}", words[i]);
  }
  return "0x" + text;
}

}  // namespace

/// A module and its pins. `values` are those at the pins, one behind the other; outputs are those
/// of the model in lockstep.
struct OwnUnits::Unit {
  Unit(const OwnUnit& own, PinnedUnit model_, std::vector<Pin> pins,
       sc_core::sc_signal_inout_if<bool>& clock, sc_core::sc_signal_inout_if<bool>& reset)
      : model(std::move(model_)),
        signals(model.title, model.name, std::move(pins), clock, reset),
        lockstep(own.lockstep),
        waveform(own.waveform) {
    unsigned words = 0;
    for (const Pin& pin : signals.pins()) {
      (pin.input ? inputs : outputs).push_back(at.size());
      at.push_back(words);
      words += words_for(pin.width);
    }
    values.resize(words);
    own_values.resize(words);
    scratch.resize(words);
  }

  [[nodiscard]] const Pin& pin(std::size_t i) const { return signals.pins()[i]; }
  [[nodiscard]] bool differs(const std::vector<std::uint64_t>& a,
                             const std::vector<std::uint64_t>& b, std::size_t i) const {
    for (unsigned word = at[i], end = at[i] + words_for(pin(i).width); word < end; ++word) {
      if (a[word] != b[word]) return true;
    }
    return false;
  }
  void copy(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from,
            std::size_t i) const {
    for (unsigned word = at[i], end = at[i] + words_for(pin(i).width); word < end; ++word) {
      to[word] = from[word];
    }
  }
  /// Loads a pin from the wires; returns whether it has changed. A payload that is not valid is not
  /// read, since its bytes may have been freed.
  bool load(std::size_t i) {
    const Pin& pin = this->pin(i);
    if (pin.wire != nullptr) {
      const std::uint64_t value = *pin.wire ? 1 : 0;
      return std::exchange(values[at[i]], value) != value;
    }
    if (pin.guarded && !*pin.guard) return false;
    pin.load(scratch.data() + at[i]);
    if (!differs(scratch, values, i)) return false;
    copy(values, scratch, i);
    return true;
  }
  /// Reads an output of the module; returns whether it has changed.
  bool read(std::size_t i) {
    signals.signal(i).read(scratch.data() + at[i]);
    if (!differs(scratch, own_values, i)) return false;
    copy(own_values, scratch, i);
    return true;
  }
  void write(std::size_t i) { signals.signal(i).write(values.data() + at[i]); }

  PinnedUnit model;
  UnitSignals signals;
  std::unique_ptr<sc_core::sc_module> module;
  bool lockstep;
  std::string waveform;
  std::vector<std::size_t> inputs, outputs;  ///< numbers of pins
  std::vector<unsigned> at;                  ///< first word of each pin
  std::vector<std::uint64_t> values, own_values, scratch;
  /// Values of the last cycles, in lockstep: `values` and `own_values`.
  std::deque<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> history;
};

OwnUnits::OwnUnits(const sc_core::sc_module_name& name, Clock& clock,
                   const std::vector<OwnUnit>& units, std::vector<PinnedUnit> models,
                   std::shared_ptr<const trace::Widths> widths,
                   std::function<std::string()> instruction)
    : sc_module(name),
      clock_(clock),
      widths_(std::move(widths)),
      instruction_(std::move(instruction)) {
  SC_METHOD(rise);
  sensitive << edge_;
  dont_initialize();
  for (std::size_t i = 0; i < units.size(); ++i) {
    PinnedUnit& model = models[i];
    PinList list(widths_);
    model.pins(list);
    if (!units[i].make) user_error("{}: there is no function that makes the module", model.title);
    if (!units[i].lockstep) {
      Border nobody(clock.activity, 0);
      model.border(nobody);
      replaced_ |= model.bit;
      has_replaced_ = true;
    }
    units_.push_back(std::make_unique<Unit>(units[i], std::move(model), list.pins(), clock_signal_,
                                            reset_signal_));
    Unit& unit = *units_.back();
    unit.module = units[i].make(unit.signals);
    if (!unit.module) user_error("{}: no module was made", unit.model.title);
    unit.signals.check();
  }
}

OwnUnits::~OwnUnits() = default;

bool OwnUnits::replaces(const std::string& name) const {
  return std::any_of(units_.begin(), units_.end(), [&name](const std::unique_ptr<Unit>& unit) {
    return !unit->lockstep && unit->model.name == name;
  });
}

/// Waits until nothing is left to do at the current time.
void OwnUnits::wait_for_deltas(const std::string& what) {
  unsigned deltas = 0;
  do {
    if (++deltas > most_deltas) {
      user_error(
          "{}: signals still change after {} delta cycles at {}: a module has a "
          "combinational loop",
          what, most_deltas, sc_core::sc_time_stamp().to_string());
    }
    sc_core::wait(sc_core::SC_ZERO_TIME);
  } while (sc_core::sc_pending_activity_at_current_time());
}

void OwnUnits::reset_modules() {
  for (const bool last : {false, true}) {
    reset_signal_.write(true);
    clock_signal_.write(false);
    wait_for_deltas(name());
    clock_signal_.write(true);
    wait_for_deltas(name());
    if (last) reset_signal_.write(false);
  }
  clock_signal_.write(false);
  wait_for_deltas(name());
  is_reset_ = true;
}

void OwnUnits::begin_cycle() {
  const bool begins = !is_reset_;
  if (begins) {
    for (const auto& unit : units_) {
      for (const std::size_t i : unit->inputs) unit->write(i);
    }
    reset_modules();
    if (!is_checked_) {
      for (const auto& unit : units_) check_rules(*unit);
      is_checked_ = true;
    }
  }
  clock_signal_.write(false);
  for (const auto& unit : units_) {
    if (unit->lockstep) continue;
    for (const std::size_t i : unit->outputs) {
      if (!unit->read(i) && !begins) continue;
      note_change(*unit);
      unit->pin(i).store(unit->own_values.data() + unit->at[i]);
    }
  }
}

/// A replaced unit has moved. The sampler only watches.
void OwnUnits::note_change(const Unit& unit) {
  if (unit.model.bit == 0) return;
  last_change_ = clock_.now;
  ++clock_.progress;
}

/// Passes the units' wires to the modules and, where a module replaces a unit, its outputs to the
/// wires. Returns whether the units have to settle again. Modules in lockstep see settled wires.
bool OwnUnits::exchange(unsigned round) {
  const auto send = [this](bool lockstep) {
    bool sent = false;
    for (const auto& unit : units_) {
      if (unit->lockstep != lockstep) continue;
      for (const std::size_t i : unit->inputs) {
        if (!unit->load(i)) continue;
        unit->write(i);
        sent = true;
        // Others may be ready or not at random without anything moving.
        if (!lockstep && unit->pin(i).kind != Pin::Kind::ready) note_change(*unit);
      }
    }
    return sent;
  };
  if (has_replaced_ && send(false)) {
    wait_for_deltas(name());
    bool changed = false;
    for (const auto& unit : units_) {
      if (unit->lockstep) continue;
      for (const std::size_t i : unit->outputs) {
        if (!unit->read(i)) continue;
        unit->pin(i).store(unit->own_values.data() + unit->at[i]);
        changed = true;
        if (round >= most_rounds) {
          user_error(
              "{}: pin {} still changes after {} rounds in cycle {}: a combinational loop through "
              "modules in the place of units; no valid may depend on a ready of the same cycle",
              unit->model.title, unit->pin(i).name, most_rounds, clock_.now);
        }
      }
    }
    if (changed) return true;
  }
  if (send(true)) wait_for_deltas(name());
  return false;
}

void OwnUnits::compare() {
  for (const auto& unit : units_) {
    if (!unit->lockstep) continue;
    std::size_t first = unit->at.size();
    for (const std::size_t i : unit->outputs) {
      unit->load(i);
      unit->read(i);
      const Pin& pin = unit->pin(i);
      if (pin.guard != nullptr && !*pin.guard) continue;
      if (first == unit->at.size() && unit->differs(unit->values, unit->own_values, i)) first = i;
    }
    if (unit->history.size() > cycles_before) {
      unit->history.push_back(std::move(unit->history.front()));
      unit->history.pop_front();
      unit->history.back().first = unit->values;
      unit->history.back().second = unit->own_values;
    } else {
      unit->history.emplace_back(unit->values, unit->own_values);
    }
    if (first != unit->at.size()) report(*unit, first);
  }
}

void OwnUnits::end_cycle() {
  edge_.notify(sc_core::sc_time::from_value(clock_.begin()) - sc_core::sc_time_stamp());
}

void OwnUnits::rise() { clock_signal_.write(true); }

bool OwnUnits::idle() const {
  if (!has_replaced_) return true;
  if (clock_.now < last_change_ + rest_cycles) return false;
  for (const auto& unit : units_) {
    if (unit->lockstep || unit->model.bit == 0) continue;
    for (std::size_t i = 0; i < unit->at.size(); ++i) {
      const Pin& pin = unit->pin(i);
      if (pin.kind == Pin::Kind::valid && bool{*pin.wire}) return false;
    }
  }
  return true;
}

// ---- rules -------------------------------------------------------------------------------------

void OwnUnits::check_rules(Unit& unit) {
  check_rules(unit, true);
  check_rules(unit, false);
}

/// Changes one input at a time, with all others at the level, and looks at the outputs.
void OwnUnits::check_rules(Unit& unit, bool level) {
  const std::vector<std::uint64_t> before = unit.values;
  const auto set = [&unit](std::size_t i, bool high) {
    const unsigned width = unit.pin(i).width;
    for (unsigned w = 0; w < words_for(width); ++w) {
      unit.values[unit.at[i] + w] = high ? ~std::uint64_t{0} : 0;
    }
    if (high && width % 64 != 0) {
      unit.values[unit.at[i] + width / 64] = (std::uint64_t{1} << width % 64) - 1;
    }
    unit.write(i);
  };
  for (const std::size_t i : unit.inputs) set(i, level);
  wait_for_deltas(unit.model.title);
  for (const std::size_t i : unit.outputs) unit.read(i);
  for (const std::size_t i : unit.inputs) {
    const Pin& in = unit.pin(i);
    if (in.kind != Pin::Kind::valid && in.kind != Pin::Kind::ready) continue;
    set(i, !level);
    wait_for_deltas(unit.model.title);
    for (const std::size_t o : unit.outputs) {
      const Pin& out = unit.pin(o);
      if (!unit.read(o)) continue;
      const bool late = in.kind == Pin::Kind::ready &&
                        (out.kind == Pin::Kind::valid || out.kind == Pin::Kind::payload);
      const bool own =
          in.kind == Pin::Kind::valid && out.kind == Pin::Kind::ready && in.channel == out.channel;
      if (late) {
        user_error(
            "{}: pin {} depends on {} in the same cycle; no valid or payload may depend on "
            "a ready",
            unit.model.title, out.name, in.name);
      }
      if (own) {
        user_error(
            "{}: pin {} depends on {} in the same cycle; a ready may depend on the valids "
            "of other channels only",
            unit.model.title, out.name, in.name);
      }
    }
    set(i, level);
    wait_for_deltas(unit.model.title);
    for (const std::size_t o : unit.outputs) unit.read(o);
  }
  unit.values = before;
  for (const std::size_t i : unit.inputs) unit.write(i);
  wait_for_deltas(unit.model.title);
}

// ---- differences -------------------------------------------------------------------------------

void OwnUnits::report(Unit& unit, std::size_t i) {
  const Pin& pin = unit.pin(i);
  const std::uint64_t* model = unit.values.data() + unit.at[i];
  const std::uint64_t* own = unit.own_values.data() + unit.at[i];
  std::string field, values;
  for (const PinField& f : pin.fields) {
    std::vector<std::uint64_t> a(words_for(f.width)), b(words_for(f.width));
    take_bits(model, f.at, a.data(), f.width);
    take_bits(own, f.at, b.data(), f.width);
    if (a == b || !field.empty()) continue;
    field = f.name;
    values = fmt::format("the model has {}, the module {}", hex(a.data(), f.width),
                         hex(b.data(), f.width));
  }
  if (field.empty()) {
    field = pin.kind == Pin::Kind::valid ? "valid" : "ready";
    values = fmt::format("the model has {}, the module {}", *model, *own);
  }
  std::string text =
      fmt::format("{}: module and model differ first in cycle {}, channel {}, field {}: {}",
                  unit.model.title, clock_.now, pin.channel, field, values);
  text += "\n  instruction: " + instruction_();
  text += write_waveform(unit);
  throw UnitDifference(unit.model.name, pin.name, field, clock_.now, text);
}

/// Writes the last cycles of both, and returns a line that says so.
std::string OwnUnits::write_waveform(Unit& unit) const {
  if (unit.waveform.empty()) return "";
  trace::Registry registry(widths_);
  const trace::Scope top(registry, unit.model.name);
  top.clock("clock");
  std::size_t cycle = 0;  // in the history
  for (const bool own : {false, true}) {
    const trace::Scope scope = top.unit(own ? "module" : "model");
    for (std::size_t i = 0; i < unit.at.size(); ++i) {
      const Pin& pin = unit.pin(i);
      scope.number(pin.name, pin.width, [&unit, &cycle, own, i](std::uint64_t* words) {
        const auto& [values, own_values] = unit.history[cycle];
        const bool output = own && !unit.pin(i).input;
        std::copy_n(
            (output ? own_values : values).begin() + static_cast<std::ptrdiff_t>(unit.at[i]),
            words_for(unit.pin(i).width), words);
      });
    }
  }
  const trace::Plan plan = trace::make_plan(registry, {});
  trace::VcdWriter::Header header;
  header.tool = "Tactus";
  header.comment = unit.model.title + ": the model and a module in lockstep";
  trace::VcdWriter writer(unit.waveform, plan, header);
  std::vector<std::uint64_t> now(plan.words), before(plan.words);
  const Cycle first = clock_.now + 1 - unit.history.size();
  for (; cycle < unit.history.size(); ++cycle) {
    trace::Tracer::read(plan.settled, now.data());
    trace::Tracer::read(plan.committed, now.data());
    writer.write(first + cycle, now.data(), cycle == 0 ? nullptr : before.data());
    before = now;
  }
  writer.close();
  if (!writer.error().empty()) return "\n  waveform: " + writer.error();
  return fmt::format("\n  waveform of cycles {}..{}: {}", first, clock_.now, unit.waveform);
}

}  // namespace tactus
