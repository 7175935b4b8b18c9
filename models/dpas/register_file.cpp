#include "models/dpas/register_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "models/sim/trace/signals.h"

namespace tactus::dpas {
namespace {

/// True if one of the cycles is after `now`; in most calls none is. A cycle is after `now` if now -
/// cycle is negative; `never` itself has the sign bit set. The test uses sign bits alone, since
/// compilers vectorise that.
bool any_after(const Cycle* cycles, RegisterRange range, Cycle now) {
  Cycle signs = 0;
  for (unsigned i = range.first; i < unsigned{range.first} + range.count; ++i) {
    signs |= (now - cycles[i]) | cycles[i];
  }
  return (signs >> 63U) != 0;
}

/// Raises `most` to the largest cycle of the range, if one is after `now`. `at` receives its
/// register.
void latest(const Cycle* cycles, RegisterRange range, Cycle now, Cycle& most, std::uint16_t& at) {
  if (!any_after(cycles, range, now)) return;
  for (unsigned i = range.first; i < unsigned{range.first} + range.count; ++i) {
    if (cycles[i] <= most) continue;
    most = cycles[i];
    at = static_cast<std::uint16_t>(i);
  }
}

}  // namespace

RegisterFile::RegisterFile(const sc_core::sc_module_name& name, const Profile& profile,
                           unsigned threads)
    : sc_module(name),
      threads_(threads),
      registers_(profile.grf_count),
      grf_bytes_(profile.grf_bytes),
      thread_bytes_(profile.register_file_bytes()),
      bytes_(threads * thread_bytes_),
      written_(std::size_t{threads} * registers_),
      array_read_(written_.size()),
      send_read_(written_.size()),
      writer_(written_.size(), Hazard::none) {}

void RegisterFile::reset(unsigned thread) {
  std::fill_n(bytes(thread), thread_bytes_, std::uint8_t{0});
  const std::size_t first = std::size_t{thread} * registers_;
  for (auto* marks : {&written_, &array_read_, &send_read_}) {
    std::fill_n(marks->begin() + static_cast<std::ptrdiff_t>(first), registers_, Cycle{0});
  }
}

RegisterFile::Wait RegisterFile::wait(unsigned thread, const Operation& operation,
                                      Cycle now) const {
  const std::size_t first = std::size_t{thread} * registers_;
  const Cycle* written = written_.data() + first;
  Wait wait;
  for (unsigned i = 0; i < operation.sources; ++i) {
    // An accumulator that is also the destination is checked below.
    if (operation.target == Target::array && operation.source[i] == operation.dst) continue;
    latest(written, operation.source[i], now, wait.until, wait.grf);
  }
  // Results of the ALU are written in order, so an ALU instruction need not wait for earlier ALU
  // results in its destination, only for those of other units.
  if (operation.target != Target::alu) {
    latest(written, operation.dst, now, wait.until, wait.grf);
  } else {
    for (unsigned i = operation.dst.first; i < unsigned{operation.dst.first} + operation.dst.count;
         ++i) {
      if (written[i] <= wait.until || writer_[first + i] == Hazard::alu_result) continue;
      wait.until = written[i];
      wait.grf = static_cast<std::uint16_t>(i);
    }
  }
  if (wait.until > 0) wait.hazard = writer_[first + wait.grf];
  const Cycle before_readers = wait.until;
  latest(send_read_.data() + first, operation.dst, now, wait.until, wait.grf);
  if (wait.until > before_readers) wait.hazard = Hazard::send_sources;
  if (operation.target == Target::array) return wait;
  const Cycle before_array = wait.until;
  latest(array_read_.data() + first, operation.dst, now, wait.until, wait.grf);
  if (wait.until > before_array) wait.hazard = Hazard::array_sources;
  return wait;
}

void RegisterFile::writes(unsigned thread, RegisterRange range, Cycle cycle, Hazard writer) {
  const std::size_t first = std::size_t{thread} * registers_ + range.first;
  for (std::size_t i = first; i < first + range.count; ++i) {
    // Results are written in order: a short instruction of the ALU does not overtake a longer one.
    written_[i] = writer == Hazard::alu_result ? std::max(written_[i], cycle) : cycle;
    writer_[i] = writer;
  }
}

void RegisterFile::reads(unsigned thread, RegisterRange range, Cycle cycle, Hazard reader) {
  std::vector<Cycle>& marks = reader == Hazard::array_sources ? array_read_ : send_read_;
  const std::size_t first = std::size_t{thread} * registers_ + range.first;
  for (std::size_t i = first; i < first + range.count; ++i) marks[i] = std::max(marks[i], cycle);
}

void RegisterFile::describe(const trace::Scope& scope) const {
  const unsigned words = grf_bytes_ / 8;
  for (unsigned t = 0; t < threads_; ++t) {
    // Registers are wide, so they are traced as 64-bit pieces, and only on request.
    scope.family(
        "registers", std::uint64_t{registers_} * words, 64,
        [t, words](std::uint64_t element) {
          return fmt::format("t{}r{}.q{}", t, element / words, element % words);
        },
        [this, t](std::uint64_t element, std::uint64_t* value) {
          trace::pack_bytes(bytes(t) + element * 8, 8, value);
        });
  }
}

}  // namespace tactus::dpas
