#include "models/dram/ddr_history.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "models/dram/ddr_banks.h"
#include "models/sim/kernel_time.h"
#include "models/sim/turns.h"

namespace tactus {
namespace {

/// From this number of stored commands on, the history replays past ones without being asked.
constexpr std::size_t most_commands = 4096;
/// Upper limit on the sockets of a port: two DRAM ports in both directions, and a few more. Each
/// may have one access in front of a full queue.
constexpr unsigned most_sockets = 8;
constexpr unsigned name_bits = 32;  ///< 8 bits per character of "PREA"
constexpr unsigned slot_bits = 64;  ///< 8 bits per character of "PRE 63"

bool closes_behind(DdrCommandKind kind) {
  return kind == DdrCommandKind::rda || kind == DdrCommandKind::wra;
}

bool is_write(DdrCommandKind kind) {
  return kind == DdrCommandKind::wr || kind == DdrCommandKind::wra;
}

bool is_access(DdrCommandKind kind) {
  return kind == DdrCommandKind::rd || is_write(kind) || kind == DdrCommandKind::rda;
}

bool is_of_all_banks(DdrCommandKind kind) {
  return kind == DdrCommandKind::prea || kind == DdrCommandKind::ref;
}

/// Up to eight characters as a number, the first character in the highest byte.
std::uint64_t text_value(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string slot_text(const DdrCommand& command) {
  std::string text = to_text(command.kind);
  if (!is_of_all_banks(command.kind)) text += " " + std::to_string(command.bank);
  return text;
}

}  // namespace

DdrHistory::DdrHistory(DdrController& controller, const Clock& clock)
    : controller_(controller),
      clock_(clock),
      banks_(controller.config().all_banks()),
      queues_(controller.ports().size()),
      arrivals_(controller.ports().size()) {
  controller.catch_up();
  const DdrCore& core = controller.core();
  for (unsigned b = 0; b < banks_.size(); ++b) {
    const std::int64_t row = core.open_row(b);
    if (row != DdrBanks::closed) banks_[b] = {BankState::open, static_cast<std::uint32_t>(row)};
  }
  for (unsigned p = 0; p < queues_.size(); ++p) {
    queues_[p] = static_cast<unsigned>(core.waiting(p));
  }
  for (const bool write : {false, true}) buffered_[write ? 1 : 0] = core.buffered(write);
  controller.observe(this);
}

DdrHistory::~DdrHistory() { controller_.observe(nullptr); }

/// The last DRAM clock that begins no later than a cycle of the design.
DdrClock DdrHistory::clock_at(std::uint64_t cycle) const {
  return cycle * clock_.period / kernel_units(controller_.config().tck_ps, "tck_ps");
}

/// A command is reported after all events before its clock, so the replay may advance to the clock
/// before it.
void DdrHistory::command(const DdrCommand& command) {
  if (log_.size() >= most_commands && clock_.now > 0 && command.clock > 0) {
    advance(std::min(clock_at(clock_.now - 1), command.clock - 1));
    commands_.clear();
  }
  log_.push_back(command);
}

/// Sockets that share a port do not report their arrivals in order of time, so each is inserted by
/// its clock.
void DdrHistory::arrived(unsigned port, DdrClock clock) {
  std::deque<DdrClock>& arrivals = arrivals_[port];
  arrivals.insert(std::upper_bound(arrivals.begin(), arrivals.end(), clock), clock);
}

void DdrHistory::admitted(unsigned port, bool write, DdrClock clock) {
  admissions_.push_back({clock, port, write});
}

void DdrHistory::look() {
  if (seen_ == clock_.now) return;
  seen_ = clock_.now;
  if (clock_.turn != nullptr) clock_.turn->reach(clock_.now * clock_.period);
  controller_.catch_up(clock_.now * clock_.period);
  const DdrClock before = clock_.now == 0 ? 0 : clock_at(clock_.now - 1) + 1;
  if (before > 0) advance(before - 1);
  commands_.clear();
  first_slot_ = before;
  advance(clock_at(clock_.now));
}

void DdrHistory::advance(DdrClock clock) {
  for (unsigned p = 0; p < queues_.size(); ++p) {
    std::deque<DdrClock>& arrivals = arrivals_[p];
    for (; !arrivals.empty() && arrivals.front() <= clock; arrivals.pop_front()) ++queues_[p];
  }
  for (; !admissions_.empty() && admissions_.front().clock <= clock; admissions_.pop_front()) {
    --queues_[admissions_.front().port];
    ++buffered_[admissions_.front().write ? 1 : 0];
  }
  for (; !log_.empty() && log_.front().clock <= clock; log_.pop_front()) apply(log_.front());
  for (Bank& bank : banks_) {
    if (bank.state == BankState::refreshing && clock >= refreshed_) bank.state = BankState::closed;
  }
}

void DdrHistory::apply(const DdrCommand& command) {
  commands_.push_back(command);
  Bank& bank = banks_[command.bank];
  switch (command.kind) {
    case DdrCommandKind::act:
      bank = {BankState::open, command.row};
      break;
    case DdrCommandKind::pre:
      bank = {};
      break;
    case DdrCommandKind::prea:
      std::fill(banks_.begin(), banks_.end(), Bank{});
      break;
    case DdrCommandKind::ref:
      std::fill(banks_.begin(), banks_.end(), Bank{BankState::refreshing, 0});
      refreshed_ = command.clock + controller_.config().t_rfc;
      break;
    default:
      if (closes_behind(command.kind)) bank = {};
  }
  if (is_access(command.kind)) --buffered_[is_write(command.kind) ? 1 : 0];
}

DdrHistory::Bank DdrHistory::bank(unsigned bank) {
  look();
  return banks_[bank];
}

unsigned DdrHistory::queue(unsigned port) {
  look();
  return queues_[port];
}

unsigned DdrHistory::buffered(bool write) {
  look();
  return buffered_[write ? 1 : 0];
}

const std::vector<DdrCommand>& DdrHistory::commands() {
  look();
  return commands_;
}

const DdrCommand* DdrHistory::slot(unsigned number) {
  look();
  for (const DdrCommand& command : commands_) {
    if (command.clock == first_slot_ + number) return &command;
  }
  return nullptr;
}

unsigned DdrHistory::slots() const {
  const std::uint64_t tck = kernel_units(controller_.config().tck_ps, "tck_ps");
  return static_cast<unsigned>((clock_.period + tck - 1) / tck);
}

void DdrHistory::describe(const trace::Scope& scope) {
  const DdrConfig& config = controller_.config();
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    const std::string name = "port" + std::to_string(controller_.ports()[p]);
    scope.part(name).level("queue", config.port_queue + most_sockets,
                           [this, p] { return queue(static_cast<unsigned>(p)); });
  }
  scope.level("reads", config.buffer, [this] { return buffered(false); });
  scope.level("writes", std::max(config.buffer, config.write_buffer),
              [this] { return buffered(true); });
  scope.wire(
      "commands", trace::bits_for(slots()), [this] { return commands().size(); },
      trace::Moment::settled);
  // Signals are zero in cycles without a command.
  const auto last = [this] { return commands().empty() ? DdrCommand{} : commands().back(); };
  const trace::Scope command = scope.part("command");
  command.state(
      "name", name_bits,
      [this, last] { return commands().empty() ? 0 : text_value(to_text(last().kind)); },
      "the last command of the cycle before, in ASCII; 0: none");
  const auto field = [&](const char* name, std::uint64_t most, auto get) {
    command.wire(name, trace::bits_for(most), get, trace::Moment::settled);
  };
  field("bank", config.all_banks() - 1, [last] { return last().bank; });
  field("row", config.rows - 1, [last] { return last().row; });
  field("column", config.columns - 1, [last] { return last().column; });
  scope.family(
      "slots", slots(), slot_bits, [](std::uint64_t i) { return "clock" + std::to_string(i); },
      [this](std::uint64_t i, std::uint64_t* words) {
        const DdrCommand* at = slot(static_cast<unsigned>(i));
        *words = at == nullptr ? 0 : text_value(slot_text(*at));
      });
  for (unsigned b = 0; b < banks_.size(); ++b) {
    const trace::Scope part = scope.part("bank" + std::to_string(b));
    part.state(
        "state", 2, [this, b] { return static_cast<unsigned>(bank(b).state); },
        "0 closed, 1 open, 2 refreshing");
    part.reg("row", trace::bits_for(config.rows - 1), [this, b] { return bank(b).row; });
  }
}

}  // namespace tactus
