// Modules that do not fit a unit: one error that names unit and pin.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/simulation.h"
#include "models/tcu/pins/unit_pins.h"
#include "tests/support/error_of.h"

namespace tactus {
namespace {

using sc_core::sc_in;
using sc_core::sc_out;
using sc_dt::sc_uint;

/// The activation unit's pins, with a payload type of choice and wires of choice.
template <typename Vector>
struct Module : sc_core::sc_module {
  using SC_CURRENT_USER_MODULE = Module;  // what SC_HAS_PROCESS defines before SystemC 3
  explicit Module(const sc_core::sc_module_name& name, std::string fault_)
      : sc_module(name), fault(std::move(fault_)) {
    SC_METHOD(settle);
    sensitive << clock << input_valid << output_ready << parameters_valid;
  }
  void settle() {
    parameters_ready.write(true);
    input_ready.write(fault == "ready" ? input_valid.read() : true);
    output_valid.write(fault == "valid" && output_ready.read());
  }
  void bind(UnitSignals& signals) {
    signals.bind("clock", clock);
    signals.bind("reset", reset);
    signals.bind("parameters_valid", parameters_valid);
    signals.bind("parameters_ready", parameters_ready);
    signals.bind("parameters_bits", parameters_bits);
    signals.bind("input_valid", input_valid);
    signals.bind("input_ready", input_ready);
    signals.bind("input_bits", input_bits);
    signals.bind("output_valid", output_valid);
    if (fault != "missing") signals.bind("output_ready", output_ready);
    signals.bind("output_bits", output_bits);
  }
  std::string fault;
  sc_in<bool> clock, reset, parameters_valid, input_valid, output_ready;
  sc_out<bool> parameters_ready, input_ready, output_valid;
  sc_in<Vector> parameters_bits, input_bits;
  sc_out<Vector> output_bits;
};

using Make = std::function<std::unique_ptr<sc_core::sc_module>(UnitSignals&)>;

/// The error of a machine with a 4x4 array and an activation unit.
std::string error_with(const std::vector<std::pair<std::string, Make>>& units) {
  TcuSimulationConfig config;
  config.architecture.array_size = 4;
  config.architecture.activation_unit = true;
  for (const auto& [unit, make] : units) {
    OwnUnit own;
    own.unit = unit;
    own.make = make;
    config.own_units.push_back(own);
  }
  return error_of([&config] {
    TcuSimulation simulation(config);
    (void)simulation.run(std::vector<std::uint8_t>(64));
  });
}

template <typename Vector>
std::string error_of_module(const std::string& fault) {
  return error_with({{"activation", [fault](UnitSignals& signals) {
                        auto module = std::make_unique<Module<Vector>>("module", fault);
                        module->bind(signals);
                        return module;
                      }}});
}

TEST(PinErrors, AWidthThatDoesNotFit) {
  EXPECT_EQ(error_of_module<sc_uint<63>>(""),
            "activation unit: pin parameters_bits has 64 bits, which do not fit sc_uint<63>; "
            "allowed sc_uint<64>, sc_bv<64> or a wider unsigned integer");
}

TEST(PinErrors, AMissingPin) {
  EXPECT_EQ(error_of_module<sc_uint<64>>("missing"),
            "activation unit: pin output_ready, an input of 1 bit, is bound to nothing; every pin "
            "of a unit has to be");
}

TEST(PinErrors, AReadyThatDependsOnItsOwnValid) {
  EXPECT_EQ(error_of_module<sc_dt::sc_bv<64>>("ready"),
            "activation unit: pin input_ready depends on input_valid in the same cycle; a ready "
            "may depend on the valids of other channels only");
}

TEST(PinErrors, AValidThatDependsOnAReady) {
  EXPECT_EQ(error_of_module<std::uint64_t>("valid"),
            "activation unit: pin output_valid depends on output_ready in the same cycle; no valid "
            "or payload may depend on a ready");
}

/// A module for any unit. All outputs are 0 but one, which follows an input.
struct Follower : sc_core::sc_module {
  using SC_CURRENT_USER_MODULE = Follower;  // what SC_HAS_PROCESS defines before SystemC 3
  Follower(const sc_core::sc_module_name& name, UnitSignals& signals, const std::string& in,
           const std::string& out, bool inverts_)
      : sc_module(name), inverts(inverts_) {
    for (const Pin& pin : signals.pins()) {
      if (pin.input) {
        inputs.push_back(std::make_unique<sc_in<PinBits>>());
        signals.bind(pin.name, *inputs.back());
        if (pin.name == in) follows = inputs.back().get();
      } else {
        outputs.push_back(std::make_unique<sc_out<PinBits>>());
        signals.bind(pin.name, *outputs.back());
        if (pin.name == out) output = outputs.back().get();
      }
    }
    SC_METHOD(settle);
    sensitive << *follows;
  }
  void settle() {
    const bool high = !follows->read().words.empty() && follows->read().words[0] != 0;
    output->write({{high != inverts ? 1U : 0U}});
  }
  bool inverts;
  sc_in<PinBits>* follows = nullptr;
  sc_out<PinBits>* output = nullptr;
  std::vector<std::unique_ptr<sc_in<PinBits>>> inputs;
  std::vector<std::unique_ptr<sc_out<PinBits>>> outputs;
};

TEST(PinErrors, ALoopBetweenTwoModules) {
  const auto follower = [](const char* in, const char* out, bool inverts) {
    return [=](UnitSignals& signals) {
      return std::make_unique<Follower>(out, signals, in, out, inverts);
    };
  };
  const std::string error = error_with(
      {{"activation", follower("input_valid", "output_valid", true)},
       {"local_router", follower("activation_output_valid", "activation_input_valid", false)}});
  EXPECT_NE(error.find("local router: pin activation_input_valid still changes after 64 rounds in "
                       "cycle 0: a combinational loop"),
            std::string::npos)
      << error;
}

TEST(PinErrors, UnknownUnitsAndPins) {
  const auto nothing = [](UnitSignals&) { return std::unique_ptr<sc_core::sc_module>(); };
  EXPECT_NE(error_with({{"alu", nothing}}).find("there is no unit alu with pins"),
            std::string::npos);
  EXPECT_NE(error_with({{"array", nothing}}).find("array: no module was made"), std::string::npos);
  EXPECT_NE(error_with({{"array",
                         [](UnitSignals& signals) {
                           auto module = std::make_unique<Module<sc_uint<64>>>("module", "");
                           signals.bind("inputs_valid", module->input_valid);
                           return module;
                         }}})
                .find("array: there is no pin inputs_valid; allowed clock, reset, control_valid"),
            std::string::npos);
  EXPECT_NE(error_with({{"array",
                         [](UnitSignals& signals) {
                           auto module = std::make_unique<Module<sc_uint<64>>>("module", "");
                           signals.bind("control_ready", module->input_valid);
                           return module;
                         }}})
                .find("array: pin control_ready is an output of the unit; allowed an sc_out"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus
