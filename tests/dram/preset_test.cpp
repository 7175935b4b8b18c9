// Presets: the shipped ones, address maps, and errors of the reader.
#include "isa/dram/ddr_preset.h"

#include <set>

#include <gtest/gtest.h>

#include "firmware/config/config_files.h"
#include "firmware/config/ddr_presets.h"
#include "isa/dram/address_map.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/dram/golden_run.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::dram {
namespace {

TEST(DdrPresets, ShippedPresetsSayWhereEachValueComesFrom) {
  EXPECT_EQ(config_names("dram"),
            (std::vector<std::string>{"ddr3_1050_pynq", "ddr3_1600", "ddr3_650_arty",
                                      "ddr4_2133_zcu104", "ddr4_2400", "lpddr4_1066_ultra96"}));
  for (const std::string& name : config_names("dram")) {
    const DdrPreset preset = read_ddr_preset(name);
    EXPECT_EQ(preset.name, name);
    for (const ParameterInfo& p : ddr_parameters().section().parameters) {
      ASSERT_EQ(preset.provenance.count(p.key), 1U) << name << " " << p.key;
    }
    EXPECT_EQ(preset.config.burst_bytes(), preset.config.bus_bits == 16 ? 16U : 64U) << name;
  }
}

/// The presets have the same values as the memories of the golden runs.
TEST(DdrPresets, AgreeWithTheGoldenRuns) {
  const std::vector<std::pair<const char*, const char*>> pairs{
      {"ddr4_2400", "ddr4_2400/seq_read.fifo_open"},
      {"ddr3_1600", "ddr3_1600/seq_read.fifo_open"},
      {"ddr3_650_arty", "arty_ddr3_650/seq_write.fifo_open"},
      {"ddr4_2133_zcu104", "zcu104_ddr4_2133/seq_read.fifo_open"}};
  const std::set<std::string> controller{"address_map", "scheduler",       "cap",
                                         "buffer",      "read_priority",   "write_buffer",
                                         "port_queue",  "write_high_mark", "write_low_mark",
                                         "xpi_interval"};
  for (const auto& [preset, run] : pairs) {
    const DdrConfig ours = read_ddr_preset(preset).config;
    const DdrConfig theirs = read_packed_run(run).config;
    for (const auto& p : ddr_parameters()) {
      if (controller.count(p.key) != 0) continue;
      // The board's registers round these values in another way than the memspec of the golden
      // runs.
      const bool registers = std::string(preset) == "ddr4_2133_zcu104" &&
                             (p.key == "t_rfc" || p.key == "t_refi" || p.key == "t_rrd_l");
      EXPECT_EQ(p.get(ours) == p.get(theirs), !registers) << preset << " " << p.key;
    }
  }
}

std::string zcu104() {
  return read_text(std::string(TACTUS_SOURCE_DIR) + "/configs/dram/ddr4_2133_zcu104.json");
}

TEST(DdrPresets, BadPresetsAreRefusedWithThePathOfTheKey) {
  struct Mutation {
    const char *from, *to, *error;
  };
  const std::vector<Mutation> mutations{
      {"\"t_rcd\": 15", "\"t_rdc\": 15",
       "p.json:/t_rcd: missing key\np.json:/t_rdc: unknown key; did you mean \"t_rcd\"?"},
      {"\"banks\": 4", "\"banks\": 5",
       "p.json:/banks: 5 is not a power of two; allowed 1..64, a power of two"},
      {"\"rows\": 32768", "\"rows\": 30000",
       "p.json:/rows: 30000 is not a power of two; allowed 2..16777216, a power of two"},
      {"\"bank_groups\": 2", "\"bank_groups\": 4",
       "p.json:/address_map: bank_group has 1 bit; allowed 2, by the geometry"},
      {"bank 15:14", "bank 16:15", "p.json:/address_map: bit 16 belongs to row and to bank"},
      {"row 30:16", "row 31:17", "p.json:/address_map: bit 16 belongs to no field"},
      {"bank_group 13, column 12:3", "bank_group 3, column 13:4",
       "p.json:/address_map: bit 3 belongs to bank_group; allowed column: the 6 lowest bits are "
       "byte and the columns of a burst"},
      {"byte 2:0", "bite 2:0",
       "p.json:/address_map: \"bite\" is no field; allowed \"row\", \"bank\", \"bank_group\", "
       "\"column\", \"byte\", or as a whole: row_bank_column, bank_row_column, row_column_bank; "
       "did you mean \"byte\"?"},
      {"row 30:16", "row 16:30",
       "p.json:/address_map: \"row 16:30\" does not say which bits; allowed row HIGH:LOW or row "
       "BIT, 0..63"},
      {"\"t_ras\": 35", "\"t_ras\": 14", "p.json:/t_ras: 14 contradicts t_rcd; allowed 15 or more"},
      {"\"t_rc\": 50", "\"t_rc\": 40",
       "p.json:/t_rc: 40 contradicts t_ras + t_rp; allowed 49 or more"},
      {"\"t_rrd_l\": 8", "\"t_rrd_l\": 5",
       "p.json:/t_rrd_l: 5 contradicts t_rrd_s; allowed 6 or more"},
      {"\"t_ccd_s\": 4", "\"t_ccd_s\": 3",
       "p.json:/t_ccd_s: 3 contradicts burst_length: data would overlap; allowed 4 or more"},
      {"\"t_wtr_l\": 8", "\"t_wtr_l\": 2",
       "p.json:/t_wtr_l: 2 contradicts t_wtr_s; allowed 3 or more"},
      {"\"t_faw\": 32", "\"t_faw\": 4", "p.json:/t_faw: 4 contradicts t_rrd_s; allowed 6 or more"},
      {"\"t_refi\": 8256", "\"t_refi\": 300",
       "p.json:/t_refi: 300 contradicts t_rfc: an access and a refresh take up to 408 clocks; "
       "allowed 408 or more"},
      {"\"cwl\": 14", "\"cwl\": 40", "p.json:/cwl: 40 contradicts cl; allowed up to 20"},
      {"\"page_policy\": \"open\"", "\"page_policy\": \"timeout\"",
       "p.json:/page_timeout: missing key; page_policy timeout needs it"},
      {"\"page_policy\": \"open\"", "\"page_policy\": \"open\", \"page_timeout\": 10",
       "p.json:/page_timeout: is set, but page_policy is not timeout"},
      {"\"write_high_mark\": 24", "\"write_high_mark\": 33",
       "p.json:/write_high_mark: 33 is beyond write_buffer; allowed up to 32"},
      {"\"write_low_mark\": 16", "\"write_low_mark\": 24",
       "p.json:/write_low_mark: 24 is not below write_high_mark; allowed up to 23"},
      {"\"scheduler\": \"frfcfs\"", "\"scheduler\": \"frfcf\"",
       "p.json:/scheduler: \"frfcf\" is unknown; allowed \"fifo\", \"frfcfs\"; did you mean "
       "\"frfcfs\"?"},
      {"\"tck_ps\": 952", "\"tck_ps\": 0.952", "p.json:/tck_ps: must be an integer, is 0.952"},
      {"\"date\": \"2022-07\"", "\"date\": \"July\"",
       "p.json:/provenance/*/date: \"July\" is no date; allowed YYYY-MM-DD, YYYY-MM"},
      {"\"cap\": {", "\"cup\": {", "p.json:/provenance/cup: unknown key; did you mean \"cap\"?"},
  };
  for (const Mutation& m : mutations) {
    std::string text = zcu104();
    const auto at = text.find(m.from);
    ASSERT_NE(at, std::string::npos) << m.from;
    text.replace(at, std::string(m.from).size(), m.to);
    EXPECT_EQ(error_of([&] { (void)parse_ddr_preset(text, "p.json"); }), m.error) << m.to;
  }
}

std::string with_timing(const std::string& from, const std::string& to) {
  std::string text = zcu104();
  text = text.substr(0, text.find("  \"refresh\""));
  text = text.substr(0, text.rfind(',')) + "}";
  return text.replace(text.find(from), from.size(), to);
}

TEST(DdrPresets, TimesMayBeNanoseconds) {
  const auto rcd = [](const std::string& ns) {
    return parse_ddr_preset(with_timing("\"t_rcd\": 15", "\"t_rcd_ns\": " + ns), "p.json")
        .config.t_rcd;
  };
  // tCK is 952 ps: 15 clocks are 14.28 ns. An excess below 2.5 % of a clock does not add a clock.
  EXPECT_EQ(rcd("14.28"), 15U);
  EXPECT_EQ(rcd("14.3"), 15U);
  EXPECT_EQ(rcd("14.31"), 16U);
  EXPECT_EQ(rcd("13.75"), 15U);
  const auto error = [](const std::string& to) {
    return error_of([&] { (void)parse_ddr_preset(with_timing("\"t_rcd\": 15", to), "p.json"); });
  };
  EXPECT_EQ(error("\"t_rcd\": 15, \"t_rcd_ns\": 14"),
            "p.json:/t_rcd_ns: there is \"t_rcd\" already; allowed: one of the two");
  EXPECT_EQ(error("\"t_rcd_ns\": 0"), "p.json:/t_rcd_ns: are 0 clocks of 952 ps; allowed 1..4096");
  EXPECT_EQ(error("\"t_rcd_ns\": 5000"),
            "p.json:/t_rcd_ns: are 5253 clocks of 952 ps; allowed 1..4096");
  EXPECT_EQ(error("\"t_rcd_ns\": \"14\""), "p.json:/t_rcd_ns: must be a number, is a string");
  EXPECT_EQ(error("\"t_rcd_ns\": 60"), "p.json:/t_ras: 35 contradicts t_rcd; allowed 63 or more");
}

TEST(DdrPresets, AUsersPresetMayOmitSourcesAndTheController) {
  std::string text = zcu104();
  text = text.substr(0, text.find("  \"refresh\""));
  text = text.substr(0, text.rfind(',')) + "}";
  const DdrPreset preset = parse_ddr_preset(text, "p.json");
  EXPECT_TRUE(preset.provenance.empty());
  EXPECT_EQ(preset.config.buffer, DdrConfig().buffer);
}

TEST(DdrPresets, ASingleBankGroupHasOneTiming) {
  DdrConfig config;
  config.t_ccd_l = 5;
  const auto problems = ddr_problems(config);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].key, "t_ccd_s");
  EXPECT_EQ(problems[0].what, "4 differs from t_ccd_l 5; allowed 5, there is one bank group");
}

TEST(DdrPresets, UnknownNamesListTheKnownOnes) {
  EXPECT_NE(
      error_of([] { (void)read_ddr_preset("ddr4_2401"); }).find("did you mean \"ddr4_2400\"?"),
      std::string::npos);
}

TEST(AddressMap, NamedMapsAreListsOfBits) {
  DdrConfig c;
  c.bank_groups = 2;
  c.banks = 4;
  c.rows = 32768;
  EXPECT_EQ(AddressMap::written_out(c),
            "row 30:16, bank 15:14, bank_group 13, column 12:3, byte 2:0");
  c.address_map = "bank_row_column";
  EXPECT_EQ(AddressMap::written_out(c),
            "bank 30:29, bank_group 28, row 27:13, column 12:3, byte 2:0");
  c.address_map = "row_column_bank";
  EXPECT_EQ(AddressMap::written_out(c),
            "row 30:16, column 15:9, bank 8:7, bank_group 6, column 5:3, byte 2:0");
}

TEST(AddressMap, EveryAddressMapsToALocationOfItsOwn) {
  for (const char* name : {"row_bank_column", "bank_row_column", "row_column_bank",
                           "row 14:13, bank 10, row 12:11, bank_group 7, column 9:8, column 6:2, "
                           "bank 15, byte 1:0"}) {
    for (const bool hash : {false, true}) {
      DdrConfig c;
      c.bus_bits = 32;
      c.bank_groups = 2;
      c.banks = 4;
      c.rows = 16;
      c.columns = 128;
      c.address_map = name;
      c.bank_hash = hash;
      ASSERT_EQ(AddressMap::problem(c), "");
      const AddressMap map(c);
      std::set<std::uint64_t> places;
      for (std::uint64_t address = 0; address < c.bytes(); address += 4) {
        const DdrAddress at = map.decode(address);
        ASSERT_LT(at.row, c.rows);
        ASSERT_LT(at.bank, c.all_banks());
        ASSERT_LT(at.column, c.columns);
        places.insert((std::uint64_t{at.row} * c.all_banks() + at.bank) * c.columns + at.column);
      }
      EXPECT_EQ(places.size(), c.bytes() / 4) << name;
    }
  }
}

}  // namespace
}  // namespace tactus::dram
