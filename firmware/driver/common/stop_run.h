// How an observer ends a run that is under way.
#pragma once

namespace tactus {

/// Thrown by RunOptions::progress(): the run ends in this cycle as at its cycle limit, with the
/// figures it has so far.
struct StopRun {};

}  // namespace tactus
