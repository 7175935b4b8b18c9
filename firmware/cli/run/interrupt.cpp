#include "firmware/cli/run/interrupt.h"

#include <csignal>
#include <cstdio>

#include "isa/support/output_file.h"

namespace tactus {
namespace {

volatile std::sig_atomic_t deferring = 0;
volatile std::sig_atomic_t remembered = 0;

}  // namespace

DeferSignals::DeferSignals() { deferring = 1; }
DeferSignals::~DeferSignals() { deferring = 0; }
int DeferSignals::received() { return remembered; }

bool defer_signal(int signal) {
  if (deferring == 0 || remembered != 0) return false;
  remembered = signal;
  return true;
}

void die_of(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void die_of_deferred() {
  if (remembered == 0) return;
  std::fflush(stdout);
  die_of(remembered);
}

}  // namespace tactus
