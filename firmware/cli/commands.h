// The commands of the command line. Each takes the words after its name and returns an exit code.
#pragma once

#include <string>
#include <vector>

namespace tactus {

enum ExitCode : int {
  exit_ok = 0,
  exit_mismatch = 1,  ///< a comparison or a self-test failed
  exit_usage = 2,     ///< bad flag, file, configuration or program
  exit_stuck = 3,     ///< the program hangs or met its cycle limit
  exit_internal = 4,  ///< a fault of Tactus itself
};

using Words = std::vector<std::string>;

int run_command(const Words& words);
int replay_command(const Words& words);
int asm_command(const Words& words);
int disasm_command(const Words& words);
int info_command(const Words& words);
int selftest_command(const Words& words);
int bench_command(const Words& words);
int cache_command(const Words& words);
int compile_command(const Words& words);
int estimate_command(const Words& words);
int gemm_command(const Words& words);
int dais_command(const Words& words);
int darwinn_command(const Words& words);
int pack_command(const Words& words);
int samples_command(const Words& words);
int dram_command(const Words& words);
int explain_command(const Words& words);
int zoo_command(const Words& words);
int boards_command(const Words& words);
int architectures_command(const Words& words);
int machines_command(const Words& words);
int drams_command(const Words& words);
int new_command(const Words& words);
int stripe_command(const Words& words);
int sweep_command(const Words& words);
int codesign_command(const Words& words);
int report_command(const Words& words);
int completion_command(const Words& words);
int manual_command(const Words& words);
int compare_command(const Words& words);

}  // namespace tactus
