#define SC_INCLUDE_DYNAMIC_PROCESSES  // SystemC 2.3 declares sc_spawn only if this is set
#include "models/tcu/pins/unit_pins.h"

#include <algorithm>

#include "isa/support/error.h"

namespace tactus {

/// Sources and memories that the unit's private wiring does not use.
struct UnitPins::NoSource final : InstructionSource {
  const std::uint8_t* word(Cycle /*now*/) override { return nullptr; }
  void taken(Cycle /*now*/) override {}
  [[nodiscard]] bool exhausted() const override { return true; }
};
struct UnitPins::NoTarget final : AxiTarget {
  void draw_stalls(StallGenerator& /*stalls*/) override {}
  void drive() override {}
  void commit() override {}
  [[nodiscard]] bool idle() const override { return true; }
  [[nodiscard]] bool waits_for_memory() const override { return false; }
};

namespace {

TcuSystem::Config stepping(TcuSystem::Config config) {
  config.engine = Engine::step;
  config.shuffle_seed.reset();
  config.own_units.clear();
  return config;
}

}  // namespace

UnitPins::UnitPins(const sc_core::sc_module_name& name, const TcuSystem::Config& config,
                   const std::string& unit)
    : UnitPins(name, config, [&unit](TcuSystem& system) { return system.pinned_unit(unit); }) {}

UnitPins::UnitPins(const sc_core::sc_module_name& name, const TcuSystem::Config& config,
                   const std::function<PinnedUnit(TcuSystem&)>& unit)
    : sc_module(name),
      source_(std::make_unique<NoSource>()),
      targets_{std::make_unique<NoTarget>(), std::make_unique<NoTarget>()},
      system_("system", clock_, stepping(config), *source_),
      unit_(unit(system_)) {
  for (unsigned p = 0; p < 2; ++p) system_.attach(p, *targets_[p]);
  PinList list(system_.widths());
  unit_.pins(list);
  pins_ = list.pins();
  bound_.resize(pins_.size());
  unsigned most = 1;
  for (const Pin& pin : pins_) most = std::max(most, words_for(pin.width));
  words_.resize(most);
}

UnitPins::~UnitPins() = default;

void UnitPins::bind(UnitSignals& signals) {
  signals.bind("clock", clock);
  signals.bind("reset", reset);
  for (const Pin& pin : pins_) {
    const auto join = [&](auto port) {
      signals.bind(pin.name, *port);
      bind(pin.name, *port);
      ports_.push_back(std::move(port));
    };
    const std::string port_name = std::string(basename()) + "_" + pin.name;
    if (pin.input) {
      join(std::make_shared<sc_core::sc_in<PinBits>>(port_name.c_str()));
    } else {
      join(std::make_shared<sc_core::sc_out<PinBits>>(port_name.c_str()));
    }
  }
}

void UnitPins::before_end_of_elaboration() {
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    if (!bound_[i]) missing_pin(name(), pins_[i]);
  }
}

void UnitPins::end_of_elaboration() {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&clock.posedge_event());
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    if (pins_[i].input) options.set_sensitivity(&bound_[i]->changed());
  }
  sc_core::sc_spawn([this] { evaluate(); }, "evaluate", &options);
}

void UnitPins::read_inputs() {
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    if (!pins_[i].input) continue;
    bound_[i]->read(words_.data());
    pins_[i].store(words_.data());
  }
}

void UnitPins::evaluate() {
  read_inputs();
  unit_.settle();
  if (clock.posedge()) {
    if (reset.read()) {
      system_.reset();
      read_inputs();  // a reset removes the word of the instruction stream
    } else {
      unit_.commit();
    }
    ++clock_.now;
    unit_.settle();
  }
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    // The data behind a payload that is not valid may be gone.
    if (pins_[i].input || (pins_[i].guarded && !*pins_[i].guard)) continue;
    pins_[i].load(words_.data());
    bound_[i]->write(words_.data());
  }
}

}  // namespace tactus
