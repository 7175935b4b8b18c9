#include "models/top/tcu/tcu.h"

#include <algorithm>

#include "models/sim/trace/signals.h"

namespace tactus {

Tcu::Tcu(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
         Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram)
    : sc_module(name),
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
      decoder_gate_(clock, decoder_),
      local_gate_(clock, local_),
      local_router_gate_(clock, local_router_),
      host_router_gate_(clock, host_router_),
      array_gate_(clock, array_),
      accumulators_gate_(clock, accumulators_),
      local_a_account_("local_a", clock, DualPortMemory::state_table, DualPortMemory::rest),
      local_b_account_("local_b", clock, DualPortMemory::state_table, DualPortMemory::rest) {
  if (!config.architecture.dais_blocks.empty()) {
    dais_ = std::make_unique<DaisUnit>("dais", clock, config.architecture,
                                       DaisUnitLinks{dais_control_, dais_input_, dais_output_});
    dais_gate_.emplace(clock, *dais_);
  }
  connect(instruction, dram);
}

void Tcu::connect(Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram) {
  const auto join = [](auto& producer, auto& consumer, auto& link) {
    producer.produces(link);
    consumer.consumes(link);
  };
  decoder_gate_.consumes(instruction);
  join(decoder_gate_, local_gate_, local_a_.request);
  join(decoder_gate_, local_gate_, local_b_.request);
  join(decoder_gate_, local_router_gate_, dataflow_);
  join(decoder_gate_, host_router_gate_, host_);
  join(decoder_gate_, array_gate_, array_control_);
  join(decoder_gate_, accumulators_gate_, accumulator_control_);
  join(local_gate_, local_router_gate_, local_a_.read_data);
  join(local_router_gate_, local_gate_, local_a_.write_data);
  join(local_gate_, host_router_gate_, local_b_.read_data);
  join(host_router_gate_, local_gate_, local_b_.write_data);
  join(local_router_gate_, array_gate_, array_weights_);
  join(local_router_gate_, array_gate_, array_input_);
  join(array_gate_, local_router_gate_, array_output_);
  join(local_router_gate_, accumulators_gate_, accumulator_input_);
  join(accumulators_gate_, local_router_gate_, accumulator_output_);
  for (DramLinks& port : dram) {
    decoder_gate_.produces(port.request);
    host_router_gate_.consumes(port.in);
    host_router_gate_.produces(port.out);
  }
  if (!dais_gate_) return;
  join(decoder_gate_, *dais_gate_, dais_control_);
  join(local_router_gate_, *dais_gate_, dais_input_);
  join(*dais_gate_, local_router_gate_, dais_output_);
  array_gate_.watches(local_router_.results_of_dais());
}

// Units whose outputs depend on registers only come first, then the routers, whose outputs depend
// on theirs.
void Tcu::drive() {
  decoder_gate_.drive();
  local_gate_.drive();
  array_gate_.drive();
  if (dais_gate_) dais_gate_->drive();
  accumulators_gate_.drive();
  local_router_gate_.drive_from_wires();
  host_router_gate_.drive_from_wires();
}

// From the consumers at the ends of the data paths back to the sources.
void Tcu::accept() {
  if (accumulators_gate_.accepts()) accumulators_.accept();
  if (local_gate_.accepts()) local_.accept();
  if (local_router_gate_.accepts()) local_router_.accept_results();
  if (array_gate_.accepts()) array_.accept();
  if (dais_gate_ && dais_gate_->accepts()) dais_->accept();
  if (local_router_gate_.accepts()) local_router_.accept_reads();
  if (host_router_gate_.accepts()) host_router_.accept();
}

void Tcu::commit() {
  decoder_gate_.commit();
  local_router_gate_.commit();
  array_gate_.commit();
  if (dais_gate_) dais_gate_->commit();
  accumulators_gate_.commit();
  if (local_gate_.commit()) account_local();
  host_router_gate_.commit();
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
  const bool moves = decoder_.streams_move() || local_gate_.moves() || local_router_gate_.moves() ||
                     array_gate_.moves() || accumulators_gate_.moves();
  if (moves) most = std::min(most, longest_run);
  most = decoder_.steady(most);
  if (local_gate_.moves()) most = local_.steady(most);
  if (local_router_gate_.moves()) most = local_router_.steady(most);
  return array_gate_.moves() ? array_.steady(most) : most;
}

bool Tcu::offer_run(Cycle cycles) {
  if (!decoder_.offer_run(cycles)) return false;
  if (accumulators_gate_.moves() && accumulators_.steady(cycles) < cycles) return false;
  if (!local_gate_.moves()) return true;
  local_.offer_run(cycles);
  if (host_router_gate_.moves()) host_router_.run_to_dram();
  return true;
}

/// From the sources of the data to its ends.
void Tcu::run(Cycle cycles) {
  decoder_.run(cycles);
  if (host_router_gate_.moves()) host_router_.run_from_dram();
  if (local_router_gate_.moves()) local_router_.run_reads();
  if (array_gate_.moves()) array_.offer_run(cycles);
  if (local_router_gate_.moves()) local_router_.run_results();
  if (accumulators_gate_.moves()) accumulators_.run(cycles);
  if (local_router_gate_.moves()) {
    local_router_.run_writes();
    local_router_.run(cycles);
  }
  if (array_gate_.moves()) array_.run(cycles);
  if (local_gate_.moves()) local_.run(cycles);
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
