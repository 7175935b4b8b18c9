// Signals that end a run gently: what it has is printed and written before the program dies.
#pragma once

namespace tactus {

/// While one exists, the first SIGINT, SIGTERM or SIGHUP is only remembered; the second kills.
class DeferSignals {
 public:
  DeferSignals();
  ~DeferSignals();
  DeferSignals(const DeferSignals&) = delete;
  DeferSignals& operator=(const DeferSignals&) = delete;

  /// The remembered signal, or 0.
  [[nodiscard]] static int received();
};

/// For the signal handler: true if the signal is remembered and the program goes on.
bool defer_signal(int signal);

/// Removes unfinished files, then dies of the signal as usual.
void die_of(int signal);
/// The same of a signal that was remembered, once all is printed and written; returns if there was
/// none.
void die_of_deferred();

}  // namespace tactus
