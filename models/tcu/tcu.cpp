#include "models/tcu/tcu.h"

#include "models/sim/trace/signals.h"
#include "models/tcu/events.h"

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
             {{TcuEvent::local_read_a, TcuEvent::local_read_b},
              {TcuEvent::local_write_a, TcuEvent::local_write_b}},
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
      local_b_account_("local_b", clock, DualPortMemory::state_table, DualPortMemory::rest),
      instruction_(instruction),
      dram_(dram) {
  if (!config.architecture.dais_blocks.empty()) {
    dais_ = std::make_unique<DaisUnit>("dais", clock, config.architecture,
                                       DaisUnitLinks{dais_control_, dais_input_, dais_output_});
  }
}

// Units whose outputs depend on registers only come first, then the routers, whose outputs depend
// on theirs.
void Tcu::drive() {
  catch_up();
  facts_known_ = false;
  decoder_.drive();
  local_.drive();
  array_.drive();
  if (dais_) dais_->drive();
  accumulators_.drive();
  local_router_.drive();
  host_router_.drive();
}

// From the consumers at the ends of the data paths back to the sources.
void Tcu::accept() {
  accumulators_.accept();
  local_.accept();
  local_router_.accept_results();
  array_.accept();
  if (dais_) dais_->accept();
  local_router_.accept_reads();
  host_router_.accept();
}

void Tcu::decide() {
  decoder_.decide();
  local_.decide();
  local_router_.decide();
  host_router_.decide();
  array_.decide();
  accumulators_.decide();
  evaluations_ += units();
}

void Tcu::commit() {
  if (!recalled_) {
    decide();
    inputs_ = inputs();
    outputs_ = outputs();
    turned_ = true;
    if (place_ != nullptr) {
      *place_ = {place_facts_, true, edges()};
      turned_ = place_->edges.turns;
    }
    if (dais_) dais_->commit();
  }
  if (stays_behind_) {
    decoder_.extend_run(behind_.cycles);
    decoder_.move();
    local_router_.move();
    if (behind_.cycles == 0) enter_data_accounts();
    ++behind_.cycles;
    ++clock_.progress;
  } else {
    decoder_.move();
    local_router_.move();
    array_.move();
    accumulators_.move();
    local_.move();
    account_local();
  }
  host_router_.move();
  last_facts_ = facts_;
  looked_ = recalled_ = stays_behind_ = false;
  place_ = nullptr;
}

std::vector<Account*> Tcu::accounts() {
  std::vector<Account*> accounts{&decoder_.account(), &array_.account()};
  if (dais_) accounts.push_back(&dais_->account());
  accounts.insert(accounts.end(),
                  {&accumulators_.account(), &accumulators_.alu().account(), &local_a_account_,
                   &local_b_account_, &local_router_.account(), &host_router_.account()});
  return accounts;
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
                                                [this] {
                                                  local_.commit();
                                                  account_local();
                                                },
                                                [this] { host_router_.commit(); },
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
