#include "isa/support/files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/support/file_guard.h"
#include "isa/support/folders.h"
#include "isa/support/output_file.h"
#include "tests/unit/isa/test_files.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

class Files : public ScratchFolder {
 protected:
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
};

TEST_F(Files, WhatIsWrittenReadsBack) {
  std::vector<std::uint8_t> bytes(200000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  write_file_atomically(path("a"), bytes);
  EXPECT_EQ(read_file(path("a")), bytes);
  // replaces the content, also if the new one is shorter
  write_file_atomically(path("a"), "text\n");
  EXPECT_EQ(read_text(path("a")), "text\n");
  write_file_atomically(path("a"), "");
  EXPECT_EQ(read_text(path("a")), "");
  EXPECT_EQ(files_in_folder(), 1U);  // no temporary file is left
}

TEST_F(Files, SizesAroundTheReadBufferReadBack) {
  for (const std::size_t size : {65535U, 65536U, 65537U, 131072U}) {
    write_file_atomically(path("a"), std::string(size, 'x'));
    EXPECT_EQ(read_text(path("a")), std::string(size, 'x'));
  }
}

TEST_F(Files, ReadingReportsWhatIsWrong) {
  EXPECT_EQ(error_of([&] { (void)read_file(path("gone")); }), path("gone") + ": no such file");
  EXPECT_EQ(error_of([&] { (void)read_file(folder_); }),
            folder_ + ": is a directory; a file is needed");
  EXPECT_EQ(error_of([&] { (void)read_text(""); }), "the file name is empty");
  EXPECT_EQ(error_of([&] { (void)read_text(std::string("a\0b", 3)); }),
            "a: the file name contains a NUL byte");
  write_file_atomically(path("a"), "x");
  EXPECT_EQ(error_of([&] { (void)read_file(path("a/b")); }),
            path("a/b") + ": cannot be opened: Not a directory");
}

TEST_F(Files, UnreadableFilesAreReported) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  write_file_atomically(path("a"), "x");
  ASSERT_EQ(::chmod(path("a").c_str(), 0), 0);
  EXPECT_EQ(error_of([&] { (void)read_file(path("a")); }),
            path("a") + ": cannot be opened: Permission denied");
  EXPECT_EQ(error_of([&] { write_file_atomically(path("a"), "y"); }),
            path("a") + ": cannot be written: Permission denied");
}

TEST_F(Files, LfsPointersAreReported) {
  write_file_atomically(path("a"), "version https://git-lfs.github.com/spec/v1\noid sha256:00\n");
  EXPECT_EQ(
      error_of([&] { (void)read_file(path("a")); }),
      path("a") + ": is a Git LFS pointer, not the file itself; fetch it with \"git lfs pull\"");
  write_file_atomically(path("a"), "version https://git-lf");
  EXPECT_EQ(read_text(path("a")), "version https://git-lf");
}

TEST_F(Files, DevicesAndPipesAreReadToTheirEnd) {
  EXPECT_TRUE(read_file("/dev/null").empty());
  EXPECT_FALSE(read_text("/proc/self/status").empty());  // the file's size is given as 0
}

TEST_F(Files, WritingReportsWhatIsWrong) {
  EXPECT_EQ(error_of([&] { write_file_atomically(path("no/a"), "x"); }),
            path("no/a") + ": cannot be written: No such file or directory");
  EXPECT_EQ(error_of([&] { write_file_atomically(folder_, "x"); }),
            folder_ + ": is a directory; a file name is needed");
  EXPECT_EQ(error_of([&] { write_file_atomically("", "x"); }), "the file name is empty");
  EXPECT_EQ(error_of([&] { write_file_atomically("/dev/full", "x"); }),
            "/dev/full: cannot be written: No space left on device");
  const std::string long_name = path(std::string(300, 'n'));
  EXPECT_EQ(error_of([&] { write_file_atomically(long_name, "x"); }),
            long_name + ": cannot be written: File name too long");
  EXPECT_EQ(files_in_folder(), 0U);
}

TEST_F(Files, DevicesAreWrittenThrough) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ::testing::internal::CaptureStdout();
  write_file_atomically("/dev/stdout", "through");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "through");
}

TEST_F(Files, StandardOutputKeepsItsOrderWhenItIsAFile) {
  ::testing::internal::CaptureStdout();  // redirects to a regular file
  std::printf("before ");
  write_file_atomically("/dev/stdout", "through ");
  std::printf("after");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "before through after");
}

TEST_F(Files, PermissionsOfAnExistingFileStay) {
  write_file_atomically(path("a"), "x");
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  write_file_atomically(path("a"), "y");
  EXPECT_EQ(fs::status(path("a")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(Files, TheUmaskAppliesToNewFiles) {
  const mode_t before = ::umask(027);
  write_file_atomically(path("a"), "x");
  ::umask(before);
  EXPECT_EQ(fs::status(path("a")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(Files, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_directory(path("sub"));
  write_file_atomically(path("sub/target"), "old");
  fs::create_symlink("sub/target", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_text(path("sub/target")), "new");
}

TEST_F(Files, ALinkToNothingStaysAndItsTargetIsMade) {
  fs::create_directory(path("sub"));
  fs::create_symlink("sub/second", path("first"));
  fs::create_symlink("target", path("sub/second"));
  write_file_atomically(path("first"), "new");
  EXPECT_TRUE(fs::is_symlink(path("first")));
  EXPECT_TRUE(fs::is_symlink(path("sub/second")));
  EXPECT_EQ(read_text(path("sub/target")), "new");
  fs::create_symlink("round", path("round"));
  EXPECT_EQ(error_of([&] { write_file_atomically(path("round"), "x"); }),
            path("round") + ": cannot be written: Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(path("round")));
  fs::create_symlink("gone/target", path("lost"));
  EXPECT_EQ(error_of([&] { write_file_atomically(path("lost"), "x"); }),
            path("lost") + ": cannot be written: No such file or directory");
}

TEST_F(Files, WritingInPlaceFollowsLinks) {
  fs::create_symlink("target", path("link"));
  for (const std::string text : {"first text", "second"}) {
    const int file = open_in_place(path("link"));
    ASSERT_GE(file, 0);
    EXPECT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(file);
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_text(path("target")), text);
  }
}

TEST_F(Files, ZeroesAreAHoleOfARegularFile) {
  const auto write = [](const std::string& name) {
    OutputFile file(name);
    file.write("a");
    file.write_zeroes(200000);
    file.write("b");
    file.write_zeroes(3);
    file.close();
  };
  const std::string expected = "a" + std::string(200000, '\0') + "b" + std::string(3, '\0');
  write(path("a"));
  EXPECT_EQ(read_text(path("a")), expected);
  ::testing::internal::CaptureStdout();
  write("/dev/stdout");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), expected);
}

/// Temporary files of a killed process are removed by the next process that writes in the folder.
/// Files of a running process are kept, whatever its process number.
TEST_F(Files, TemporaryFilesOfKilledProcessesAreRemoved) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const OutputFile file(path("result"));
    (void)!::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  ASSERT_EQ(files_in_folder(), 1U);
  const std::string temporary = fs::directory_iterator(folder_)->path().string();
  EXPECT_EQ(temporary.rfind(path(".tactus-" + std::to_string(child) + "-"), 0), 0U) << temporary;
  const auto write_elsewhere = [&] {  // in a separate process, which has not used the folder before
    const pid_t other = ::fork();
    if (other == 0) {
      write_file_atomically(path("other"), "y");
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
  };
  write_elsewhere();
  EXPECT_TRUE(fs::exists(temporary));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  std::FILE* const of_converter = std::fopen((temporary + ".fst").c_str(), "w");
  std::fclose(of_converter);
  EXPECT_EQ(files_in_folder(), 3U);
  write_elsewhere();
  EXPECT_EQ(files_in_folder(), 1U);
  EXPECT_EQ(read_text(path("other")), "y");
}

TEST_F(Files, AFileIsReplacedAndNotOverwritten) {
  write_file_atomically(path("a"), "old");
  fs::create_hard_link(path("a"), path("b"));  // keeps the old content, like an open file
  write_file_atomically(path("a"), "new");
  EXPECT_EQ(read_text(path("b")), "old");
  EXPECT_EQ(read_text(path("a")), "new");
}

TEST_F(Files, AGuardProtectsInputsAndOtherOutputs) {
  const std::string why = ": would be written over a file that this command reads or writes too";
  write_file_atomically(path("a"), "x");
  write_file_atomically(path("b"), "y");
  fs::create_hard_link(path("a"), path("hard"));
  {
    const FileGuard guard;
    (void)read_file(path("a"));
    for (const char* name : {"a", "hard", "./a"}) {
      EXPECT_EQ(error_of([&] { write_file_atomically(path(name), "z"); }), path(name) + why);
      EXPECT_EQ(error_of([&] { claim_output(path(name)); }), path(name) + why);
    }
    rewrite_own_file(path("a"), "w");
    claim_output(path("b"));
    claim_output(path("new"));
    EXPECT_EQ(error_of([&] { claim_output(path("./new")); }), path("./new") + why);
    EXPECT_EQ(error_of([&] { (void)read_file(path("b")); }), path("b") + why);
    write_file_atomically(path("b"), "z");
    claim_output("/dev/null");
    claim_output("/dev/null");
    EXPECT_EQ(error_of([&] { claim_output(path("no/c")); }),
              path("no/c") + ": cannot be written: No such file or directory");
    EXPECT_EQ(error_of([&] { claim_output(folder_); }),
              folder_ + ": is a directory; a file name is needed");
  }
  write_file_atomically(path("a"), read_text(path("b")));  // no guard is active
  EXPECT_EQ(read_text(path("a")), "z");
}

TEST(Paths, DirectoryOf) {
  EXPECT_EQ(directory_of("a/b.c"), "a");
  EXPECT_EQ(directory_of("/a/b/c"), "/a/b");
  EXPECT_EQ(directory_of("/a"), "/");
  EXPECT_EQ(directory_of("a"), ".");
  EXPECT_EQ(directory_of(""), ".");
}

TEST(Paths, ResolveBeside) {
  for (auto* const resolve : {resolve_beside, resolve_part}) {
    EXPECT_EQ(resolve("m/x.tmodel", "x.tprog"), "m/x.tprog");
    EXPECT_EQ(resolve("/m/x.tmodel", "x.tprog"), "/m/x.tprog");
    EXPECT_EQ(resolve("/x.tmodel", "x.tprog"), "/x.tprog");
    EXPECT_EQ(resolve("x.tmodel", "x.tprog"), "x.tprog");
  }
  EXPECT_EQ(resolve_beside("m/x.json", "/abs/x.tarch"), "/abs/x.tarch");
  EXPECT_EQ(resolve_beside("m/x.json", "../x.tarch"), "m/../x.tarch");
}

TEST_F(Files, AModelReachesNoFileOutsideItsFolder) {
  fs::create_directories(path("m/sub"));
  write_file_atomically(path("secret"), "s");
  write_file_atomically(path("m/sub/part"), "p");
  fs::create_symlink("../secret", path("m/link"));
  fs::create_directory_symlink("..", path("m/up"));
  fs::create_symlink("sub/part", path("m/inside"));
  const std::string model = path("m/x.tmodel");
  for (const char* name : {"sub/part", "./sub/part", "inside", "absent"}) {
    EXPECT_EQ(resolve_part(model, name), path("m/") + name);
  }
  const std::string absolute = fs::absolute(path("m/sub/part")).string();
  for (const std::string& name :
       {std::string("../secret"), std::string("sub/../../secret"), absolute, std::string("link"),
        std::string("up/secret"), std::string("sub"), std::string(), std::string("/dev/zero"),
        std::string("sub/part\0", 9)}) {
    EXPECT_NE(error_of([&] { (void)resolve_part(model, name); }).find("or below it is allowed"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(read_text(resolve_beside(model, "../secret")), "s");
}

}  // namespace
}  // namespace tactus
