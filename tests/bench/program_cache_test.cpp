// The cache returns exactly the programs that were stored.
#include "firmware/bench/program_cache.h"

#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "isa/support/files.h"

namespace tactus::bench {
namespace {

namespace fs = std::filesystem;

class ProgramCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tactus_cache_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Program sample() {
    Program program;
    program.model.file.name = "m";
    program.model.file.prog = {"m.tprog", 16};
    program.model.file.consts = {{"m.tdata", 0, 3}};
    program.model.file.inputs = {{"x :0", 0, 4}};
    program.model.file.outputs = {{"y", 4, 4}};
    program.model.file.load_consts_to_local = true;
    program.model.file.layers = {{"conv", 0, 2}};
    program.model.program = {1, 2, 10, 13, 0, 255, 7, 8, 1, 2, 10, 13, 0, 255, 7, 8};
    program.model.constants = {std::vector<std::uint8_t>(48, 10)};
    program.inputs = {{"x :0", {1, 3, 2, 2}, {0, 2, 3, 1}, 4}};
    program.outputs = {{"y", {1, 5}, {0, 1}, 1}};
    program.true_macs = 12345678901;
    program.macs_with_padding = 12345678902;
    program.lost_constants = {1, 2, 12345678903};
    return program;
  }
  [[nodiscard]] std::string entry() const {
    std::vector<std::string> files;
    for (const auto& file : fs::directory_iterator(folder_)) files.push_back(file.path().string());
    EXPECT_EQ(files.size(), 1U);
    return files.front();
  }

  std::string folder_;
};

TEST_F(ProgramCacheTest, AStoredProgramIsReadBackUnchanged) {
  const ProgramCache cache(folder_ + "/deep/er");
  EXPECT_FALSE(cache.find("key").has_value());
  const Program in = sample();
  ASSERT_TRUE(cache.store("key", in));
  const auto out = cache.find("key");
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->model.file, in.model.file);
  EXPECT_EQ(out->model.program, in.model.program);
  EXPECT_EQ(out->model.constants, in.model.constants);
  ASSERT_EQ(out->inputs.size(), 1U);
  EXPECT_EQ(out->inputs[0].name, in.inputs[0].name);
  EXPECT_EQ(out->inputs[0].shape, in.inputs[0].shape);
  EXPECT_EQ(out->inputs[0].order, in.inputs[0].order);
  EXPECT_EQ(out->inputs[0].vectors, 4U);
  EXPECT_EQ(out->outputs[0].name, "y");
  EXPECT_EQ(out->true_macs, in.true_macs);
  EXPECT_EQ(out->macs_with_padding, in.macs_with_padding);
  EXPECT_EQ(out->lost_constants, in.lost_constants);
  EXPECT_FALSE(cache.find("another key").has_value());
}

TEST_F(ProgramCacheTest, AnEntryWithAChangedOrMissingByteIsIgnored) {
  const ProgramCache cache(folder_);
  ASSERT_TRUE(cache.store("key", sample()));
  const std::string file = entry();
  const std::vector<std::uint8_t> good = read_file(file);
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::vector<std::uint8_t> bad = good;
    bad[i] ^= 1;
    write_file_atomically(file, bad);
    // Byte 64 is the separator after the hash; its value is not checked.
    EXPECT_EQ(cache.find("key").has_value(), i == 64) << "byte " << i;
    bad = good;
    bad.resize(i);
    write_file_atomically(file, bad);
    EXPECT_FALSE(cache.find("key").has_value()) << "cut at " << i;
  }
  ASSERT_TRUE(cache.store("key", sample()));
  EXPECT_TRUE(cache.find("key").has_value());
  EXPECT_EQ(read_file(file), good);
}

TEST_F(ProgramCacheTest, TheLeastRecentlyUsedEntryIsRemovedFirst) {
  const ProgramCache cache(folder_);
  ASSERT_TRUE(cache.store("a", sample()));
  CacheFolder files(folder_);
  const std::uint64_t bytes = files.entries().at(0).bytes;
  EXPECT_EQ(files.limit(), CacheFolder::default_limit);
  files.set_limit(3 * bytes + 10);
  const auto age = [](const CacheFolder::Entry& entry, int hours) {
    fs::last_write_time(entry.path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  age(files.entries().at(0), 1);
  ASSERT_TRUE(cache.store("b", sample()));
  age(files.entries().at(0), 2);
  ASSERT_TRUE(cache.store("c", sample()));
  EXPECT_EQ(files.entries().size(), 3U);
  EXPECT_TRUE(cache.find("b").has_value());  // this use makes "a" the oldest entry
  ASSERT_TRUE(cache.store("d", sample()));
  EXPECT_EQ(files.entries().size(), 3U);
  EXPECT_FALSE(cache.find("a").has_value());
  for (const char* key : {"b", "c", "d"}) EXPECT_TRUE(cache.find(key).has_value()) << key;
}

TEST_F(ProgramCacheTest, OnlyEntriesAreCountedAndRemoved) {
  const ProgramCache cache(folder_);
  ASSERT_TRUE(cache.store("a", sample()));
  write_file_atomically(folder_ + "/notes.program", std::string("mine"));
  write_file_atomically(folder_ + "/" + std::string(64, 'f') + ".txt", std::string("mine"));
  CacheFolder files(folder_);
  EXPECT_EQ(files.entries().size(), 1U);
  EXPECT_EQ(ProgramCache::key_of(files.entries()[0].path), "a");
  EXPECT_EQ(ProgramCache::key_of(folder_ + "/notes.program"), std::nullopt);
  EXPECT_EQ(files.clean(), 1U);
  EXPECT_TRUE(fs::exists(folder_ + "/notes.program"));
  EXPECT_TRUE(fs::exists(folder_ + "/" + std::string(64, 'f') + ".txt"));
  EXPECT_EQ(CacheFolder(folder_ + "/none").entries().size(), 0U);
}

TEST_F(ProgramCacheTest, ALimitBelowTheSmallestEntryKeepsNoEntry) {
  const ProgramCache cache(folder_);
  CacheFolder files(folder_);
  for (const std::uint64_t limit : {0, 1}) {
    files.set_limit(limit);
    EXPECT_EQ(files.limit(), limit);
    cache.store("a", sample());
    EXPECT_EQ(files.entries().size(), 0U);
  }
  write_file_atomically(folder_ + "/limit", std::string("nonsense"));
  EXPECT_EQ(files.limit(), CacheFolder::default_limit);
}

TEST_F(ProgramCacheTest, FoldersThatCannotBeWrittenAreNoError) {
  const ProgramCache none(std::nullopt);
  EXPECT_FALSE(none.store("key", sample()));
  EXPECT_FALSE(none.find("key").has_value());
  write_file_atomically(folder_ + "/file", std::string_view("x"));
  const ProgramCache below_a_file(folder_ + "/file/cache");
  EXPECT_FALSE(below_a_file.store("key", sample()));
  EXPECT_FALSE(below_a_file.find("key").has_value());
}

TEST_F(ProgramCacheTest, TheFolderComesFromTheEnvironment) {
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/h", 1);
  EXPECT_EQ(ProgramCache::default_folder(), "/x/tactus");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(ProgramCache::default_folder(), "/h/.cache/tactus");
  unsetenv("HOME");
  EXPECT_EQ(ProgramCache::default_folder(), std::nullopt);
}

}  // namespace
}  // namespace tactus::bench
