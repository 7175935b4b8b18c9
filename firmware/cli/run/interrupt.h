// Handling of signals during a run: the results so far are printed and written before the signal
// ends the program.
#pragma once

namespace tactus {

/// While an object exists, the first SIGINT, SIGTERM or SIGHUP is only remembered; a second one
/// ends the program.
class DeferSignals {
 public:
  DeferSignals();
  ~DeferSignals();
  DeferSignals(const DeferSignals&) = delete;
  DeferSignals& operator=(const DeferSignals&) = delete;

  /// The remembered signal, or 0.
  [[nodiscard]] static int received();
};

/// Called by the signal handler. Returns true if the signal is remembered and the program goes on.
bool defer_signal(int signal);

/// Removes unfinished files, then lets the signal end the program.
void die_of(int signal);
/// Does the same for a remembered signal. Call when everything is printed and written. Returns if
/// no signal was remembered.
void die_of_deferred();

}  // namespace tactus
