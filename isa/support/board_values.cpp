#include "isa/support/board_values.h"

#include <nlohmann/json.hpp>

#include "isa/support/json_text.h"

namespace tactus {
namespace {

Parameter<BoardValues> memory_parameter() {
  Parameter<BoardValues> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info("memory", ParameterType::other, "",
                                  "the board's memory: ports, paths, ddr, arbitration, base, "
                                  "stream; its keys are explained below");
  p.optional = true;
  p.option.clear();
  p.get = [](const BoardValues& b) -> ParameterValue {
    if (!b.board_memory) return {};
    return text_of_json(encode_board_memory(*b.board_memory));
  };
  p.read_json = [](ObjectReader& reader, BoardValues& b) {
    b.board_memory = decode_board_memory(reader.get_object("memory"));
  };
  p.write_json = [](nlohmann::ordered_json& json, const BoardValues& b) {
    if (b.board_memory) json["memory"] = encode_board_memory(*b.board_memory);
  };
  p.equal = [](const BoardValues& a, const BoardValues& b) {
    return a.board_memory == b.board_memory;
  };
  return p;
}

/// Files of boards choose the memory model by having a memory; older files do not name it.
Parameter<BoardValues> model_parameter() {
  Parameter<BoardValues> p =
      choice("memory_model", &BoardValues::memory_model, {"fixed", "board"},
             "fixed: a memory of fixed latency is behind the DRAM ports; board: the memory that "
             "the board's file describes, the default if it describes one")
          .with_option("memory");
  p.optional = true;
  return p;
}

Parameter<BoardValues> stream_parameter() {
  Parameter<BoardValues> p =
      choice("stream_model", &BoardValues::stream_model, {"ideal", "board"},
             "ideal: the next word of the instruction stream is always ready; board: instructions "
             "are read from the board's memory, as its \"stream\" says")
          .with_option("stream");
  p.optional = true;
  return p;
}

}  // namespace

bool is_fixed_latency(std::string_view key) {
  return key == "read_latency" || key == "write_latency";
}

std::string memory_text(const BoardValues& board) {
  if (board.memory_model == MemoryModel::fixed || !board.board_memory) {
    return fmt::format("memory latency {} read {} write", board.read_latency, board.write_latency);
  }
  const std::string& arbitration = arbitration_text(board);
  return "memory " + (board.ddr.empty() ? board.board_memory->preset : board.ddr) +
         (arbitration.empty() ? "" : " with arbitration " + arbitration) +
         (board.stream_model == StreamModel::board ? " and instruction stream from it" : "");
}

const ParameterTable<BoardValues>& board_parameters() {
  using B = BoardValues;
  static const ParameterTable<BoardValues> table(
      "board",
      "What a board adds to an architecture. A file of configs/boards has the first four keys, "
      "beside \"name\", \"title\", \"architecture\" and \"provenance\", and may have the others.",
      {real("clock_mhz", &B::clock_mhz, {0.001, 100000}, "MHz",
            "clock frequency, which turns cycles into times"),
       whole("axi_data_bits", &B::axi_data_bits, axi_width_range, "bits",
             "width of the DRAM ports and of the instruction stream; it has to divide a vector's "
             "bits"),
       whole("read_latency", &B::read_latency, latency_range, "cycles",
             "from a read's address to its first data, with the memory of fixed latency; the "
             "option selects this memory"),
       whole("write_latency", &B::write_latency, latency_range, "cycles",
             "from a write's last data to its response, with the memory of fixed latency; the "
             "option selects this memory"),
       model_parameter(), stream_parameter(),
       optional_real("port_clock_mhz", &B::port_clock_mhz, {0.001, 100000}, "MHz", "the board's",
                     "clock of the memory's ports; replaces the board's value"),
       optional_whole("port_data_bits", &B::port_data_bits, axi_width_range, "bits", "the board's",
                      "width of the memory's ports; replaces the board's value"),
       optional_real("interconnect_ns", &B::interconnect_ns, {0, 1e6}, "ns", "the board's",
                     "latency between design and memory ports, both ways together; replaces the "
                     "board's value"),
       text("ddr", &B::ddr, "the board's",
            "the DRAM of the board's memory: a preset of configs/dram, or a file")
           .with_value_name("PRESET|F.json"),
       text("arbitration", &B::arbitration, "the board's",
            "whose access the memory controller takes first: ports, round_robin, "
            "fixed:unit1,dram0 or shares:unit0=0.6,unit1=0.3:4096")
           .with_value_name("POLICY"),
       optional_real_by<B>(
           "host_us",
           [](const B& b) -> std::optional<double> {
             if (b.host_us == 0) return std::nullopt;
             return b.host_us;
           },
           [](B& b, double value) { b.host_us = value; }, {0, 1e8}, "us", "0",
           "time of the host in each run. Simulated latencies do not contain it; it counts only in "
           "comparisons with measured runs and in the throughput of many images")
           .without_option(),
       memory_parameter()});
  return table;
}

}  // namespace tactus
