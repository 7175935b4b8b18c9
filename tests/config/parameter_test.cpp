// Parameter tables in general, on a struct of the test: every type, every kind of wrong value.
#include "isa/support/parameter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "tests/unit/isa/test_files.h"

namespace tactus {
namespace {

enum class Colour : std::uint8_t { red, green, blue };

struct Thing {
  std::uint32_t depth = 8;
  std::uint64_t cycles = 0;
  unsigned width = 64;
  double rate = 1.5;
  bool quiet = false;
  Colour colour = Colour::green;
  std::string name;
  std::optional<std::uint16_t> seed;
};

const ParameterTable<Thing>& table() {
  static const ParameterTable<Thing> things(
      "thing", "A thing.",
      {whole("depth", &Thing::depth, {2, 256}, "vectors", "how deep"),
       whole("cycles", &Thing::cycles, {}, "cycles", "how long").which_shapes_no_machine(),
       whole("width", &Thing::width, {32, 1024, true}, "bits", "how wide"),
       real("rate", &Thing::rate, {0.5, 100}, "MHz", "how fast").which_old_files_lack(),
       boolean("quiet", &Thing::quiet, "whether it is quiet"),
       choice("colour", &Thing::colour, {"red", "green", "blue"}, "which colour")
           .refusing("pink", "is out of fashion"),
       text("name", &Thing::name, "nameless", "what it is called"),
       optional_whole("seed", &Thing::seed, {1, 65535}, "", "off", "of random things")});
  return things;
}

std::string written(const Thing& thing) {
  nlohmann::ordered_json json;
  table().write(json, thing);
  return json.dump();
}

Thing read(const std::string& text, MissingKeys missing = MissingKeys::refused) {
  JsonDocument document(text, "f");
  ObjectReader root = document.root();
  Thing thing;
  table().read(root, thing, missing);
  root.finish();
  document.problems().throw_if_any();
  return thing;
}

rc::Gen<Thing> things() {
  return rc::gen::exec([] {
    Thing t;
    t.depth = *rc::gen::inRange<std::uint32_t>(2, 257);
    t.cycles = *rc::gen::arbitrary<std::uint64_t>();
    t.width = 32U << *rc::gen::inRange(0U, 6U);
    t.rate = 0.5 + *rc::gen::inRange(0, 995000) / 1e4;
    t.quiet = *rc::gen::arbitrary<bool>();
    t.colour = *rc::gen::element(Colour::red, Colour::green, Colour::blue);
    t.name = *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
    if (*rc::gen::arbitrary<bool>()) t.seed = *rc::gen::inRange<std::uint16_t>(1, 65535);
    return t;
  });
}

TEST(ParameterTable, WhatIsWrittenReadsBack) {
  ASSERT_TRUE(rc::check([] {
    const Thing thing = *things();
    const Thing again = read(written(thing));
    RC_ASSERT(table().equal(thing, again));
    RC_ASSERT(written(again) == written(thing));
  }));
}

TEST(ParameterTable, TextReadsBackAsAnOption) {
  ASSERT_TRUE(rc::check([] {
    const Thing thing = *things();
    Thing again;
    for (const Parameter<Thing>& p : table()) {
      const ParameterValue value = p.get(thing);
      if (std::holds_alternative<std::monostate>(value)) continue;
      p.set(again, parse_parameter(p, "--" + p.option, to_text(p, value)));
    }
    RC_ASSERT(written(again) == written(thing));
  }));
}

TEST(ParameterTable, WritesKeysInTheOrderOfTheTableAndOmitsUnsetOnes) {
  EXPECT_EQ(written(Thing()),
            R"({"depth":8,"cycles":0,"width":64,"rate":1.5,"quiet":false,"colour":"green"})");
}

TEST(ParameterTable, DefaultsAreThoseOfTheStruct) {
  std::vector<std::string> defaults;
  for (const ParameterInfo& p : table().section().parameters) defaults.push_back(p.default_text());
  EXPECT_EQ(defaults,
            (std::vector<std::string>{"8", "0", "64", "1.5", "false", "green", "nameless", "off"}));
}

/// Returns the error for a Thing in JSON with one key replaced.
std::string error_with(const std::string& key, const std::string& value) {
  nlohmann::ordered_json json;
  table().write(json, Thing());
  json[key] = nlohmann::ordered_json::parse(value);
  return error_of([&] { (void)read(json.dump()); });
}

TEST(ParameterTable, WrongValuesAreRefusedWithKeyAndRange) {
  EXPECT_EQ(error_with("depth", "1"), "f:/depth: 1 is out of range; allowed 2..256");
  EXPECT_EQ(error_with("depth", "257"), "f:/depth: 257 is out of range; allowed 2..256");
  EXPECT_EQ(error_with("depth", "-1"), "f:/depth: -1 is out of range; allowed 2..256");
  EXPECT_EQ(error_with("depth", "8.5"), "f:/depth: must be an integer, is 8.5");
  EXPECT_EQ(error_with("cycles", "-1"), "f:/cycles: -1 is out of range; allowed 0 or more");
  std::string beyond = written(Thing());
  beyond.replace(beyond.find("\"cycles\":0"), 10, "\"cycles\":18446744073709551616");
  EXPECT_EQ(error_of([&] { (void)read(beyond); }),
            "f:/cycles: 18446744073709551616 is out of range; allowed 0..2^64-1");
  EXPECT_EQ(error_with("width", "48"),
            "f:/width: 48 is not a power of two; allowed 32..1024, a power of two");
  EXPECT_EQ(error_with("rate", "0.4"), "f:/rate: 0.4 is out of range; allowed 0.5..100");
  EXPECT_EQ(error_with("rate", "100.5"), "f:/rate: 100.5 is out of range; allowed 0.5..100");
  EXPECT_EQ(error_with("quiet", "1"), "f:/quiet: must be true or false, is a number");
  EXPECT_EQ(error_with("colour", "\"gren\""),
            "f:/colour: \"gren\" is unknown; allowed \"red\", \"green\", \"blue\"; did you mean "
            "\"green\"?");
  EXPECT_EQ(error_with("colour", "\"pink\""),
            "f:/colour: \"pink\" is out of fashion; allowed \"red\", \"green\", \"blue\"");
  EXPECT_EQ(error_with("colour", "7"), "f:/colour: must be a string, is a number");
  EXPECT_EQ(error_with("seed", "65536"), "f:/seed: 65536 is out of range; allowed 1..65535");
  EXPECT_EQ(error_with("dept", "3"), "f:/dept: unknown key; did you mean \"depth\"?");
  EXPECT_EQ(
      read(R"({"depth":256,"cycles":0,"width":32,"rate":100,"quiet":true,"colour":"red"})").depth,
      256U);
}

TEST(ParameterTable, WrongWordsAreRefusedWithOptionAndRange) {
  const auto error = [](const std::string& key, const std::string& word) {
    for (const Parameter<Thing>& p : table()) {
      if (p.key == key) return error_of([&] { (void)parse_parameter(p, "--" + p.option, word); });
    }
    return std::string("no such key");
  };
  EXPECT_EQ(error("depth", "1"), "--depth \"1\" is not allowed; allowed: a whole number 2..256");
  EXPECT_EQ(error("depth", "8x"), "--depth \"8x\" is not allowed; allowed: a whole number 2..256");
  EXPECT_EQ(error("cycles", "-1"),
            "--cycles \"-1\" is not allowed; allowed: a whole number 0 or more");
  EXPECT_EQ(error("width", "96"),
            "--width \"96\" is not allowed; allowed: a whole number 32..1024, a power of two");
  EXPECT_EQ(error("rate", "nan"), "--rate \"nan\" is not allowed; allowed: a number 0.5..100");
  EXPECT_EQ(error("colour", "bleu"),
            "--colour \"bleu\" is not allowed; allowed: red, green, blue; did you mean \"blue\"?");
  EXPECT_EQ(error("quiet", "yes"), "--quiet \"yes\" is not allowed; allowed: true, false");
}

TEST(ParameterTable, ValuesOfSweepsAreCheckedInTheSameWay) {
  const auto problem = [](const std::string& key, const JsonScalar& scalar) {
    for (const Parameter<Thing>& p : table()) {
      if (p.key == key) return scalar_problem(p, scalar);
    }
    return std::string("no such key");
  };
  EXPECT_EQ(problem("depth", std::int64_t{256}), "");
  EXPECT_EQ(problem("depth", std::int64_t{257}), "257 is out of range; allowed 2..256");
  EXPECT_EQ(problem("depth", std::int64_t{-1}), "-1 is out of range; allowed 2..256");
  EXPECT_EQ(problem("depth", 8.5), "must be an integer");
  EXPECT_EQ(problem("rate", std::int64_t{3}), "");
  EXPECT_EQ(problem("rate", std::int64_t{0}), "0 is out of range; allowed 0.5..100");
  EXPECT_EQ(problem("rate", true), "must be a number");
  EXPECT_EQ(problem("quiet", std::int64_t{1}), "must be true or false");
  EXPECT_EQ(problem("colour", std::string("red")), "");
  EXPECT_NE(problem("colour", std::string("rad")), "");
  EXPECT_EQ(problem("colour", std::int64_t{1}), "must be a string");
}

TEST(ParameterTable, MissingKeysAreProblemsUnlessAllowed) {
  const std::string lacks_rate =
      R"({"depth":9,"cycles":0,"width":64,"quiet":false,"colour":"green"})";
  EXPECT_EQ(error_of([&] { (void)read(lacks_rate); }), "f:/rate: missing key");
  EXPECT_EQ(read(lacks_rate, MissingKeys::old_allowed).rate, 1.5);
  EXPECT_EQ(error_of([] { (void)read(R"({"rate": 2})", MissingKeys::old_allowed); }),
            "f:/depth: missing key\nf:/cycles: missing key\nf:/width: missing key\n"
            "f:/quiet: missing key\nf:/colour: missing key");
  EXPECT_EQ(read(R"({"depth": 9})", MissingKeys::allowed).depth, 9U);
  EXPECT_EQ(read("{}", MissingKeys::allowed).width, 64U);
}

TEST(ParameterTable, DifferencesNameWhatDiffers) {
  Thing a;
  Thing b;
  EXPECT_EQ(table().differences(a, b), "");
  b.depth = 9;
  b.cycles = 5;
  b.seed = 3;
  EXPECT_EQ(table().differences(a, b), "depth (8, 9), cycles (0, 5), seed (off, 3)");
  EXPECT_EQ(table().differences(a, b, true), "depth (8, 9), seed (off, 3)");
  EXPECT_FALSE(table().equal(a, b));
}

struct Box {
  Thing thing;
};

TEST(ParameterTable, ParametersOfAMemberCanBePartOfALargerTable) {
  const ParameterTable<Box> boxes(
      "box", "A box.", table().within<Box>([](auto& box) -> auto& { return box.thing; }));
  Box box;
  JsonDocument document(R"({"depth": 77, "colour": "blue"})", "f");
  ObjectReader root = document.root();
  boxes.read(root, box, MissingKeys::allowed);
  EXPECT_EQ(box.thing.depth, 77U);
  EXPECT_EQ(box.thing.colour, Colour::blue);
  nlohmann::ordered_json json;
  boxes.write(json, box);
  EXPECT_EQ(json.dump(), written(box.thing));
}

TEST(ParameterTable, ARangeWiderThanItsMemberIsAnInternalError) {
  EXPECT_THROW((void)whole("depth", &Thing::depth, {}, "", "more than 32 bits"), InternalError);
  EXPECT_THROW((void)whole("depth", &Thing::depth, {3, 2}, "", "nothing fits"), InternalError);
}

}  // namespace
}  // namespace tactus
