#include "isa/support/board_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "isa/support/arbitration.h"
#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* port_names[] = {"dram0", "dram1"};
constexpr RealRange nanoseconds{0, 1e6};
constexpr unsigned page_bytes = 4096;
constexpr unsigned least_stream_burst = 128;  ///< bytes of a word of the widest stream
constexpr unsigned most_stream_bursts = 64;

std::optional<double> number_of(const JsonScalar& scalar, bool whole) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return static_cast<double>(*integer);
  }
  if (const auto* real = std::get_if<double>(&scalar); real != nullptr && !whole) return *real;
  return std::nullopt;
}

/// True if a text is empty because its key is missing or holds no text; the problem is reported
/// already.
bool is_missing(ObjectReader& reader, const std::string& key, const std::string& text) {
  return text.empty() && reader.problems().concerns(reader.path() + "/" + key);
}

/// Reads an array of two numbers: the first for reads, the second for writes.
void read_pair(ObjectReader& reader, const std::string& key, RealRange range, bool whole,
               std::array<double, 2>& pair) {
  const ArrayReader array = reader.get_array(key);
  if (array.size() != 2) {
    if (!reader.problems().concerns(reader.path() + "/" + key)) {
      reader.add_problem(key, "must be two numbers, for reads and for writes");
    }
    return;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<double> number = number_of(array.get_scalar(i), whole);
    if (!number) {
      array.add_problem(i, whole ? "must be an integer" : "must be a number");
      continue;
    }
    const double value = *number;
    if (value < range.min || value > range.max) {
      array.add_problem(
          i, fmt::format("{:g} is out of range; allowed {:g}..{:g}", value, range.min, range.max));
      continue;
    }
    pair[i] = value;
  }
}

Parameter<MemoryPath> pair_of(std::string_view key, std::array<double, 2> MemoryPath::*member,
                              RealRange range, bool whole, std::string_view unit,
                              std::string_view sentence) {
  Parameter<MemoryPath> p;
  static_cast<ParameterInfo&>(p) =
      parameter_detail::make_info(key, ParameterType::other, unit, sentence);
  p.option.clear();
  p.get = [member](const MemoryPath& path) -> ParameterValue {
    return fmt::format("[{:g}, {:g}]", (path.*member)[0], (path.*member)[1]);
  };
  p.read_json = [key = std::string(key), member, range, whole](ObjectReader& reader,
                                                               MemoryPath& path) {
    read_pair(reader, key, range, whole, path.*member);
  };
  p.write_json = [key = std::string(key), member, whole](Json& json, const MemoryPath& path) {
    for (const double value : path.*member) {
      if (whole) {
        json[key].push_back(static_cast<std::uint64_t>(value));
      } else {
        json[key].push_back(value);
      }
    }
  };
  p.equal = [member](const MemoryPath& a, const MemoryPath& b) { return a.*member == b.*member; };
  return p;
}

void read_clock(ObjectReader& reader, MemoryPath& path) {
  if (reader.has("clock_mhz")) {
    path.clock_mhz = reader.get_real_in("clock_mhz", 0.001, 100000);
    if (reader.has("clock_ratio")) {
      reader.add_problem("clock_ratio", "there is \"clock_mhz\" already; allowed: one of the two");
    }
    return;
  }
  const std::string text = reader.get_string("clock_ratio");
  if (is_missing(reader, "clock_ratio", text)) return;
  if (const std::optional<ClockRatio> ratio = parse_clock_ratio(text)) {
    path.ratio = *ratio;
    return;
  }
  reader.add_problem("clock_ratio",
                     fmt::format("{} is no ratio of clocks; allowed \"P/Q\", both 1..{}",
                                 quote(text), ClockRatio::most));
}

Parameter<MemoryPath> clock_parameter() {
  Parameter<MemoryPath> p;
  static_cast<ParameterInfo&>(p) = parameter_detail::make_info(
      "clock_ratio", ParameterType::other, "",
      "frequency of the port's clock over the design's, \"P/Q\"; or \"clock_mhz\", its frequency");
  p.option.clear();
  p.get = [](const MemoryPath& path) -> ParameterValue {
    if (path.clock_mhz) return fmt::format("{:g} MHz", *path.clock_mhz);
    return fmt::format("{}/{}", path.ratio.p, path.ratio.q);
  };
  p.read_json = read_clock;
  p.write_json = [](Json& json, const MemoryPath& path) {
    if (path.clock_mhz) {
      json["clock_mhz"] = *path.clock_mhz;
    } else {
      json["clock_ratio"] = fmt::format("{}/{}", path.ratio.p, path.ratio.q);
    }
  };
  p.equal = [](const MemoryPath& a, const MemoryPath& b) {
    return a.clock_mhz == b.clock_mhz && (a.clock_mhz || a.ratio == b.ratio);
  };
  return p;
}

/// The object's own values, for explanations and provenance.
ParameterInfo plain(std::string key, std::string sentence) {
  ParameterInfo info;
  info.key = std::move(key);
  info.type = ParameterType::text;
  info.sentence = std::move(sentence);
  return info;
}

MemoryPath decode_path(ObjectReader reader) {
  MemoryPath path;
  const Parameter<MemoryPath>* clock = nullptr;
  for (const Parameter<MemoryPath>& p : memory_path_parameters()) {
    if (p.key == "clock_ratio") clock = &p;
  }
  clock->read_json(reader, path);
  for (const Parameter<MemoryPath>& p : memory_path_parameters()) {
    if (&p == clock) continue;
    if (p.read_json) {
      p.read_json(reader, path);
    } else {
      p.set(path, read_parameter(p, reader));
    }
  }
  reader.finish();
  const unsigned bytes = path.data_bits / 8;
  if (bytes != 0 && path.split_beats * bytes > page_bytes &&
      !reader.problems().concerns(reader.path() + "/data_bits")) {
    reader.add_problem(
        "split_beats",
        fmt::format(
            "{} beats of {} bits are {} bytes, and no port carries a burst across {} bytes; "
            "allowed 1..{}",
            path.split_beats, path.data_bits, path.split_beats * bytes, page_bytes,
            page_bytes / bytes));
  }
  return path;
}

std::vector<BoardMemory::NamedPath> decode_paths(ObjectReader reader) {
  std::vector<BoardMemory::NamedPath> paths;
  const auto find = [&](const std::string& name) {
    return std::find_if(paths.begin(), paths.end(),
                        [&](const auto& path) { return path.first == name; });
  };
  const std::vector<std::string> names = reader.keys();
  for (const std::string& name : names) {
    if (!reader.is_string(name)) {
      paths.emplace_back(name, decode_path(reader.get_object(name)));
      continue;
    }
    const std::string other = reader.get_string(name);
    const auto found = find(other);
    if (found == paths.end()) {
      reader.add_problem(name, fmt::format("{} is no path above this one", quote(other)));
      continue;
    }
    const MemoryPath same = found->second;
    paths.emplace_back(name, same);
  }
  reader.finish();
  return paths;
}

std::uint64_t decode_base(ObjectReader& reader, const std::string& key) {
  const std::string text = reader.get_string(key);
  if (is_missing(reader, key, text)) return 0;
  const bool hex = text.rfind("0x", 0) == 0;
  const auto value = read_number<std::uint64_t>(text.substr(hex ? 2 : 0), hex ? 16 : 10);
  constexpr std::uint64_t alignment = page_bytes;
  if (value && *value % alignment == 0) return *value;
  reader.add_problem(key, fmt::format("{} is no base; allowed \"0x...\", a multiple of {}",
                                      quote(text), alignment));
  return 0;
}

void check_path_name(ObjectReader& reader, const std::string& key, const std::string& name,
                     const BoardMemory& memory) {
  std::vector<std::string_view> known;
  for (const auto& path : memory.paths) known.push_back(path.first);
  if (is_missing(reader, key, name)) return;
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  reader.add_problem(key, fmt::format("{} is no path; allowed {}{}", quote(name), quote_list(known),
                                      suggestion(name, known)));
}

MemoryStream decode_stream(ObjectReader& reader) {
  MemoryStream stream;
  stream.path = reader.get_string("path");
  stream.base = decode_base(reader, "base");
  const std::uint64_t bytes = reader.get_u64("burst_bytes", least_stream_burst, page_bytes);
  if ((bytes & (bytes - 1)) != 0) {
    reader.add_problem("burst_bytes", fmt::format("{} is no power of two; allowed {}..{}", bytes,
                                                  least_stream_burst, page_bytes));
  }
  stream.burst_bytes = static_cast<unsigned>(bytes);
  stream.bursts = static_cast<unsigned>(reader.get_u64("bursts", 1, most_stream_bursts));
  return stream;
}

/// Reads "open", "closed" or "timeout(100)"; the key may be missing.
void decode_page_policy(ObjectReader& ddr, BoardMemory& memory) {
  const std::string text = ddr.get_optional_string("page_policy").value_or("");
  if (text.empty() || text == "open" || text == "closed") {
    memory.page_policy = text;
    return;
  }
  constexpr std::string_view name = "timeout(";
  constexpr std::uint64_t most_clocks = 1000000;
  if (text.compare(0, name.size(), name) == 0 && text.back() == ')') {
    const auto clocks =
        read_number<std::uint64_t>(text.substr(name.size(), text.size() - name.size() - 1));
    if (clocks && *clocks >= 1 && *clocks <= most_clocks) {
      memory.page_policy = "timeout";
      memory.page_timeout = clocks;
      return;
    }
  }
  ddr.add_problem("page_policy", fmt::format("{} is not allowed; allowed \"open\", \"closed\", "
                                             "\"timeout(N)\" with N DRAM clocks, 1..{}",
                                             quote(text), most_clocks));
}

std::string decode_arbitration(ObjectReader& reader) {
  const std::string text = reader.get_optional_string("arbitration").value_or("");
  try {
    (void)read_arbitration(text);
    return text;
  } catch (const UserError& error) {
    reader.add_problem("arbitration", error.what());
  }
  return {};
}

}  // namespace

std::optional<ClockRatio> clock_ratio(double port_mhz, double design_mhz) {
  const double ratio = port_mhz / design_mhz;
  for (std::uint64_t q = 1; q <= ClockRatio::most; ++q) {
    const double p = std::round(ratio * static_cast<double>(q));
    if (p < 1 || p > static_cast<double>(ClockRatio::most)) continue;
    if (std::abs(p / static_cast<double>(q) - ratio) > 1e-6 * ratio) continue;
    return ClockRatio{static_cast<std::uint64_t>(p), q};
  }
  return std::nullopt;
}

std::optional<ClockRatio> parse_clock_ratio(const std::string& text) {
  ClockRatio ratio;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  ratio.p = read_number<std::uint64_t>(text.substr(0, slash)).value_or(0);
  ratio.q = read_number<std::uint64_t>(text.substr(slash + 1)).value_or(0);
  if (ratio.p == 0 || ratio.q == 0) return std::nullopt;
  const std::uint64_t common = std::gcd(ratio.p, ratio.q);
  ratio = {ratio.p / common, ratio.q / common};
  if (ratio.p > ClockRatio::most || ratio.q > ClockRatio::most) return std::nullopt;
  return ratio;
}

bool MemoryPath::operator==(const MemoryPath& o) const {
  return memory_path_parameters().equal(*this, o);
}

const MemoryPath& BoardMemory::path(const std::string& name) const {
  for (const auto& [known, path] : paths) {
    if (known == name) return path;
  }
  internal_error("no memory path {}", name);
}

bool BoardMemory::operator==(const BoardMemory& o) const {
  return paths == o.paths && ports == o.ports && preset == o.preset && scheduler == o.scheduler &&
         page_policy == o.page_policy && page_timeout == o.page_timeout &&
         arbitration == o.arbitration && base == o.base && stream == o.stream;
}

const ParameterTable<MemoryPath>& memory_path_parameters() {
  using M = MemoryPath;
  static const ParameterTable<MemoryPath> table(
      "memory", "A way from a DRAM port to the memory controller: an entry of \"paths\".",
      {clock_parameter(),
       whole("data_bits", &M::data_bits, {32, 1024, true}, "bits", "width of the port")
           .without_option(),
       whole("split_beats", &M::split_beats, {1, 256}, "beats",
             "longest burst behind the port; longer ones are split")
           .without_option(),
       whole("outstanding", &M::outstanding, {1, 256}, "bursts",
             "bursts that may be in flight behind the port, in each direction")
           .without_option(),
       pair_of("crossing", &M::crossing, {0, 1000}, true, "clocks of the port",
               "latency of crossing the clocks there and back, for reads and for writes"),
       pair_of("interconnect_ns", &M::interconnect_ns, nanoseconds, false, "ns",
               "latency of the interconnect between design and port, both ways together, for reads "
               "and for writes"),
       pair_of("fixed_ns", &M::fixed_ns, nanoseconds, false, "ns",
               "latency from the port to the memory controller and back, for reads and for writes"),
       whole("write_buffer_beats", &M::write_buffer_beats, {1, 4096}, "beats",
             "write data that the interconnect can hold, in beats of the design")
           .without_option(),
       whole("controller_port", &M::controller_port, {0, 63}, "",
             "port of the memory controller; paths may share one")
           .without_option()});
  return table;
}

const ParameterSection& memory_section() {
  static const ParameterSection section = [] {
    ParameterSection s = memory_path_parameters().section();
    for (ParameterInfo& info : s.parameters) info.type = ParameterType::text;  // as in a file
    s.parameters.push_back(plain("ports", "the path of each DRAM port"));
    s.parameters.push_back(
        plain("ddr", "the DRAM and its controller: a preset of configs/dram, or a file"));
    s.parameters.push_back(
        plain("arbitration",
              "whose access the controller takes first: ports, round_robin, fixed:unit1,dram0 or "
              "shares:unit0=0.6,unit1=0.3:4096 (window in clocks of the DRAM)"));
    s.parameters.back().optional = true;
    s.parameters.push_back(plain("base", "first byte of each bank in the DRAM"));
    s.parameters.push_back(
        plain("stream", "how the instruction stream is read: path, burst_bytes, bursts, base"));
    s.parameters.back().optional = true;
    return s;
  }();
  return section;
}

BoardMemory decode_board_memory(ObjectReader reader) {
  BoardMemory memory;
  memory.paths = decode_paths(reader.get_object("paths"));
  ObjectReader ports = reader.get_object("ports");
  ObjectReader base = reader.get_object("base");
  const bool paths_known = !reader.problems().concerns(reader.path() + "/paths");
  for (unsigned p = 0; p < 2; ++p) {
    const std::string name = ports.get_string(port_names[p]);
    memory.ports[p] = name;
    memory.base[p] = decode_base(base, port_names[p]);
    if (paths_known) check_path_name(ports, port_names[p], name, memory);
  }
  ports.finish();
  base.finish();
  ObjectReader ddr = reader.get_object("ddr");
  memory.preset = ddr.get_string("preset");
  static const std::vector<std::string_view> schedulers{"fifo", "frfcfs"};
  if (const auto found = ddr.get_optional_enum("scheduler", schedulers)) {
    memory.scheduler = schedulers[*found];
  }
  decode_page_policy(ddr, memory);
  ddr.finish();
  memory.arbitration = decode_arbitration(reader);
  if (reader.has("stream")) {
    ObjectReader stream = reader.get_object("stream");
    memory.stream = decode_stream(stream);
    if (paths_known) check_path_name(stream, "path", memory.stream->path, memory);
    stream.finish();
  }
  reader.finish();
  return memory;
}

Json encode_board_memory(const BoardMemory& memory) {
  Json json;
  for (unsigned p = 0; p < 2; ++p) json["ports"][port_names[p]] = memory.ports[p];
  for (const auto& [name, path] : memory.paths) {
    memory_path_parameters().write(json["paths"][name], path);
  }
  json["ddr"]["preset"] = memory.preset;
  if (!memory.scheduler.empty()) json["ddr"]["scheduler"] = memory.scheduler;
  if (memory.page_timeout) {
    json["ddr"]["page_policy"] = fmt::format("timeout({})", *memory.page_timeout);
  } else if (!memory.page_policy.empty()) {
    json["ddr"]["page_policy"] = memory.page_policy;
  }
  if (!memory.arbitration.empty()) json["arbitration"] = memory.arbitration;
  for (unsigned p = 0; p < 2; ++p) {
    json["base"][port_names[p]] = fmt::format("0x{:x}", memory.base[p]);
  }
  if (memory.stream) {
    Json& stream = json["stream"];
    stream["path"] = memory.stream->path;
    stream["burst_bytes"] = memory.stream->burst_bytes;
    stream["bursts"] = memory.stream->bursts;
    stream["base"] = fmt::format("0x{:x}", memory.stream->base);
  }
  return json;
}

}  // namespace tactus
