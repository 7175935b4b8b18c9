#include "models/tcu/fast/tcu_verifier.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "isa/support/error.h"

namespace tactus {
namespace {

/// A stretch in which nothing moves may be as long as nobody asks; this much of it is verified.
constexpr Cycle longest_rest = 4096;

[[nodiscard]] bool is_data_unit(std::string_view unit) {
  return unit == "local" || unit == "array" || unit == "accumulators";
}

}  // namespace

template <typename Why>
void TcuVerifier::compare(const TcuEdges& expected, const TcuEdges& actual, const Why& why) const {
  if (same_edge(expected, actual)) return;
  for_each_difference(
      "", expected, actual,
      [&](const std::string& field, unsigned long long before, unsigned long long now) {
        internal_error("engine verify: cycle {}: {} is {}, and {} {}; facts: {}", clock_.now, field,
                       now, before, why(), facts_of(field));
      });
}

template <typename Concerns>
void TcuVerifier::compare_facts(const CycleFacts& expected, const char* why,
                                Concerns concerns) const {
  TcuFacts::for_each(tcu_, [&](const char* unit, const auto& list, bool low, unsigned at) {
    if (!concerns(std::string_view(unit))) return;
    const std::uint64_t mask = (std::uint64_t{1} << list.packed().bits) - 1;
    if (((low ? expected.low : expected.high) >> at & mask) == list.packed().word) return;
    list.for_each("", [&](const std::string& fact, std::uint64_t value, unsigned bits) {
      const std::uint64_t before =
          (low ? expected.low : expected.high) >> at & ((std::uint64_t{1} << bits) - 1);
      at += bits;
      if (before == value) return;
      internal_error("engine verify: cycle {}: {}: fact {} is {}, and {} {}", clock_.now, unit,
                     fact, value, before, why);
    });
  });
}

void TcuVerifier::look() {
  tcu_.decoder_.show();
  has_facts_ = !tcu_.must_settle();
  check_kept_facts();
  facts_ = {};
  TcuFacts::for_each(tcu_, [&](const char*, const auto& list, bool low, unsigned at) {
    (low ? facts_.low : facts_.high) |= list.packed().word << at;
  });
}

/// Decoder and local router keep most of their facts between two turns.
void TcuVerifier::check_kept_facts() {
  const auto check = [&](const char* unit, std::uint64_t kept, const auto& list) {
    if (list.fits() && list.packed().word == kept) return;
    unsigned at = 0;
    list.for_each("", [&](const std::string& fact, std::uint64_t value, unsigned bits) {
      const std::uint64_t before = kept >> at & ((std::uint64_t{1} << bits) - 1);
      at += bits;
      if (value >> bits != 0) {
        internal_error("engine verify: cycle {}: {}: fact {} is {}, which {} bits do not hold",
                       clock_.now, unit, fact, value, bits);
      }
      if (before == value) return;
      internal_error(
          "engine verify: cycle {}: {}: fact {} is {}, and {} was kept from the last turn",
          clock_.now, unit, fact, value, before);
    });
  };
  check("decoder", tcu_.decoder_.facts().word, tcu_.decoder_.fact_list());
  check("local_router", tcu_.local_router_.facts().word, tcu_.local_router_.fact_list());
}

void TcuVerifier::check() {
  if (!has_facts_) {
    behind_.cycles = 0;
    promise_.until = 0;
    last_known_ = false;
    return;
  }
  const TcuEdges edges = TcuEdges::of(tcu_);
  if (last_known_ && last_rests_) {
    compare_facts(last_facts_, "was kept, since the accumulators rested",
                  [](std::string_view unit) { return unit == "accumulators"; });
  }
  check_promise(edges);
  check_behind();
  const CycleFacts facts{facts_.low & ~left_out_.low, facts_.high & ~left_out_.high};
  auto& place = known_.place(facts);
  const bool known = KnownCycles<TcuEdges>::holds(place, facts);
  if (known) {
    ++known_count_;
    if (spoils_) place.edges.data.array.taken = !place.edges.data.array.taken;
    spoils_ = false;
    compare(place.edges, edges,
            [] { return std::string("is remembered of a cycle with the same facts"); });
    stay_behind(edges);
    if (!edges.turns) promise(edges);
  } else {
    place = {facts, true, edges};
    behind_.cycles = 0;
  }
  last_known_ = true;
  last_rests_ = edges.data.accumulators.rests;
  last_facts_ = facts_;
}

/// While they are behind, nobody asks these units for their facts.
void TcuVerifier::check_behind() {
  if (behind_.cycles == behind_.most) behind_.cycles = 0;
  if (behind_.cycles == 0) return;
  compare_facts(behind_.facts, "was promised while the unit stays behind", is_data_unit);
}

void TcuVerifier::stay_behind(const TcuEdges& edges) {
  if (behind_.cycles != 0) {
    const bool alike = std::memcmp(&edges.data, &behind_.edges.data, sizeof edges.data) == 0;
    if (!alike || !tcu_.decoder_.continues_stretch(behind_.cycles)) behind_.cycles = 0;
  }
  if (behind_.cycles == 0) {
    if (!edges.may_stay_behind) return;
    const Cycle most = data_steady(longest_stretch);
    if (most < 2) return;
    behind_ = {0, most, edges, facts_};
  }
  tcu_.decoder_.extend_stretch(behind_.cycles);
  ++behind_.cycles;
}

Cycle TcuVerifier::data_steady(Cycle most) const {
  return tcu_.accumulators_.steady(tcu_.array_.steady(tcu_.local_.steady(most)));
}

/// The stretch that would begin with this cycle, whose edges are decided.
void TcuVerifier::promise(const TcuEdges& edges) {
  const bool data_rests = edges.data.rests();
  const bool rests = data_rests && edges.local_router.rests && !tcu_.decoder_.streams_move();
  Cycle most = rests ? longest_rest : longest_stretch;
  if (!data_rests) most = data_steady(most);
  most = tcu_.local_router_.steady(tcu_.decoder_.steady(most));
  if (clock_.now + most <= promise_.until || most < 2) return;
  promise_ = {clock_.now, clock_.now + most, edges, facts_.low >> TcuFacts::inputs_at};
}

void TcuVerifier::check_promise(const TcuEdges& edges) {
  if (clock_.now >= promise_.until) return;
  if (facts_.low >> TcuFacts::inputs_at != promise_.inputs) {
    promise_.until = 0;
    return;
  }
  ++promised_count_;
  compare(promise_.edges, edges, [this] {
    return fmt::format("was promised from cycle {} until before cycle {}", promise_.from,
                       promise_.until);
  });
}

/// Of the unit that the member of TcuEdges belongs to; all if it belongs to none.
std::string TcuVerifier::facts_of(const std::string& field) const {
  const std::string of = field.substr(0, field.find('.'));
  std::string own, all;
  TcuFacts::for_each(tcu_, [&](const char* unit, const auto& list, bool, unsigned) {
    list.for_each("", [&](const std::string& fact, std::uint64_t value, unsigned) {
      const std::string text = fmt::format("{}.{}={} ", unit, fact, value);
      all += text;
      if (unit == of) own += text;
    });
  });
  std::string& text = own.empty() ? all : own;
  text.pop_back();
  return text;
}

bool TcuVerifier::leave_out_fact(const std::string& name) {
  bool found = false;
  TcuFacts::for_each(tcu_, [&](const char* unit, const auto& list, bool low, unsigned at) {
    list.for_each(std::string(unit) + ".",
                  [&](const std::string& fact, std::uint64_t, unsigned bits) {
                    const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << at;
                    at += bits;
                    if (fact != name) return;
                    (low ? left_out_.low : left_out_.high) |= mask;
                    found = true;
                  });
  });
  return found;
}

}  // namespace tactus
