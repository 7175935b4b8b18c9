#include "models/top/tcu/tcu.h"

#include <algorithm>

#include "models/sim/trace/signals.h"

namespace tactus {

Tcu::Tcu(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
         Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram)
    : sc_module(name),
      clock_(clock),
      decoder_("decoder", clock, config.architecture, config.reset_timeout,
               {instruction,
                local_a_,
                local_b_,
                dataflow_,
                host_,
                array_control_,
                accumulator_control_,
                dais_control_,
                {&dram[0].request, &dram[1].request}}),
      local_("local", clock, config.architecture.local_depth, config.architecture.vector_bytes(),
             {{EventKind::local_read_a, EventKind::local_read_b},
              {EventKind::local_write_a, EventKind::local_write_b}},
             local_a_, local_b_),
      local_router_(
          "local_router", clock, config.architecture.array_size, config.architecture.local_depth,
          {dataflow_, local_a_, array_weights_, array_input_, array_output_, accumulator_input_,
           accumulator_output_, config.architecture.dais_blocks.empty() ? nullptr : &dais_input_,
           config.architecture.dais_blocks.empty() ? nullptr : &dais_output_}),
      host_router_("host_router", clock,
                   {host_, local_b_, {&dram[0].in, &dram[1].in}, {&dram[0].out, &dram[1].out}}),
      array_("array", clock, config.architecture, config.rounding,
             {array_control_, array_weights_, array_input_, array_output_,
              local_router_.results_of_dais()}),
      accumulators_("accumulators", clock, config.architecture,
                    {accumulator_control_, accumulator_input_, accumulator_output_}),
      local_a_account_("local_a", clock, DualPortMemory::state_table, DualPortMemory::rest),
      local_b_account_("local_b", clock, DualPortMemory::state_table, DualPortMemory::rest) {
  if (!config.architecture.dais_blocks.empty()) {
    dais_ = std::make_unique<DaisUnit>("dais", clock, config.architecture,
                                       DaisUnitLinks{dais_control_, dais_input_, dais_output_});
  }
  connect(instruction, dram);
}

void Tcu::connect(Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram) {
  const auto border = [this](UnitSet unit) { return Border(clock_.agenda, unit); };
  const auto join = [&](UnitSet producer, UnitSet consumer, auto& link) {
    border(producer).produces(link);
    border(consumer).consumes(link);
  };
  border(decoder_unit).consumes(instruction);
  join(decoder_unit, local_unit, local_a_.request);
  join(decoder_unit, local_unit, local_b_.request);
  join(decoder_unit, local_router_unit, dataflow_);
  join(decoder_unit, host_router_unit, host_);
  join(decoder_unit, array_unit, array_control_);
  join(decoder_unit, accumulators_unit, accumulator_control_);
  join(local_unit, local_router_unit, local_a_.read_data);
  join(local_router_unit, local_unit, local_a_.write_data);
  join(local_unit, host_router_unit, local_b_.read_data);
  join(host_router_unit, local_unit, local_b_.write_data);
  join(local_router_unit, array_unit, array_weights_);
  join(local_router_unit, array_unit, array_input_);
  join(array_unit, local_router_unit, array_output_);
  join(local_router_unit, accumulators_unit, accumulator_input_);
  join(accumulators_unit, local_router_unit, accumulator_output_);
  for (DramLinks& port : dram) {
    border(decoder_unit).produces(port.request);
    border(host_router_unit).consumes(port.in);
    border(host_router_unit).produces(port.out);
  }
  if (!dais_) return;
  join(decoder_unit, dais_unit, dais_control_);
  join(local_router_unit, dais_unit, dais_input_);
  join(dais_unit, local_router_unit, dais_output_);
  border(array_unit).watches(local_router_.results_of_dais());
}

// Units whose outputs depend on registers only come first, then the routers, whose outputs depend
// on theirs.
void Tcu::drive() {
  Agenda& agenda = clock_.agenda;
  gate::drive(agenda, decoder_unit, decoder_);
  gate::drive(agenda, local_unit, local_);
  gate::drive(agenda, array_unit, array_);
  if (dais_) gate::drive(agenda, dais_unit, *dais_);
  gate::drive(agenda, accumulators_unit, accumulators_);
  gate::drive_from_wires(agenda, local_router_unit, local_router_);
  gate::drive_from_wires(agenda, host_router_unit, host_router_);
}

// From the consumers at the ends of the data paths back to the sources.
void Tcu::accept() {
  Agenda& agenda = clock_.agenda;
  if (gate::accepts(agenda, accumulators_unit)) accumulators_.accept();
  if (gate::accepts(agenda, local_unit)) local_.accept();
  if (gate::accepts(agenda, local_router_unit)) local_router_.accept_results();
  if (gate::accepts(agenda, array_unit)) array_.accept();
  if (dais_ && gate::accepts(agenda, dais_unit)) dais_->accept();
  if (gate::accepts(agenda, local_router_unit)) local_router_.accept_reads();
  if (gate::accepts(agenda, host_router_unit)) host_router_.accept();
}

void Tcu::commit() {
  Clock& clock = clock_;
  gate::commit(clock, decoder_unit, decoder_);
  gate::commit(clock, local_router_unit, local_router_);
  gate::commit(clock, array_unit, array_);
  if (dais_) gate::commit(clock, dais_unit, *dais_);
  gate::commit(clock, accumulators_unit, accumulators_);
  if (gate::commit(clock, local_unit, local_)) account_local();
  gate::commit(clock, host_router_unit, host_router_);
}

std::vector<Account*> Tcu::accounts() {
  std::vector<Account*> accounts{&decoder_.account(), &array_.account()};
  if (dais_) accounts.push_back(&dais_->account());
  accounts.insert(accounts.end(),
                  {&accumulators_.account(), &accumulators_.alu().account(), &local_a_account_,
                   &local_b_account_, &local_router_.account(), &host_router_.account()});
  return accounts;
}

Cycle Tcu::steady(Cycle most) const {
  if (dais_ && !dais_->idle()) return 0;
  const bool moves = decoder_.streams_move() || goes_on(local_unit) || goes_on(local_router_unit) ||
                     goes_on(array_unit) || goes_on(accumulators_unit);
  if (moves) most = std::min(most, longest_run);
  most = decoder_.steady(most);
  if (goes_on(local_unit)) most = local_.steady(most);
  if (goes_on(local_router_unit)) most = local_router_.steady(most);
  return goes_on(array_unit) ? array_.steady(most) : most;
}

bool Tcu::offer_run(Cycle cycles) {
  if (!decoder_.offer_run(cycles)) return false;
  if (goes_on(accumulators_unit) && accumulators_.steady(cycles) < cycles) return false;
  if (!goes_on(local_unit)) return true;
  local_.offer_run(cycles);
  if (goes_on(host_router_unit)) host_router_.run_to_dram();
  return true;
}

/// From the sources of the data to its ends.
void Tcu::run(Cycle cycles) {
  decoder_.run(cycles);
  if (goes_on(host_router_unit)) host_router_.run_from_dram();
  if (goes_on(local_router_unit)) local_router_.run_reads();
  if (goes_on(array_unit)) array_.offer_run(cycles);
  if (goes_on(local_router_unit)) local_router_.run_results();
  if (goes_on(accumulators_unit)) accumulators_.run(cycles);
  if (goes_on(local_router_unit)) {
    local_router_.run_writes();
    local_router_.run(cycles);
  }
  if (goes_on(array_unit)) array_.run(cycles);
  if (goes_on(local_unit)) local_.run(cycles);
}

void Tcu::add_phases(Phases& phases) {
  phases.settle.insert(phases.settle.end(), {
                                                [this] { decoder_.drive(); },
                                                [this] { local_.drive(); },
                                                [this] { array_.drive(); },
                                                [this] { accumulators_.drive(); },
                                                [this] { local_router_.drive(); },
                                                [this] { host_router_.drive(); },
                                                [this] { accumulators_.accept(); },
                                                [this] { local_.accept(); },
                                                [this] { local_router_.accept_results(); },
                                                [this] { array_.accept(); },
                                                [this] { local_router_.accept_reads(); },
                                                [this] { host_router_.accept(); },
                                            });
  phases.commit.insert(phases.commit.end(), {
                                                [this] { decoder_.commit(); },
                                                [this] { local_router_.commit(); },
                                                [this] { array_.commit(); },
                                                [this] { accumulators_.commit(); },
                                                [this] { local_.commit(); },
                                                [this] { host_router_.commit(); },
                                                [this] { account_local(); },
                                            });
  if (!dais_) return;
  phases.settle.emplace_back([this] { dais_->drive(); });
  phases.settle.emplace_back([this] { dais_->accept(); });
  phases.commit.emplace_back([this] { dais_->commit(); });
}

bool Tcu::idle() const {
  return decoder_.idle() && local_.idle() && local_router_.idle() && array_.idle() &&
         accumulators_.idle() && (!dais_ || dais_->idle());
}

std::vector<std::string> Tcu::waits_for() const {
  std::vector<std::string> lines;
  if (!decoder_.idle()) lines.push_back("decoder: " + decoder_.waits_for());
  if (!array_.idle()) lines.push_back("array: " + array_.waits_for());
  if (dais_ && !dais_->idle()) lines.push_back("DAIS blocks: " + dais_->waits_for());
  if (!accumulators_.idle()) lines.push_back("accumulators: " + accumulators_.waits_for());
  if (!local_.idle()) lines.emplace_back("local memory: read data that nobody takes");
  if (!local_router_.idle()) lines.emplace_back("local router: a vector for a selected path");
  return lines;
}

void Tcu::describe(const trace::Scope& scope) const {
  decoder_.describe(scope.unit("decoder"));
  array_.describe(scope.unit("array"));
  if (dais_) dais_->describe(scope.unit("dais"));
  accumulators_.describe(scope.unit("accumulators"), scope.unit("alu"));
  local_.describe(scope.unit("local"));
  local_router_.describe(scope.unit("local_router"));
  host_router_.describe(scope.unit("host_router"));
}

}  // namespace tactus
