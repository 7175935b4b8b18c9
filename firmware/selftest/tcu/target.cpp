#include "firmware/selftest/tcu/target.h"

#include <algorithm>

namespace tactus::selftest {

std::vector<std::uint8_t> to_bytes(tcu::DataType type, const Lanes& lanes) {
  const tcu::DataTypeInfo& format = info(type);
  const std::uint64_t mask = (std::uint64_t{1} << format.width_bits) - 1;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(lanes.size() * format.storage_bytes);
  for (const std::int64_t lane : lanes) {
    const std::uint64_t bits = static_cast<std::uint64_t>(lane) & mask;
    for (unsigned i = 0; i < format.storage_bytes; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    }
  }
  return bytes;
}

Lanes from_bytes(tcu::DataType type, const std::vector<std::uint8_t>& bytes) {
  const tcu::DataTypeInfo& format = info(type);
  Lanes lanes(bytes.size() / format.storage_bytes);
  const std::uint8_t* at = bytes.data();
  for (std::int64_t& lane : lanes) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < format.storage_bytes; ++i) bits |= std::uint64_t{*at++} << (8 * i);
    bits &= (std::uint64_t{1} << format.width_bits) - 1;
    const bool negative = (bits >> (format.width_bits - 1)) != 0;
    lane = static_cast<std::int64_t>(bits) -
           (negative ? std::int64_t{1} << format.width_bits : std::int64_t{0});
  }
  return lanes;
}

std::uint64_t Target::dram_depth(unsigned port) const {
  const std::uint64_t depth = port == 0 ? architecture().dram0_depth : architecture().dram1_depth;
  return std::min(depth, (std::uint64_t{1} << 32) / architecture().vector_bytes());
}

std::uint64_t Target::beats_per_vector() const {
  return architecture().vector_bytes() / simulation_.word_bytes();
}

Lanes Target::random_vectors(std::uint64_t count) {
  return random_vectors(count, info(type()).min(), info(type()).max());
}

Lanes Target::random_vectors(std::uint64_t count, std::int64_t low, std::int64_t high) {
  Lanes vectors(count * lanes());
  for (std::int64_t& lane : vectors) lane = random_.between(low, high);
  return vectors;
}

void Target::write(unsigned port, std::uint64_t address, const Lanes& vectors) {
  simulation_.write_dram(port, address * architecture().vector_bytes(), to_bytes(type(), vectors));
}

Lanes Target::read(unsigned port, std::uint64_t address, std::uint64_t count) {
  const std::uint64_t bytes = architecture().vector_bytes();
  return from_bytes(type(), simulation_.read_dram(port, address * bytes, count * bytes));
}

void Target::expect(unsigned port, std::uint64_t address, const Lanes& vectors,
                    std::string_view what) {
  const std::vector<std::uint8_t> expected = to_bytes(type(), vectors);
  const std::vector<std::uint8_t> actual =
      simulation_.read_dram(port, address * architecture().vector_bytes(), expected.size());
  if (actual == expected) return;
  fail("{}: DRAM{} from vector {}: {}", what, port, address,
       difference(vectors, from_bytes(type(), actual)));
}

std::string Target::difference(const Lanes& expected, const Lanes& actual) const {
  std::uint64_t different = 0;
  std::size_t first = expected.size();
  for (std::size_t i = expected.size(); i-- > 0;) {
    if (expected[i] == actual[i]) continue;
    ++different;
    first = i;
  }
  if (different == 0) return "bits above the scalars are not zero";
  return fmt::format("{} of {} lanes are wrong, first vector {} lane {}: expected {}, found {}",
                     different, expected.size(), first / lanes(), first % lanes(), expected[first],
                     actual[first]);
}

TcuRunResult Target::run(std::string_view program, const ProgramValues& values,
                         std::vector<std::uint32_t>* retire_log) {
  TcuRunOptions run_options;
  run_options.max_cycles = options_.max_cycles;
  run_options.retire_log = retire_log;
  TcuRunResult result =
      simulation_.run(assemble_program(architecture(), program, values), run_options);
  count(result);
  if (result.end != RunEnd::finished) {
    std::string waits;
    for (const std::string& line : result.waits_for) waits += "; " + line;
    fail("{}.tasm did not finish within {} cycles{}", program, result.cycles, waits);
  }
  if (result.retired < result.instructions) {
    fail("{}.tasm: {} of {} instructions retired", program, result.retired, result.instructions);
  }
  return result;
}

}  // namespace tactus::selftest
