#include "models/top/tcu/tcu.h"

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
                {&dram[0].request, &dram[1].request}}),
      local_("local", clock, config.architecture.local_depth, config.architecture.vector_bytes(),
             {{EventKind::local_read_a, EventKind::local_read_b},
              {EventKind::local_write_a, EventKind::local_write_b}},
             local_a_, local_b_),
      local_router_("local_router", clock, config.architecture.array_size,
                    config.architecture.local_depth,
                    {dataflow_, local_a_, array_weights_, array_input_, array_output_,
                     accumulator_input_, accumulator_output_}),
      host_router_("host_router",
                   {host_, local_b_, {&dram[0].in, &dram[1].in}, {&dram[0].out, &dram[1].out}}),
      array_("array", clock, config.architecture, config.rounding,
             {array_control_, array_weights_, array_input_, array_output_}),
      accumulators_("accumulators", clock, config.architecture,
                    {accumulator_control_, accumulator_input_, accumulator_output_}) {}

// Units whose outputs depend on registers only come first, then the routers, whose outputs depend
// on theirs.
void Tcu::drive() {
  decoder_.drive();
  local_.drive();
  array_.drive();
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
  local_router_.accept_reads();
  host_router_.accept();
}

void Tcu::commit() {
  decoder_.commit();
  local_router_.commit();
  array_.commit();
  accumulators_.commit();
  local_.commit();
}

void Tcu::begin_repeats() {
  decoder_.begin_repeats();
  moving_ = {local_.moves(), local_router_.moves(), host_.fires(), array_.moves(),
             accumulators_.moves()};
}

bool Tcu::redrive() {
  if (!decoder_.redrive()) return false;
  if (moving_.local) local_.redrive();
  if (moving_.array && !array_.redrive()) return false;
  if (moving_.accumulators) accumulators_.redrive();
  if (moving_.local_router && !local_router_.redrive()) return false;
  if (moving_.host_router) host_router_.redrive();
  return true;
}

void Tcu::repeat() {
  decoder_.repeat();
  if (moving_.local_router) local_router_.repeat();
  if (moving_.array) array_.commit();
  if (moving_.accumulators) accumulators_.repeat();
  if (moving_.local) local_.commit();
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
                                            });
}

bool Tcu::idle() const {
  return decoder_.idle() && local_.idle() && local_router_.idle() && array_.idle() &&
         accumulators_.idle();
}

std::vector<std::string> Tcu::waits_for() const {
  std::vector<std::string> lines;
  if (!decoder_.idle()) lines.push_back("decoder: " + decoder_.waits_for());
  if (!array_.idle()) lines.push_back("array: " + array_.waits_for());
  if (!accumulators_.idle()) lines.push_back("accumulators: " + accumulators_.waits_for());
  if (!local_.idle()) lines.emplace_back("local memory: read data that nobody takes");
  if (!local_router_.idle()) lines.emplace_back("local router: a vector for a selected path");
  return lines;
}

}  // namespace tactus
