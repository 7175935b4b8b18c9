#include "models/tcu/system.h"

#include <algorithm>

#include "isa/support/board_values.h"
#include "isa/support/error.h"
#include "isa/tcu/layout.h"
#include "models/sim/events.h"
#include "models/sim/trace/signals.h"
#include "models/sim/turns.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/fast/tcu_sequences.h"

namespace tactus {

void check_axi_width(const tcu::Architecture& architecture, unsigned axi_data_bits) {
  const unsigned scalar_bits = info(architecture.data_type).storage_bytes * 8;
  const auto fits = [&](unsigned bits) {
    const unsigned scalars = bits / scalar_bits;
    const bool whole = scalars >= 1 && architecture.array_size % scalars == 0;
    return whole && architecture.array_size / scalars <= 256;
  };
  std::string allowed;
  bool listed = false;
  for (auto bits = static_cast<unsigned>(axi_width_range.min); bits <= axi_width_range.max;
       bits *= 2) {
    listed = listed || bits == axi_data_bits;
    if (fits(bits)) allowed += (allowed.empty() ? "" : ", ") + std::to_string(bits);
  }
  if (listed && fits(axi_data_bits)) return;
  user_error("AXI data width {} bits does not fit vectors of {} {} scalars; allowed {}",
             axi_data_bits, architecture.array_size, info(architecture.data_type).name,
             allowed.empty()
                 ? "none: choose an array size that is a multiple of the scalars in 32 bits"
                 : allowed);
}

TcuSystem::Port::Port(unsigned index, Clock& clock, const Config& config,
                      ConfigRegisters& registers, DramLinks& tcu)
    : port(index == 0 ? "dram0" : "dram1", clock, config.tcu.architecture, config.axi_data_bits / 8,
           index, registers, tcu, pins),
      bit(index == 0 ? dram0_unit : dram1_unit),
      clock_(clock),
      registers_(registers) {
  Border border(clock.activity, bit);
  this->border(border);
}

void TcuSystem::Port::add_phases(Phases& phases) {
  phases.settle.emplace_back([this] { target->drive(); });
  phases.commit.emplace_back([this] { target->commit(); });
  port.add_phases(phases);
}

void TcuSystem::Port::settle() {
  const UnitActivity& activity = clock_.activity;
  target_drives_ = target_waits || activity.is_awake(bit);
  if (target_drives_) target->drive();
  if (activity.is_awake(bit)) {
    port.drive();
    port.accept();
  }
}

void TcuSystem::Port::commit(bool awake) {
  if (awake) {
    port.commit();
    ++clock_.activity.evaluations;
    if (!port.sleeps()) clock_.activity.wake(bit);
  }
  if (!target_drives_) return;
  target->commit();
  target_waits = !target->idle();
}

namespace {

/// Evaluating units in random order needs every cycle settled.
Engine engine_of(const TcuSystem::Config& config) {
  return config.shuffle_seed || !config.own_units.empty() ? Engine::step : config.engine;
}

}  // namespace

TcuSystem::TcuSystem(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
                     InstructionSource& source)
    : sc_module(name),
      config_(config),
      clock_(clock),
      source_(source),
      stalls_(config.stalls),
      every_cycle_(config.stalls.percent() != 0 || config.shuffle_seed.has_value()),
      stream_("stream", clock, config.axi_data_bits / 8,
              tcu::InstructionLayout(config.tcu.architecture).instruction_bytes(), words_,
              instructions_),
      tcu_("tcu", clock, config.tcu, instructions_, dram_),
      sample_pause_(config.sample_pause) {
  clock.engine = engine_of(config);
  Border border(clock.activity, stream_unit);
  stream_.border(border);
  check_axi_width(config.tcu.architecture, config.axi_data_bits);
  for (unsigned p = 0; p < 2; ++p) {
    ports_[p] =
        std::make_unique<Port>(p, clock, config, tcu_.decoder().config_registers(), dram_[p]);
  }
  array_time_.emplace(clock, tcu_.array_account(), tcu_.decoder().account(),
                      std::array<Account*, 2>{&port(0).account(), &port(1).account()});
  if (config.sample_block_size > 0) {
    sampler_ = std::make_unique<Sampler>("sampler", config.sample_block_size, tcu_.decoder(),
                                         tcu_.decoder().links(), samples_);
    tcu_.decoder().preset_sample_interval(config.sample_interval);
  }
  if (!config.own_units.empty()) make_own_units();
  if (clock.engine != Engine::step && !every_cycle_ &&
      TcuSequences::possible(config.tcu.architecture)) {
    sequences_ = std::make_unique<TcuSequences>(*this);
  }
  {
    Registers saves(reset_state_, 0, 0);
    reset_registers(saves);
  }
  if (!config.shuffle_seed) return;
  shuffle_.emplace(*config.shuffle_seed);
  for_each_part(*this, [this](const char*, auto& part) { part.add_phases(phases_); });
}

TcuSystem::~TcuSystem() = default;

void TcuSystem::keep_to_steps() {
  clock_.engine = Engine::step;
  sequences_.reset();
}

/// Resets all registers except the memories' contents and those that reset() sets itself.
void TcuSystem::reset_registers(Registers& r) {
  Decoder& decoder = tcu_.decoder();
  sequenced(decoder).registers_but_moves(r, false);
  sequenced(decoder).registers_of_moves(r, false);
  tcu_.registers(r);
  stream_.registers(r);
  for (auto& port : ports_) port->port.registers(r);
  array_time_->account().registers(r);
}

void TcuSystem::reset() {
  if (tcu_.dais() != nullptr && !tcu_.dais()->idle()) {
    user_error("{}: a reset while samples are in DAIS blocks; allowed when they are idle", name());
  }
  for (Account* account : accounts()) account->settle();
  withdraw_word();
  // Known sequences are valid only for the configuration with which they were found.
  if (sequences_) sequences_->forget();
  tcu_.decoder().reset(config_.tcu.reset_timeout);
  Registers loads(reset_state_.data(), clock_.now, 0);
  reset_registers(loads);
  stream_.load(nullptr, 0);
  if (sampler_) {
    sampler_->reset();
    tcu_.decoder().preset_sample_interval(config_.sample_interval);
    samples_ready_at_ = 0;
  }
  clock_.input_ended = false;
  rested_ = false;
  clock_.activity.wake(UnitActivity::all);
  if (own_units_) own_units_->reset();
}

PinnedUnit TcuSystem::pinned_unit(const std::string& name) {
  std::vector<PinnedUnit> units;
  tcu_.add_pinned_units(units);
  PinnedUnit stream = tactus::pinned_unit("stream", "stream adapter", stream_unit, stream_);
  stream.settle = [this] { stream_.drive(), stream_.accept(); };
  stream.commit = [this] { stream_.commit(); };
  units.push_back(std::move(stream));
  for (auto& part : ports_) {
    Port& port = *part;
    const bool first = port.bit == dram0_unit;
    PinnedUnit unit = tactus::pinned_unit(first ? "dram0" : "dram1",
                                          first ? "DRAM port 0" : "DRAM port 1", port.bit, port);
    unit.settle = [&port] { port.port.drive(), port.port.accept(); };
    unit.commit = [&port] { port.port.commit(); };
    units.push_back(std::move(unit));
  }
  if (sampler_) {
    PinnedUnit sampler = tactus::pinned_unit("sampler", "sampler", 0, *sampler_);
    sampler.settle = [this] { sampler_->drive(); };
    sampler.commit = [this] { sampler_->commit(); };
    units.push_back(std::move(sampler));
  }
  std::string names;
  for (PinnedUnit& unit : units) {
    if (unit.name == name) {
      if (architecture().shadow_weights == tcu::ShadowWeights::own_reads &&
          (unit.bit & (Tcu::decoder_unit | Tcu::array_unit | Tcu::local_unit)) != 0) {
        user_error(
            "{}: it has no pins, since weights have reads of their own (shadow_weights "
            "\"own_reads\") and pass without a channel; allowed other shadow_weights",
            unit.title);
      }
      return std::move(unit);
    }
    names += (names.empty() ? "" : ", ") + unit.name;
  }
  user_error("there is no unit {} with pins in this TCU; allowed {}", name, names);
}

PinnedUnit TcuSystem::pinned_at_axi() {
  PinnedUnit pinned;
  pinned.name = "tcu";
  pinned.title = "TCU";
  pinned.pins = [this](PinList& list) {
    list.name_as_axi("instruction_");
    list.consumes("t", words_, ByteCount{config_.axi_data_bits / 8});
    list.ignores("tlast", 1);
    for (unsigned p = 0; p < 2; ++p) {
      list.name_as_axi(fmt::format("m_axi_dram{}_", p));
      ports_[p]->port.border_pins(list);
    }
    list.name_as_axi("sample_");
    if (sampler_) list.produces("t", samples_);
  };
  pinned.settle = [this] {
    if (sampler_) sampler_->drive();
    settle();
    if (sampler_) sampler_->observe();
  };
  pinned.commit = [this] {
    clock_edge();
    if (sampler_) sampler_->commit();
  };
  return pinned;
}

void TcuSystem::make_own_units() {
  if (config_.shuffle_seed) {
    user_error("modules in the place of units, and units in random order: allowed is one of them");
  }
  std::vector<PinnedUnit> models;
  for (const OwnUnit& own : config_.own_units) {
    models.push_back(pinned_unit(own.unit));
    for (std::size_t i = 0; i + 1 < models.size(); ++i) {
      if (models[i].name == own.unit) user_error("{}: two modules for one unit", models[i].title);
    }
  }
  own_units_ = std::make_unique<OwnUnits>("own_units", clock_, config_.own_units, std::move(models),
                                          widths(), [this] { return tcu_.decoder().head_text(); });
  if (own_units_->replaces("decoder")) tcu_.decoder().stand_outside();
  samples_outside_ = own_units_->replaces("sampler");
}

void TcuSystem::attach(unsigned port, AxiTarget& target) { ports_[port]->target = &target; }

// ---- a cycle ------------------------------------------------------------------------------------

void TcuSystem::cycle() {
  const bool watched = next_watched() == clock_.now;
  if (watched || config_.evaluates_all) clock_.activity.wake(UnitActivity::all);
  offer_word();
  if (stalls_.percent() != 0) {
    for (auto& port : ports_) {
      port->target->draw_stalls(stalls_);
      port->target_waits = true;
    }
  }
  const bool samples = sampler_ != nullptr && !clock_.timing_only;
  if (samples) drive_samples();
  if (shuffle_) {
    shuffled_order(watched);
  } else if (own_units_) {
    settle_with_own_units();
    if (watched) clock_.watcher->settled(clock_.now);
    clock_edge();
    count_outside();
  } else {
    settle();
    // With timing_only, units outside of transfers are left out without being asleep.
    const bool checked = !clock_.timing_only && is_checked(checks_.sleeps);
    if (checked) wake_for_check();
    if (sampler_) sampler_->observe();
    if (watched) clock_.watcher->settled(clock_.now);
    clock_edge();
    if (checked) check_sleep();
  }
  if (words_.fires()) source_.taken(clock_.now);
  if (samples) commit_samples();
  if (clock_.events != nullptr) clock_.events->end_of_cycle(clock_.now);
  if (watched) clock_.watcher->committed(clock_.now);
  if (!clock_.timing_only) ++passed_.evaluated;
  ++clock_.now;
  if (own_units_) own_units_->end_cycle();
}

void TcuSystem::count_outside() {
  const UnitSet replaced = own_units_->replaced();
  tcu_.decoder().commit_outside();
  tcu_.count_outside(replaced);
  for (auto& port : ports_) {
    if ((replaced & port->bit) == 0) continue;
    const AxiLinks& pins = port->pins;
    BoundarySplitter::Stats& counts = port->port.splitter().counts();
    if (pins.ar.fires()) ++counts.read_bursts;
    if (pins.aw.fires()) ++counts.write_bursts;
    if (!pins.b.fires()) continue;
    ++counts.write_responses;
    counts.last_write_response = clock_.now;  // the last response ends a run
  }
}

TcuSystem::Absent TcuSystem::absent() {
  Absent absent;
  if (!own_units_) return absent;
  const UnitSet replaced = own_units_->replaced();
  const auto add = [&absent](const std::vector<Account*>& accounts) {
    for (const Account* account : accounts) absent.units.push_back(account->unit());
  };
  if ((replaced & stream_unit) != 0) add(stream_.accounts());
  add(tcu_.accounts(replaced));
  for (auto& port : ports_) {
    if ((replaced & port->bit) != 0) add(port->accounts());
  }
  const auto count = [&](UnitSet units, std::initializer_list<std::string_view> counters) {
    if ((replaced & units) != 0) {
      absent.counters.insert(absent.counters.end(), counters.begin(), counters.end());
    }
  };
  count(Tcu::array_unit, {"array_runs", "array_loads_in_turn"});
  count(Tcu::local_unit, {"local_reads", "local_writes"});
  count(Tcu::accumulators_unit,
        {"alu_operations", "accumulator_reads", "accumulator_writes", "table_vectors", "lookups"});
  count(Tcu::dais_unit, {"dais_vectors"});
  count(Tcu::activation_unit, {"activated_vectors", "activation_parameters"});
  count(dram0_unit | dram1_unit, {"read_beats", "write_beats"});
  constexpr UnitSet of_time = Tcu::decoder_unit | Tcu::array_unit | dram0_unit | dram1_unit;
  absent.lost_cycles = (replaced & of_time) != 0;
  absent.kinds = (replaced & Tcu::decoder_unit) != 0;
  return absent;
}

/// Replaced units are left out, as if they were asleep.
void TcuSystem::settle_with_own_units() {
  const UnitSet replaced = own_units_->replaced();
  clock_.activity.sleep(replaced);
  for (auto& port : ports_) port->target_waits |= (replaced & port->bit) != 0;
  own_units_->settle([this] {
    settle();
    if (sampler_) sampler_->observe();
  });
}

void TcuSystem::offer_word() {
  if (words_.valid && !words_.ready) return;  // stays offered until taken
  words_.bits = source_.word(clock_.now);
  words_.valid = words_.bits != nullptr;
  const bool ended = !words_.valid && source_.exhausted() && stream_.idle();
  if (ended == clock_.input_ended) return;
  clock_.input_ended = ended;
  clock_.activity.wake(stream_unit | Tcu::decoder_unit);
}

/// The wires of the cycle, of the units that are awake: valids and payloads from the registers
/// forwards, readies from the ends backwards. A port's wires towards the TCU depend on its
/// registers alone.
void TcuSystem::settle() {
  if (clock_.activity.is_awake(stream_unit)) stream_.drive();
  for (auto& port : ports_) port->settle();
  tcu_.drive();
  tcu_.accept();
  if (clock_.activity.is_awake(stream_unit)) stream_.accept();
}

/// Wires stay as they are from here on until the next cycle. Units whose registers move stay awake.
void TcuSystem::clock_edge() {
  UnitActivity& activity = clock_.activity;
  const UnitSet moving = activity.awake;
  activity.sleep(stream_unit | dram0_unit | dram1_unit);
  tcu_.commit();
  if ((moving & stream_unit) != 0) {
    stream_.commit();
    ++activity.evaluations;
    if (!stream_.sleeps()) activity.wake(stream_unit);
  }
  for (auto& port : ports_) port->commit((moving & port->bit) != 0);
}

void TcuSystem::drive_samples() {
  if (!samples_outside_) sampler_->drive();
  samples_.ready = !holds_samples_ && clock_.now >= samples_ready_at_;
}

void TcuSystem::commit_samples() {
  if (!samples_outside_) sampler_->commit();
  if (!samples_.fires()) return;
  if (samples_.bits.last) samples_ready_at_ = clock_.now + 1 + sample_pause_;
  if (on_sample) on_sample(samples_.bits);
}

void TcuSystem::pass_samples(Cycle end, std::uint16_t flags, std::uint32_t program_counter) {
  while (clock_.now < end) {
    clock_.now += sampler_->pass_time(end - clock_.now);
    if (clock_.now == end) return;
    drive_samples();
    sampler_->observe(flags, program_counter);
    commit_samples();
    ++clock_.now;
  }
}

/// The order of units is free: the wires of a cycle settle to the same values however often and in
/// whatever order the units look at them, and at the clock edge every unit reads wires and writes
/// its own registers only.
void TcuSystem::shuffled_order(bool watched) {
  // The longest chain of wires passes through every step at most once.
  for (std::size_t pass = 0; pass < phases_.settle.size(); ++pass) {
    std::shuffle(phases_.settle.begin(), phases_.settle.end(), *shuffle_);
    for (const auto& step : phases_.settle) step();
  }
  if (sampler_) sampler_->observe();
  if (watched) clock_.watcher->settled(clock_.now);
  for (const auto& step : phases_.observe) step();
  std::shuffle(phases_.commit.begin(), phases_.commit.end(), *shuffle_);
  for (const auto& step : phases_.commit) step();
}

// ---- many cycles --------------------------------------------------------------------------------

Cycle TcuSystem::advance(Cycle most) {
  const Cycle end = clock_.now + most;
  const std::uint64_t transactions = clock_.transactions;
  Cycle quiet = 0;
  paused_ = false;
  seen_retired_ = tcu_.decoder().stats().retired;
  if (sequences_ && begins_program()) take_sequences();
  while (clock_.now < end) {
    const Cycle first = clock_.now;
    const std::uint64_t progress = clock_.progress;
    pass(end - first);
    rested_ = clock_.progress == progress;
    if (sequences_ && tcu_.decoder().stats().retired != seen_retired_) take_sequences();
    if (rested_) quiet = clock_.now - first;
    if (rested_ || clock_.transactions != transactions || paused_) break;
  }
  horizon_ = {};
  return quiet;
}

void TcuSystem::pass(Cycle most) {
  const Cycle cycles = cycles_to_skip(most);
  if (cycles == 0) return cycle();
  if (is_checked(checks_.skips)) return check_skip(cycles);
  pass_idle(cycles);
  if (clock_.events != nullptr) clock_.events->end_of_cycle(clock_.now - 1);
}

void TcuSystem::pass_idle(Cycle cycles) {
  tcu_.pass_time(cycles);
  const Cycle end = clock_.now + cycles;
  if (!clock_.timing_only) passed_.skipped += cycles;
  if (sampler_ && !clock_.timing_only && !samples_outside_) {
    pass_samples(end, sampler_->flags(), tcu_.decoder().registers().program_counter);
  }
  clock_.now = end;
}

/// While every unit sleeps, nothing happens before a memory answers.
Cycle TcuSystem::cycles_to_skip(Cycle most) const {
  // After the first cycle without any change the caller checks for the end of the program.
  if (!rested_ || (clock_.activity.awake & all_units) != 0) return 0;
  if (every_cycle_ || samples_by_cycle_ || clock_.engine == Engine::step) return 0;
  // A source that was stopped has ended the input, and one that was started has begun another one:
  // offer_word() has to see it.
  const bool ends = stream_.idle() && source_.exhausted();
  if (!words_.valid && ends != clock_.input_ended) return 0;
  most = std::min(most, next_watched() - clock_.now);
  if (clock_.events != nullptr) most = tcu_.decoder().cycles_before_timeout(most);
  // Neither while intervals are worked out nor in a replay does the memory go on.
  const bool replays = ports_[0]->target->replays() || ports_[1]->target->replays();
  if (clock_.timing_only || replays) return memories_wait(most);
  return wait_for_turn(clock_, [&] { return memories_wait(most); });
}

/// Number of cycles from the current one on, at most `most`, in which the memories and the source
/// of the program stay as they are, as far as this is known.
Cycle TcuSystem::memories_wait(Cycle most) const {
  if (!words_.valid && !source_.exhausted()) most = source_.waits(clock_.now, most);
  for (const auto& port : ports_) {
    if (port->target_waits) most = port->target->waits(most);
  }
  return most;
}

/// True at the beginning of a program that can be read ahead of time: none of its words has been
/// taken.
bool TcuSystem::begins_program() const {
  const std::optional<InstructionSource::Program> program = source_.program();
  return program && program->taken == 0;
}

/// Called when an instruction has retired or a program begins: takes known sequences of the
/// instructions that follow.
void TcuSystem::take_sequences() {
  const std::uint64_t& retired = tcu_.decoder().stats().retired;
  horizon_.retires -= std::min(horizon_.retires, retired - seen_retired_);
  sequences_->pass_border_again();
  if (!paused_ && clock_.watcher == nullptr && on_border && sequences_->tells(clock_.events)) {
    sequences_->take(horizon_);
  }
  seen_retired_ = retired;
}

// ---- what it tells ------------------------------------------------------------------------------

TcuSystem::Passed TcuSystem::passed() const {
  Passed passed = passed_;
  if (!sequences_) return passed;
  passed.taken = sequences_->taken_cycles();
  passed.visits = sequences_->visits();
  return passed;
}

unsigned TcuSystem::units() const {
  unsigned units = 0;
  for_each_part(*this, [&units](const char*, const auto& part) { units += part.units(); });
  return units;
}

std::vector<Account*> TcuSystem::accounts() {
  std::vector<Account*> accounts;
  for_each_part(*this, [&accounts](const char*, auto& part) {
    for (Account* account : part.accounts()) accounts.push_back(account);
  });
  for (auto& port : ports_) {
    if (Account* account = port->target->account()) accounts.push_back(account);
  }
  for (auto& port : ports_) {
    if (Account* account = port->target->memory_account()) accounts.push_back(account);
  }
  if (Account* account = source_.memory_account()) accounts.push_back(account);
  accounts.push_back(&array_time_->account());
  return accounts;
}

bool TcuSystem::idle() const {
  bool idle = source_.exhausted();
  for_each_part(*this, [&idle](const char*, const auto& part) { idle = idle && part.idle(); });
  return idle && (!own_units_ || own_units_->idle());
}

bool TcuSystem::waits_for_memory() const {
  return ports_[0]->target->waits_for_memory() || ports_[1]->target->waits_for_memory() ||
         source_.waits_for_memory();
}

std::vector<std::string> TcuSystem::waits_for() {
  clock_.activity.wake(UnitActivity::all);
  if (own_units_) clock_.activity.sleep(own_units_->replaced());
  tcu_.drive();  // the wires of the coming cycle
  tcu_.accept();
  std::vector<std::string> lines = tcu_.waits_for();
  for (unsigned p = 0; p < 2; ++p) {
    if (ports_[p]->idle()) continue;
    lines.push_back("dram" + std::to_string(p) + ": " + ports_[p]->port.converter().waits_for());
  }
  if (!stream_.idle() || !source_.exhausted()) {
    lines.emplace_back("instruction stream: the decoder to accept");
  }
  return lines;
}

void TcuSystem::describe(const trace::Scope& scope) const {
  scope.clock("clock");
  for_each_part(*this, [this, &scope](const char* name, const auto& part) {
    part.describe(scope.unit(name));
    const bool is_tcu = static_cast<const void*>(&part) == &tcu_;
    // The sampler is shown inside of the decoder, whose handshakes it looks at.
    if (is_tcu && sampler_) sampler_->describe(scope.unit(name).unit("decoder").unit("sampler"));
  });
}

}  // namespace tactus
