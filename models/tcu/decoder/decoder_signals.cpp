// The decoder's signals, for waveforms.
#include <algorithm>
#include <string>

#include "models/tcu/channel_signals.h"
#include "models/tcu/decoder/decoder.h"

namespace tactus {
namespace {

void describe_registers(const trace::Scope& scope, const ConfigRegisters& r) {
  const trace::Scope config = scope.part("config");
  config.config("dram0_offset", 32, [&r] { return r.dram_offset[0]; });
  config.config("dram1_offset", 32, [&r] { return r.dram_offset[1]; });
  config.config("dram0_cache", 4, [&r] { return r.dram_cache[0]; });
  config.config("dram1_cache", 4, [&r] { return r.dram_cache[1]; });
  config.config(
      "timeout", 16, [&r] { return r.timeout; }, trace::Radix::decimal);
  config.config("tracepoint", 32, [&r] { return r.tracepoint; });
  config.config(
      "sample_interval", 16, [&r] { return r.sample_interval; }, trace::Radix::decimal);
  scope.reg(
      "program_counter", 32, [&r] { return r.program_counter; }, trace::Radix::decimal);
}

}  // namespace

void Decoder::describe(const trace::Scope& scope) const {
  const unsigned n = architecture_.array_size;
  const unsigned local = std::max(1U, layout_.local_address);
  const bool has_dais = layout_.dais_block_count > 0;
  scope.channel("instruction", links_.instruction, ByteCount{layout_.instruction_bytes()});
  {
    trace::Payload head = scope.head(
        "head", [this] { return head_valid(); }, [this] { return head_ready(); },
        trace::Moment::settled);
    std::string opcodes = "0 NoOp, 1 MatMul, 2 DataMove, 3 LoadWeights, 4 SIMD, ";
    if (layout_.lookup_table_count > 0) opcodes += "5 LoadLUT, ";
    if (has_dais) opcodes += "6 Dais, ";
    if (layout_.activation_unit) opcodes += "7 LoadActivation, ";
    opcodes += "f Configure";
    const auto raw = [this]() -> const tcu::Instruction& { return queue_.front().raw; };
    head.field(
        "opcode", 4, [raw] { return raw().opcode; }, trace::Radix::hexadecimal, opcodes.c_str());
    head.field("flags", 4, [raw] { return raw().flags; });
    head.field("operand0", layout_.operand0, [raw] { return raw().operand0; });
    head.field("operand1", layout_.operand1, [raw] { return raw().operand1; });
    head.field("operand2", layout_.operand2, [raw] { return raw().operand2; });
    head.field(
        "done", has_dais ? 9 : 8, [this] { return fork_.done(); }, trace::Radix::hexadecimal,
        has_dais ? "legs taken: 1 dataflow, 2 memPortA, 4 memPortB, 8 acc, 10 array, 20 dram0, "
                   "40 dram1, 80 host_dataflow, 100 dais"
                 : "legs taken: 1 dataflow, 2 memPortA, 4 memPortB, 8 acc, 10 array, 20 dram0, "
                   "40 dram1, 80 host_dataflow");
  }
  if (transfers_) {
    scope.level("transfer_queue", architecture_.dma_queue, [this] { return queued_transfers(); });
    scope.state(
        "blocked", 2, [this] { return blocked_; },
        "the head waits: 1 for a queued transfer, 2 for room in their queue, 3 for weights");
  }
  scope.level("instruction_queue", 2, [this] { return queue_.count(); });

  scope.channel("dataflow", links_.dataflow);
  scope.channel("memPortA", links_.local_a.request, local);
  scope.channel("memPortB", links_.local_b.request, local);
  scope.channel("acc", links_.accumulator);
  scope.channel("array", links_.array);
  if (has_dais) scope.channel("dais", links_.dais);
  scope.channel("host_dataflow", links_.host);
  scope.channel("dram0", *links_.dram[0], 0U);
  scope.channel("dram1", *links_.dram[1], 1U);

  scope.level("dataflow_queue", 2 * n, [this] { return dataflow_queue_.count(); });
  scope.level("acc_queue", 2 * n, [this] { return accumulator_queue_.count(); });
  scope.level("array_queue", 2 * n, [this] { return array_queue_.count(); });
  if (has_dais) scope.level("dais_queue", 2 * n, [this] { return dais_queue_.count(); });
  scope.level("host_dataflow_queue", 1, [this] { return host_queue_.count(); });
  scope.level("dram0_queue", 1, [this] { return dram_queue_[0].count(); });
  scope.level("dram1_queue", 1, [this] { return dram_queue_[1].count(); });

  const auto expander = [&](const char* name, unsigned bits, const Expander& e) {
    const trace::Scope part = scope.part(name);
    part.reg(
        "counter", std::max(1U, bits), [&e] { return e.count(); }, trace::Radix::decimal);
    part.reg(
        "offset", std::max(1U, bits), [&e] { return e.offset(); }, trace::Radix::decimal);
  };
  expander("memPortA_expander", local, stream(leg_local_a).expander);
  expander("memPortB_expander", local, stream(leg_local_b).expander);
  expander("acc_expander", layout_.accumulator_address, stream(leg_accumulator).expander);
  expander("array_expander", local, stream(leg_array).expander);
  if (has_dais) expander("dais_expander", local, stream(leg_dais).expander);
  expander("host_dataflow_expander", local, stream(leg_host).expander);
  expander("dram0_expander", layout_.dram0_address, stream(leg_dram0).expander);
  expander("dram1_expander", layout_.dram1_address, stream(leg_dram1).expander);

  describe_registers(scope, registers_);
  scope.reg(
      "timer", 16, [this] { return timer_; }, trace::Radix::decimal);
  scope.wire(
      "timeout", 1, [this] { return timeout(); }, trace::Moment::settled);
  scope.wire(
      "tracepoint", 1, [this] { return tracepoint(); }, trace::Moment::settled);
}

}  // namespace tactus
