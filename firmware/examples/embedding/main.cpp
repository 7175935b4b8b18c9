// A program that embeds Tactus: compiles a network for a board, simulates one image, and evaluates
// the run. Prints the cycles and the three largest reasons for lost cycles.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "firmware/bench/evaluation.h"
#include "firmware/config/board.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/report/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/program_path.h"

int main(int argc, char** argv) {
  try {
    tactus::set_program_path(TACTUS_PROGRAM);
    const tactus::Board board = tactus::read_board("zcu104");

    tactus::bench::Task task;
    static_cast<tactus::BoardValues&>(task) = board;
    task.architecture = board.architecture;
    task.workload = argc > 1 ? argv[1] : "mlp";
    const tactus::bench::ProgramCache nothing_is_kept(std::nullopt);
    const tactus::bench::Program program = tactus::bench::prepare(task, nothing_is_kept).program;

    tactus::TcuSimulation simulation(board.simulation_config());
    tactus::Host host(simulation, program.model, tactus::HostMode::plain);
    host.prepare();
    const tactus::ImageResult image =
        host.run_image(tactus::bench::seeded_inputs(program, task.seed), {});

    std::printf("%s on %s: %llu cycles\n", task.workload.c_str(), board.name.c_str(),
                static_cast<unsigned long long>(image.run.cycles));
    const tactus::Counters& totals = image.run.accounting.totals;
    std::vector<tactus::LostCycles> lost = tactus::lost_cycles(totals);
    lost.resize(std::min<std::size_t>(3, lost.size()));
    for (const tactus::LostCycles& reason : lost) {
      std::printf("%9llu  %s\n", static_cast<unsigned long long>(reason.cycles),
                  std::string(totals.info->time.reasons[reason.reason].title).c_str());
    }
    return 0;
  } catch (const tactus::UserError& error) {
    std::fprintf(stderr, "embedding: %s\n", error.what());
    return 2;
  }
}
