// The hardware model of a target: its memories, compute units, movers and buses.
//
// The fields are those of the slides and of PlaidML at 5aa805b97, where no public code uses their
// times. What they mean here is ours:
//  - one clock; all rates are per cycle of it;
//  - size_KiB is that of one instance; pipeline_depth tiles are in flight, each has an equal part;
//  - an entry of `buses` is one link, which everything listed shares: B bytes occupy it for
//    ceil(B / bytes_per_cycle) cycles. Different entries do not contend;
//  - a transfer goes memory, bus, mover, bus, memory; a compute unit reaches memories by a bus.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/stripe/passes/options.h"

namespace tactus::stripe {

struct MemUnit {
  std::uint64_t count = 1;
  std::uint64_t size_KiB = 0;
  bool is_host = false;  ///< visible to the host without a mover
};

struct ExecUnit {
  std::uint64_t count = 1;
  /// Operations of one instance; a multiply-accumulate counts as one.
  std::uint64_t ops_per_cycle = 0;
  std::uint64_t pipeline_depth = 1;  ///< tiles in flight: 1..8
  std::vector<Stencil> stencils;
};

struct TxUnit {
  std::uint64_t count = 1;
};

struct UnitRef {
  std::string name;
  std::uint64_t index = 0;
  [[nodiscard]] std::string text() const { return name + "[" + std::to_string(index) + "]"; }
};

struct Bus {
  std::vector<UnitRef> sources, sinks;
  double bytes_per_cycle = 0;
};

struct HardwareModel {
  std::string arch;
  std::uint64_t clock_mhz = 0;
  std::map<std::string, MemUnit> mem_units;
  std::map<std::string, ExecUnit> exec_units;
  std::map<std::string, TxUnit> tx_units;
  std::vector<Bus> buses;
  std::map<std::string, std::uint64_t> params;
  std::uint64_t i8_mac_ops_per_cycle = 0;  ///< 0: not given

  /// Bytes of a tile of the memory: its size / the largest pipeline_depth of a compute unit.
  /// UserError for a memory that is not there.
  [[nodiscard]] std::uint64_t tile_bytes(const std::string& memory) const;
  /// True if an entry of `buses` leads from one unit to the other.
  [[nodiscard]] bool connected(const UnitRef& from, const UnitRef& to) const;
};

/// Reads and checks a model. UserError with everything that is wrong, a line each with JSON path:
/// unknown keys, names of several units, references to units that are not there, buses between
/// memories without a mover. `passes` and `lowering` are left alone.
[[nodiscard]] HardwareModel read_hardware_model(std::string_view json, const std::string& where);

/// Returns the model as JSON, in the form of read_hardware_model().
[[nodiscard]] std::string to_json(const HardwareModel& model);

/// UserError "unreachable" unless the mover has a bus from one memory and one to the other.
void require_transfer(const HardwareModel& model, const UnitRef& from, const UnitRef& mover,
                      const UnitRef& to);

/// UserError, with the block's name, for a location that is no unit of the model and a block at a
/// mover that cannot reach its memories.
void check_against(const HardwareModel& model, const Program& program);

}  // namespace tactus::stripe
