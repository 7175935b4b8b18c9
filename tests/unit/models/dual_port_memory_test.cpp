// The dual-port memory compared with hardware spec 2.6, cycle by cycle, with random inputs at both
// ports.
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "models/sim/kernel_scope.h"
#include "models/tcu/events.h"
#include "models/tcu/memory/dual_port_memory.h"

namespace tactus {
namespace {

constexpr std::size_t vector_bytes = 3;
using Bytes = std::vector<std::uint8_t>;

/// Inputs of one port in one cycle.
struct PortInput {
  bool request_valid = false, write = false, data_valid = false, read_ready = false;
  std::uint64_t address = 0;
  Bytes data;
};

/// A port as in spec 2.6: a 3-entry flow queue after a memory with a latency of one cycle.
struct PortReference {
  std::deque<Bytes> stored;
  std::optional<Bytes> arriving;

  [[nodiscard]] bool read_valid() const { return !stored.empty() || arriving; }
  [[nodiscard]] Bytes read_bits() const { return stored.empty() ? *arriving : stored.front(); }
  [[nodiscard]] bool request_ready(const PortInput& in) const {
    return in.write ? in.data_valid : stored.size() < 2;
  }
  [[nodiscard]] bool write_ready(const PortInput& in) const { return in.request_valid && in.write; }
  [[nodiscard]] bool fires(const PortInput& in) const {
    return in.request_valid && request_ready(in);
  }
  /// Clock edge of the read-data queue.
  void clock(bool read_ready) {
    const bool passes = stored.empty() && read_ready;
    if (!stored.empty() && read_ready) stored.pop_front();
    if (arriving && !passes) stored.push_back(*arriving);
    arriving.reset();
  }
};

struct Rig {
  explicit Rig(std::uint64_t depth)
      : memory("memory", clock, depth, vector_bytes,
               {{TcuEvent::local_read_a, TcuEvent::local_read_b},
                {TcuEvent::local_write_a, TcuEvent::local_write_b}},
               ports[0], ports[1]),
        cells(depth, Bytes(vector_bytes)) {}

  void apply(const std::array<PortInput, 2>& in) {
    for (unsigned p = 0; p < 2; ++p) {
      ports[p].request.valid = in[p].request_valid;
      ports[p].request.bits = {in[p].write, in[p].address};
      ports[p].write_data.valid = in[p].data_valid;
      ports[p].write_data.bits = in[p].data.data();
      ports[p].read_data.ready = in[p].read_ready;
    }
    memory.drive();
    memory.accept();
  }

  void compare(const std::array<PortInput, 2>& in) {
    for (unsigned p = 0; p < 2; ++p) {
      RC_ASSERT(ports[p].read_data.valid == reference[p].read_valid());
      if (ports[p].read_data.valid) {
        const VectorRef bits = ports[p].read_data.bits;
        RC_ASSERT(Bytes(bits, bits + vector_bytes) == reference[p].read_bits());
      }
      RC_ASSERT(ports[p].request.ready == reference[p].request_ready(in[p]));
      RC_ASSERT(ports[p].write_data.ready == reference[p].write_ready(in[p]));
    }
  }

  void edge(const std::array<PortInput, 2>& in) {
    std::array<std::optional<Bytes>, 2> read;
    for (unsigned p = 0; p < 2; ++p) {
      if (!reference[p].fires(in[p]) || in[p].write) continue;
      const bool exists = in[p].address < cells.size();
      read[p] = exists ? cells[in[p].address] : Bytes(vector_bytes);
    }
    for (unsigned p = 0; p < 2; ++p) {
      const bool writes = reference[p].fires(in[p]) && in[p].write;
      reference[p].clock(in[p].read_ready);
      reference[p].arriving = read[p];
      if (writes && in[p].address < cells.size()) cells[in[p].address] = in[p].data;
    }
    memory.commit();
  }

  KernelScope kernel;
  Clock clock;
  std::array<MemoryPort, 2> ports;
  DualPortMemory memory;
  std::vector<Bytes> cells;
  std::array<PortReference, 2> reference;
};

PortInput random_input(std::uint64_t depth, int eager) {
  PortInput in;
  in.request_valid = *rc::gen::inRange(0, 10) < 8;
  in.write = *rc::gen::inRange(0, 10) < 3;
  in.data_valid = *rc::gen::arbitrary<bool>();
  in.read_ready = *rc::gen::inRange(0, 10) < eager;
  in.address = *rc::gen::inRange<std::uint64_t>(0, depth + 2);  // up to two beyond the depth
  for (std::size_t i = 0; i < vector_bytes; ++i) {
    in.data.push_back(*rc::gen::arbitrary<std::uint8_t>());
  }
  return in;
}

RC_GTEST_PROP(DualPortMemoryProperty, DoesWhatTheSpecificationSays, ()) {
  const auto depth = *rc::gen::inRange<std::uint64_t>(1, 6);
  Rig rig(depth);
  const int cycles = *rc::gen::inRange(0, 500);
  const std::array<int, 2> eager{*rc::gen::inRange(1, 11), *rc::gen::inRange(1, 11)};
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const std::array<PortInput, 2> in{random_input(depth, eager[0]), random_input(depth, eager[1])};
    rig.apply(in);
    rig.compare(in);
    rig.edge(in);
  }
  for (std::uint64_t address = 0; address < depth; ++address) {
    const std::uint8_t* found = rig.memory.vector(address);
    RC_ASSERT(Bytes(found, found + vector_bytes) == rig.cells[address]);
  }
  RC_ASSERT(rig.memory.idle() ==
            (!rig.reference[0].read_valid() && !rig.reference[1].read_valid()));
}

/// Bursts as in spec 12.5: with a stalled reader 3 reads are accepted, and no further read while
/// two are stored.
TEST(DualPortMemory, AStalledReaderLetsThreeReadsThrough) {
  Rig rig(8);
  std::array<PortInput, 2> in;
  in[0].request_valid = true;
  in[0].data = in[1].data = Bytes(vector_bytes);
  std::vector<bool> taken;
  for (int cycle = 0; cycle < 8; ++cycle) {
    in[0].read_ready = cycle >= 5;
    rig.apply(in);
    taken.push_back(rig.ports[0].request.fires());
    rig.edge(in);
  }
  // From cycle 5 one entry leaves per cycle; reads are accepted again when fewer than 2 are stored.
  EXPECT_EQ(taken, (std::vector<bool>{true, true, true, false, false, false, false, true}));
}

TEST(DualPortMemory, AReadSeesTheVectorBeforeAWriteOfTheSameCycle) {
  Rig rig(4);
  std::array<PortInput, 2> in;
  in[0] = {true, true, true, true, 2, {1, 2, 3}};
  in[1] = {true, false, false, true, 2, Bytes(vector_bytes)};
  rig.apply(in);
  rig.edge(in);
  in[0].request_valid = false;
  rig.apply(in);
  ASSERT_TRUE(rig.ports[1].read_data.valid);
  EXPECT_EQ(rig.ports[1].read_data.bits[0], 0);
  rig.edge(in);
  rig.apply(in);
  ASSERT_TRUE(rig.ports[1].read_data.valid);
  EXPECT_EQ(rig.ports[1].read_data.bits[0], 1);
}

}  // namespace
}  // namespace tactus
