#include "models/sim/trace/selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::trace {
namespace {

constexpr std::uint64_t most_signals = 1000000;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;
constexpr std::size_t most_suggestions = 3;

/// A pattern selects the names it matches and everything below the scopes it matches.
struct Pattern {
  explicit Pattern(const std::string& glob) : text(glob), below(glob + ".*") {}
  [[nodiscard]] bool matches(const std::string& name) const {
    return fnmatch(text.c_str(), name.c_str(), 0) == 0 ||
           fnmatch(below.c_str(), name.c_str(), 0) == 0;
  }
  /// True if the word is a whole path component of the pattern.
  [[nodiscard]] bool names(std::string_view word) const {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (at > 0 && text[at - 1] == '.' && (end == text.size() || text[end] == '.')) return true;
    }
    return false;
  }
  std::string text, below;
  bool used = false;
  /// The pattern matches members of a family whose word it does not name
  bool found_family = false;
};

std::string element_name(const Signal& signal, std::uint64_t i) {
  return signal.name + "." + signal.element_name(i);
}

/// The scopes and names nearest to a pattern that matches nothing.
std::string nearest(const Registry& registry, const std::string& glob) {
  std::string word = glob;
  while (word.size() >= 2 && word.compare(word.size() - 2, 2, ".*") == 0)
    word.resize(word.size() - 2);
  std::set<std::string> names;
  for (const Signal& signal : registry.signals()) {
    for (std::size_t at = signal.name.find('.'); at != std::string::npos;
         at = signal.name.find('.', at + 1)) {
      names.insert(signal.name.substr(0, at));
    }
    names.insert(signal.name);
  }
  // Scopes written without their parents count too: "decoder" is near "top.tcu.decoder".
  const auto distance = [&word](const std::string& name) {
    const auto tail = name.size() > word.size() ? name.substr(name.size() - word.size()) : name;
    return std::min(edit_distance(word, name), edit_distance(word, tail) + 1);
  };
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) ranked.emplace_back(distance(name), name);
  const std::size_t count = std::min(most_suggestions, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end());
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + quote(ranked[i].second);
  return text;
}

class Planner {
 public:
  Planner(const Registry& registry, const Selection& selection)
      : registry_(registry), selection_(selection) {
    for (const std::string& glob : selection.globs) patterns_.emplace_back(glob);
  }

  Plan run() {
    const std::vector<Signal>& signals = registry_.signals();
    for (std::size_t i = 0; i < signals.size(); ++i) choose(i);
    check();
    for (std::vector<Group>* groups : {&plan_.settled, &plan_.committed}) {
      for (Group& group : *groups) show(group);
    }
    return std::move(plan_);
  }

 private:
  bool selected(const Signal& signal, const std::string& name) {
    if (selection_.depth != 0 && signal.level > selection_.depth) return false;
    if (patterns_.empty()) return signal.elements == 0;
    bool any = false;
    for (Pattern& pattern : patterns_) {
      if (!pattern.matches(name)) continue;
      if (signal.elements != 0 && !pattern.names(signal.word)) {
        pattern.found_family = true;
        continue;
      }
      pattern.used = true;
      any = true;
    }
    return any;
  }

  static void show(Group& group) {
    for (const Group::Item& item : group.items) {
      if (item.variable == none) continue;
      group.shown.push_back({static_cast<std::uint32_t>(item.slot), item.width,
                             static_cast<std::uint32_t>(item.variable)});
    }
  }

  void choose(std::size_t index) {
    const Signal& signal = registry_.signals()[index];
    if (signal.elements == 0) {
      if (selected(signal, signal.name)) add(index, 0, signal.name);
      return;
    }
    const bool named = std::any_of(patterns_.begin(), patterns_.end(),
                                   [&](const Pattern& p) { return p.names(signal.word); });
    if (!named) {
      static_cast<void>(selected(signal, signal.name + ".x"));  // for a better message
      return;
    }
    if (signal.elements > most_elements) {
      user_error("--trace-scope: {}.* are {} signals; at most {} can be searched", signal.name,
                 signal.elements, most_elements);
    }
    for (std::uint64_t i = 0; i < signal.elements; ++i) {
      const std::string name = element_name(signal, i);
      if (selected(signal, name)) add(index, i, name);
    }
  }

  void add(std::size_t index, std::uint64_t element, const std::string& name) {
    const Signal& signal = registry_.signals()[index];
    if (plan_.chosen.size() == most_signals) {
      user_error("--trace-scope selects more than {} signals; choose fewer", most_signals);
    }
    if (signal.kind == Kind::clock) {
      plan_.chosen.push_back({&signal, name, none, 1});
      plan_.variable_of.push_back(none);
      return;
    }
    Group::Item& item = place(index, element);
    if (item.variable == none) item.variable = plan_.variables++;
    plan_.chosen.push_back({&signal, name, item.slot, signal.width});
    plan_.variable_of.push_back(item.variable);
  }

  /// The place where the signal is read; all its names share it.
  Group::Item& place(std::size_t index, std::uint64_t element) {
    const std::vector<Signal>& signals = registry_.signals();
    const std::size_t root = signals[index].original == none ? index : signals[index].original;
    const auto [known, inserted] = places_.try_emplace({root, element});
    Place& at = known->second;
    if (inserted) {
      const Signal& signal = signals[root];
      std::size_t guard = none;
      if (signal.guard != none) guard = place(signal.guard, 0).slot;
      at.moment = signal.moment;
      at.group = group(signal.moment, guard);
      std::vector<Group>& groups = of(at.moment);
      at.item = groups[at.group].items.size();
      Read read = signal.read;
      if (signal.elements != 0) {
        read = [get = signal.read_element, element](std::uint64_t* words) { get(element, words); };
      }
      groups[at.group].items.push_back(
          {signal.flag, std::move(read), plan_.words, signal.width, none});
      plan_.words += (signal.width + 63) / 64;
    }
    return of(at.moment)[at.group].items[at.item];
  }

  std::vector<Group>& of(Moment moment) {
    return moment == Moment::settled ? plan_.settled : plan_.committed;
  }

  /// Values without a guard come first in their moment, so that guards are read before the values
  /// that they guard.
  std::size_t group(Moment moment, std::size_t guard) {
    std::vector<Group>& groups = of(moment);
    if (groups.empty()) groups.emplace_back();
    if (guard == none) return 0;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      if (groups[i].guard == guard) return i;
    }
    groups.emplace_back();
    groups.back().guard = guard;
    return groups.size() - 1;
  }

  void check() const {
    for (const Pattern& pattern : patterns_) {
      if (pattern.used) continue;
      if (pattern.found_family) {
        user_error(
            "--trace-scope {} matches only signals that are traced on request; name the "
            "group in the pattern, as --trace-list shows it",
            quote(pattern.text));
      }
      user_error("--trace-scope {} matches no signal{}; nearest: {} (--trace-list prints all)",
                 quote(pattern.text),
                 selection_.depth == 0
                     ? ""
                     : fmt::format(" at --trace-depth {} or less", selection_.depth),
                 nearest(registry_, pattern.text));
    }
    if (plan_.chosen.empty()) user_error("no signal is selected for tracing");
  }

  struct Place {
    Moment moment;
    std::size_t group, item;
  };
  const Registry& registry_;
  const Selection& selection_;
  std::vector<Pattern> patterns_;
  std::map<std::pair<std::size_t, std::uint64_t>, Place> places_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Registry& registry, const Selection& selection) {
  return Planner(registry, selection).run();
}

std::string list_signals(const Registry& registry, const Selection& selection) {
  std::string text;
  const auto line = [&text](const std::string& name, unsigned width, const char* kind,
                            const std::string& note) {
    text +=
        fmt::format("{:<64} {:>4}  {}{}{}\n", name, width, kind, note.empty() ? "" : "; ", note);
  };
  if (!selection.globs.empty()) {
    const Plan plan = make_plan(registry, selection);
    for (const Chosen& chosen : plan.chosen) {
      line(chosen.name, chosen.width, kind_name(chosen.signal->kind), chosen.signal->note);
    }
    return text;
  }
  for (const Signal& signal : registry.signals()) {
    if (selection.depth != 0 && signal.level > selection.depth) continue;
    if (signal.elements == 0) {
      line(signal.name, signal.width, kind_name(signal.kind), signal.note);
    } else {
      line(signal.name + ".*", signal.width, kind_name(signal.kind),
           fmt::format("on request, {} signals: {} .. {}", signal.elements, signal.element_name(0),
                       signal.element_name(signal.elements - 1)));
    }
  }
  return text;
}

}  // namespace tactus::trace
