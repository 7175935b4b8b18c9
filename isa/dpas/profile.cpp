#include "isa/dpas/profile.h"

#include <nlohmann/json.hpp>

#include "isa/dpas/profile_table.h"
#include "isa/dpas/timing.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr std::uint32_t most_registers = 256;
constexpr WholeRange cycles{1, 100000};
constexpr WholeRange cycles_or_none{0, 100000};

std::vector<std::string_view> meaningful_precisions() {
  std::vector<std::string_view> names;
  for (unsigned code = 0; code < precision_codes; ++code) {
    const auto precision = static_cast<Precision>(code);
    if (!is_reserved(precision)) names.push_back(info(precision).name);
  }
  return names;
}

Parameter<Profile> precisions_parameter() {
  Parameter<Profile> p;
  p.key = "precisions";
  p.type = ParameterType::other;
  p.sentence = "element formats of src1 and src2: an array of names";
  p.get = [](const Profile& profile) -> ParameterValue { return profile.precision_list(); };
  p.equal = [](const Profile& a, const Profile& b) { return a.precisions == b.precisions; };
  p.read_json = [](ObjectReader& reader, Profile& profile) {
    const ArrayReader names = reader.get_array("precisions");
    profile.precisions = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string text = names.get_string(i);
      const auto precision = find_precision(text);
      if (!precision || is_reserved(*precision)) {
        names.add_problem(
            i, quote(text) + " is no precision; allowed " + quote_list(meaningful_precisions()));
      } else if (profile.has(*precision)) {
        names.add_problem(i, quote(text) + " is named twice");
      } else {
        profile.precisions = static_cast<PrecisionSet>(profile.precisions | bit(*precision));
      }
    }
  };
  p.write_json = [](nlohmann::ordered_json& json, const Profile& profile) {
    json["precisions"] = nlohmann::ordered_json::array();
    for (unsigned code = 0; code < precision_codes; ++code) {
      const auto precision = static_cast<Precision>(code);
      if (profile.has(precision)) json["precisions"].push_back(std::string(info(precision).name));
    }
  };
  return p;
}

Parameter<Profile> igc_latency_parameter() {
  Parameter<Profile> p;
  p.key = "igc_latency";
  p.type = ParameterType::other;
  p.unit = "cycles";
  p.sentence = "latency for RC = 1..8 in the table of Intel's compiler: an array of 8 numbers";
  p.get = [](const Profile& profile) -> ParameterValue {
    std::string text;
    for (const std::uint32_t value : profile.igc_latency) {
      text += (text.empty() ? "" : " ") + std::to_string(value);
    }
    return text;
  };
  p.equal = [](const Profile& a, const Profile& b) { return a.igc_latency == b.igc_latency; };
  p.read_json = [](ObjectReader& reader, Profile& profile) {
    const ArrayReader values = reader.get_array("igc_latency");
    if (values.size() != profile.igc_latency.size()) {
      reader.add_problem("igc_latency", fmt::format("has {} numbers; allowed {}, for RC = 1..8",
                                                    values.size(), profile.igc_latency.size()));
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      profile.igc_latency[i] =
          static_cast<std::uint32_t>(values.get_u64(i, read_delay, cycles.max));
    }
  };
  p.write_json = [](nlohmann::ordered_json& json, const Profile& profile) {
    json["igc_latency"] = profile.igc_latency;
  };
  return p;
}

ParameterTable<Profile> make_table() {
  using P = Profile;
  return {
      "dpas",
      "A machine with a DPAS array. A file of configs/dpas has every key, beside \"name\", "
      "\"title\" and \"provenance\".",
      {whole("execution_size", &P::execution_size, {8, 16, true}, "channels",
             "N: columns of a DPAS, one a channel"),
       whole("grf_bytes", &P::grf_bytes, {32, 64, true}, "bytes", "bytes of a register"),
       whole("grf_count", &P::grf_count, {32, most_registers, true}, "registers",
             "registers of a thread"),
       whole("tokens", &P::tokens, {1, 32}, "tokens",
             "tokens of a thread, for instructions that finish out of order"),
       whole("threads", &P::threads, {1, 16}, "threads", "hardware threads that share the array"),
       precisions_parameter(),
       boolean("equal_int_widths", &P::equal_int_widths,
               "integer elements of src1 and src2 must have the same width"),
       boolean("narrow_accumulators", &P::narrow_accumulators,
               "dst and src0 may be BF where elements are bf, and HF where they are hf"),
       boolean("narrow_fp8_accumulators", &P::narrow_fp8_accumulators,
               "dst and src0 may be BF where elements are bf8, hf8 or e2m1"),
       boolean("src2_full_alignment", &P::src2_full_alignment,
               "src2 of RC = 8 has to start at a register"),
       boolean("any_systolic_depth", &P::any_systolic_depth,
               "SD may be 1, 2, 4 or 8; otherwise 8 only. Rows of src2 are always 8 * OPS elements "
               "apart"),
       boolean("dpasw", &P::dpasw, "the machine has DPASW, for two fused units in lock step"),
       whole("array_depth", &P::array_depth, {2, 8, true}, "stages",
             "Dp: stages of the array; an instruction takes 8 / Dp passes"),
       whole("overhead", &P::overhead, {read_delay, 1000}, "cycles",
             "o in the latency o + (8/Dp - 1) * max(RC, Dp) + (RC - 1) + Dp"),
       igc_latency_parameter(),
       whole("igc_latency_fp8", &P::igc_latency_fp8, cycles_or_none, "cycles",
             "igc_latency of bf8 and hf8 with RC = 8; 0: the same as of other formats"),
       whole("src1_buffer_bytes", &P::src1_buffer_bytes, {0, 65536}, "bytes",
             "operand buffer of src1, in groups of 8 registers; 0: none"),
       whole("src2_buffer_bytes", &P::src2_buffer_bytes, {0, 65536}, "bytes",
             "operand buffer of src2, in groups of 4 registers; 0: none"),
       boolean("macro_src1_below_rc8", &P::macro_src1_below_rc8,
               "members of a macro with RC below 8 may have different src1"),
       whole("bank_period", &P::bank_period, {2, 256, true}, "registers",
             "registers after which banks repeat; the first half is bank 0"),
       whole("bundle_period", &P::bundle_period, {1, 256, true}, "registers",
             "registers after which bundles repeat"),
       whole("bundle_registers", &P::bundle_registers, {1, 256, true}, "registers",
             "neighbouring registers in one bundle"),
       whole("bank_conflict_cycles", &P::bank_conflict_cycles, {0, 1000}, "cycles",
             "lost by a row that reads two registers of one bank and bundle; 0: none"),
       whole("alu_latency", &P::alu_latency, cycles, "cycles",
             "from a mov or add of up to 8 channels to its result"),
       whole("alu_latency_simd16", &P::alu_latency_simd16, cycles, "cycles",
             "alu_latency with 16 channels"),
       whole("alu_latency_simd32", &P::alu_latency_simd32, cycles, "cycles",
             "alu_latency with 32 channels"),
       whole("flag_latency", &P::flag_latency, cycles, "cycles",
             "from a comparison to an instruction that its predicate controls"),
       whole("branch_latency", &P::branch_latency, cycles, "cycles",
             "from a jump to the instruction after it"),
       whole("barrier_latency", &P::barrier_latency, cycles, "cycles",
             "from the last thread's arrival at a barrier until all go on"),
       whole("fence_latency", &P::fence_latency, cycles, "cycles",
             "latency of a fence whose accesses are complete"),
       whole("send_latency", &P::send_latency, cycles, "cycles",
             "from a message's issue to the read of its first register; then one register a cycle "
             "is read"),
       whole("l1_latency", &P::l1_latency, cycles, "cycles", "latency of a load that hits L1"),
       whole("l3_latency", &P::l3_latency, cycles, "cycles", "latency of a load that hits L3")}};
}

/// Checks values against each other; values that could not be read are not checked.
void check_profile(const Profile& p, ObjectReader& reader) {
  const auto sound = [&](const char* key) {
    return !reader.problems().concerns(reader.path() + "/" + key);
  };
  if (sound("execution_size") && sound("grf_bytes") && p.grf_bytes != 4 * p.execution_size) {
    reader.add_problem("grf_bytes",
                       fmt::format("{} with execution_size {}; allowed {}: a row of floats is one "
                                   "register",
                                   p.grf_bytes, p.execution_size, 4 * p.execution_size));
  }
  if (sound("bundle_period") && sound("bundle_registers") && p.bundle_registers > p.bundle_period) {
    reader.add_problem("bundle_registers",
                       fmt::format("{} is more than bundle_period; allowed 1..{}",
                                   p.bundle_registers, p.bundle_period));
  }
  if (sound("precisions") && p.precisions == 0) {
    reader.add_problem("precisions",
                       "names none; allowed one or more of " + quote_list(meaningful_precisions()));
  }
}

}  // namespace

std::string Profile::precision_list() const {
  std::string text;
  for (unsigned code = 0; code < precision_codes; ++code) {
    const auto precision = static_cast<Precision>(code);
    if (has(precision)) text += (text.empty() ? "" : ", ") + std::string(info(precision).name);
  }
  return text;
}

const ParameterTable<Profile>& profile_parameters() {
  static const ParameterTable<Profile> table = make_table();
  return table;
}

bool operator==(const Profile& a, const Profile& b) { return profile_parameters().equal(a, b); }

Profile decode_profile(ObjectReader reader, MissingKeys missing, const Profile& base) {
  Profile profile = base;
  if (missing == MissingKeys::refused || reader.has("name")) {
    profile.name = reader.get_string("name");
  }
  if (missing == MissingKeys::refused || reader.has("title")) {
    profile.title = reader.get_string("title");
  }
  profile_parameters().read(reader, profile, missing);
  if (reader.has("provenance")) {
    profile.provenance =
        read_provenance(reader.get_object("provenance"), profile_parameters().section());
  }
  reader.finish();
  check_profile(profile, reader);
  return profile;
}

Profile parse_profile(std::string_view json, const std::string& where) {
  JsonDocument document(json, where);
  Profile profile = decode_profile(document.root());
  document.problems().throw_if_any();
  return profile;
}

Profile read_profile(const std::string& path) {
  const std::string text = read_text(path);
  return parse_as(FileKind::dpas_profile, path, text, [&] { return parse_profile(text, path); });
}

void check_profile(const Profile& profile, const std::string& where) {
  nlohmann::ordered_json json;
  json["name"] = profile.name;
  json["title"] = profile.title;
  profile_parameters().write(json, profile);
  (void)parse_profile(text_of_json(json), where);
}

}  // namespace tactus::dpas
