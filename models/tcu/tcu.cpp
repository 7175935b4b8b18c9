#include "models/tcu/tcu.h"

#include "models/sim/trace/signals.h"
#include "models/tcu/events.h"
#include "models/tcu/pins/pinned_unit.h"

namespace tactus {
namespace {

bool own_weight_reads(const Tcu::Config& config) {
  return config.architecture.shadow_weights == tcu::ShadowWeights::own_reads;
}

}  // namespace

Tcu::Tcu(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
         Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram)
    : sc_module(name),
      clock_(clock),
      instruction_(instruction),
      dram_(dram),
      decoder_("decoder", clock, config.architecture, config.reset_timeout,
               {instruction,
                local_a_,
                local_b_,
                dataflow_,
                host_,
                array_control_,
                accumulator_control_,
                dais_control_,
                {&dram[0].request, &dram[1].request},
                own_weight_reads(config) ? &weight_loads_ : nullptr}),
      local_("local", clock, config.architecture, local_a_, local_b_),
      local_router_(
          "local_router", clock, config.architecture.array_size, config.architecture.local_depth,
          {dataflow_, local_a_, array_weights_, array_input_, array_output_, accumulator_input_,
           accumulator_output_, config.architecture.dais_blocks.empty() ? nullptr : &dais_input_,
           config.architecture.dais_blocks.empty() ? nullptr : &dais_output_,
           config.architecture.activation_unit ? &activation_links_ : nullptr}),
      host_router_("host_router", clock,
                   {host_, local_b_, {&dram[0].in, &dram[1].in}, {&dram[0].out, &dram[1].out}}),
      array_("array", clock, config.architecture, config.rounding,
             {array_control_, array_weights_, array_input_, array_output_,
              local_router_.results_of_dais(), own_weight_reads(config) ? &weight_loads_ : nullptr,
              &local_}),
      accumulators_("accumulators", clock, config.architecture,
                    {accumulator_control_, accumulator_input_, accumulator_output_}) {
  if (config.architecture.activation_unit) {
    activation_ = std::make_unique<ActivationUnit>("activation", clock, config.architecture,
                                                   activation_links_);
  }
  if (!config.architecture.dais_blocks.empty()) {
    dais_ = std::make_unique<DaisUnit>("dais", clock, config.architecture,
                                       DaisUnitLinks{dais_control_, dais_input_, dais_output_});
  }
  for_each_unit(*this, [this](const UnitName&, const auto&, auto...) { ++units_; });
  connect();
}

/// Lets each unit be woken by the wires that it reads.
void Tcu::connect() {
  for_each_unit(*this, [this](const UnitName& name, auto& unit, auto...) {
    Border border(clock_.activity, name.bit);
    unit.border(border);
  });
}

void Tcu::commit() {
  UnitActivity& activity = clock_.activity;
  moving_ = activity.awake & (first_other - 1);
  activity.sleep(first_other - 1);
  for_each_unit(*this, [this](const UnitName& name, auto& unit, auto...) {
    if ((moving_ & name.bit) == 0) return;
    unit.decide();
    ++clock_.activity.evaluations;
  });
  if ((moving_ & decoder_unit) == 0) decoder_.pass_time(1);
  move_units<EdgeOrder::blocks>();
  move_units<EdgeOrder::control>();
  move_units<EdgeOrder::data>();
  move_units<EdgeOrder::host>();
}

void Tcu::add_phases(Phases& phases) {
  for_each_unit(*this, [&phases](const UnitName&, auto& unit, auto... steps) {
    (phases.settle.emplace_back([&unit, steps] { steps(unit); }), ...);
    phases.commit.emplace_back([&unit] { unit.commit(); });
  });
}

void Tcu::add_pinned_units(std::vector<PinnedUnit>& units) {
  for_each_unit(*this, [&units](const UnitName& name, auto& unit, auto... steps) {
    PinnedUnit pinned = pinned_unit(name.key, name.title, name.bit, unit);
    pinned.settle = [&unit, steps...] { (steps(unit), ...); };
    pinned.commit = [&unit] { unit.commit(); };
    units.push_back(std::move(pinned));
  });
}

/// Events for which the unit's account has a state are left out, since it has no states then.
void Tcu::count_outside(UnitSet replaced) {
  if ((replaced & array_unit) == 0 || !array_control_.fires()) return;
  const ArrayControl& control = array_control_.bits;
  if (control.load) ++array_.counts().loads;
  if (!control.load && control.zeroes) ++array_.counts().zero_multiplications;
}

std::vector<Account*> Tcu::accounts(UnitSet units) {
  std::vector<Account*> accounts;
  for_each_unit(*this, [&accounts, units](const UnitName& name, auto& unit, auto...) {
    if ((units & name.bit) == 0) return;
    for (Account* account : unit.accounts()) accounts.push_back(account);
  });
  return accounts;
}

bool Tcu::idle() const {
  bool idle = true;
  for_each_unit(
      *this, [&idle](const UnitName&, const auto& unit, auto...) { idle = idle && unit.idle(); });
  return idle;
}

std::vector<std::string> Tcu::waits_for() const {
  std::vector<std::string> lines;
  for_each_unit(*this, [&lines](const UnitName& name, const auto& unit, auto...) {
    if (!unit.idle()) lines.push_back(std::string(name.title) + ": " + unit.waits_for());
  });
  return lines;
}

namespace {

template <typename Unit>
void describe_unit(const Unit& unit, const trace::Scope& tcu, const char* key) {
  unit.describe(tcu.unit(key));
}
/// The ALUs stand beside the accumulators in waveforms.
void describe_unit(const AccumulatorWithAlu& unit, const trace::Scope& tcu, const char* key) {
  unit.describe(tcu.unit(key), tcu.unit("alu"));
}

}  // namespace

void Tcu::describe(const trace::Scope& scope) const {
  for_each_unit(*this, [&scope](const UnitName& name, const auto& unit, auto...) {
    describe_unit(unit, scope, name.key);
  });
}

}  // namespace tactus
