#include "models/dram/ddr_core.h"

#include <algorithm>

#include "isa/support/error.h"

namespace tactus {

DdrCore::DdrCore(const DdrConfig& config, unsigned ports, const DdrRules& rules,
                 DdrArbitration arbitration)
    : config_(config),
      arbitration_(std::move(arbitration)),
      is_ranked_(arbitration_.between == DdrArbitration::Between::ranks),
      map_(config),
      banks_(config, rules),
      buffer_(config, banks_, accesses_),
      refresh_(make_refresh_manager(config)),
      marked_banks_(banks_) {
  ports_.resize(ports);
  statistics_.ports.resize(ports);
  arbitration_.group.resize(ports);
  turns_.resize(arbitration_.groups);
  served_.resize(arbitration_.groups);
}

void DdrCore::mark() {
  marked_ = *this;
  marked_banks_ = banks_;
  buffer_.mark();
  refresh_->mark();
}

void DdrCore::rewind() {
  static_cast<DdrCoreState&>(*this) = marked_;
  banks_ = marked_banks_;
  buffer_.rewind();
  refresh_->rewind();
}

bool DdrCore::submit(unsigned number, DdrClock arrival, std::uint64_t address, bool write,
                     std::uint32_t tag, unsigned party) {
  Port& port = ports_[number];
  const int slot = accesses_.make();
  DdrAccess& access = accesses_[slot];
  access.tag = tag;
  access.port = number;
  access.rank = is_ranked_ ? arbitration_.group[number] : 0;
  access.party = party;
  access.write = write;
  access.taken = port.length < config_.port_queue;
  access.address = map_.decode(address);
  access.arrived = arrival;
  enqueue(port, slot);
  if (access.taken) ++port.taken;
  ++waiting_;
  if (port.queue.first == slot) admission_changes_ = true;
  if (observer_ != nullptr) observer_->arrived(number, arrival);
  next_event_ = std::min(next_event_, std::max({arrival, port.next_admit, free_admission_}) + 1);
  return access.taken;
}

void DdrCore::insert(Port& port, int slot) {
  const DdrClock arrival = accesses_[slot].arrived;
  int before = -1;
  for (int at = port.queue.first; accesses_[at].arrived <= arrival; at = accesses_[at].next) {
    before = at;
  }
  accesses_.insert_behind(port.queue, before, slot);
}

DdrClock DdrCore::next_admission() {
  if (!admission_changes_) return admission_;
  admission_changes_ = false;
  admission_ = never;
  for (const Port& port : ports_) {
    if (port.queue.empty()) continue;
    const DdrAccess& access = accesses_[port.queue.first];
    if (!buffer_.has_room(access.write, access.rank)) continue;
    admission_ = std::min(admission_, std::max(access.arrived, port.next_admit));
  }
  admission_ = std::max(admission_, free_admission_);
  return admission_;
}

/// True if the port's first access can be admitted at this clock.
bool DdrCore::is_ready(const Port& port, DdrClock clock) const {
  if (port.queue.empty()) return false;
  const DdrAccess& access = accesses_[port.queue.first];
  return std::max(access.arrived, port.next_admit) <= clock &&
         buffer_.has_room(access.write, access.rank);
}

/// Says which of two groups with an access to admit goes first.
bool DdrCore::goes_before(std::size_t group, std::size_t other) const {
  if (is_ranked_) return group < other;
  const std::uint64_t mine = arbitration_.shares[group], its = arbitration_.shares[other];
  if (mine == 0 || its == 0) return mine != its ? its == 0 : group < other;
  const std::uint64_t left = (served_[group] + 1) * its, right = (served_[other] + 1) * mine;
  return left != right ? left < right : group < other;
}

/// The port whose access is admitted, the next in turn of the group that goes first. At least one
/// port is ready.
std::size_t DdrCore::next_port(DdrClock clock) {
  const std::size_t count = ports_.size();
  if (arbitration_.between == DdrArbitration::Between::shares && clock >= window_end_) {
    std::fill(served_.begin(), served_.end(), 0);
    window_end_ = (clock / arbitration_.window + 1) * arbitration_.window;
  }
  std::size_t best = count, best_distance = 0;
  for (std::size_t port = 0; port < count; ++port) {
    if (!is_ready(ports_[port], clock)) continue;
    const unsigned group = arbitration_.group[port];
    const std::size_t turn = turns_[group];
    const std::size_t distance = port >= turn ? port - turn : port + count - turn;
    if (best != count) {
      const unsigned best_group = arbitration_.group[best];
      const bool better =
          group == best_group ? distance < best_distance : goes_before(group, best_group);
      if (!better) continue;
    }
    best = port;
    best_distance = distance;
  }
  if (best == count) internal_error("a DRAM controller admits an access that is not there");
  return best;
}

/// Admits the first access of the port that is chosen.
void DdrCore::admit(DdrClock clock) {
  admission_changes_ = true;
  const std::size_t number = next_port(clock);
  const unsigned group = arbitration_.group[number];
  turns_[group] = number + 1 == ports_.size() ? 0 : number + 1;
  ++served_[group];
  Port& port = ports_[number];
  DdrAccess& access = accesses_[port.queue.first];
  access.admitted = clock;
  access.joined = clock + config_.command_delay;
  port.next_admit = clock + config_.xpi_interval;
  free_admission_ = clock + 1;
  --waiting_;
  admitted.push_back({access.tag, clock});
  if (observer_ != nullptr) observer_->admitted(access.port, access.write, clock);
  DdrPortStatistics& statistics = statistics_.ports[access.port];
  if (access.write) {
    statistics.writes.add(clock + 1 - access.arrived);
    if (waits_.keeps()) waits_.deal_out(access.party, access.arrived, clock - access.arrived);
  }
  const int slot = accesses_.pop_front(port.queue);
  leave_queue(port, access, clock);
  buffer_.admit(slot);
}

/// Accounts for `first`, which leaves the queue, and gives its place to an access that waited.
void DdrCore::leave_queue(Port& port, const DdrAccess& first, DdrClock clock) {
  --port.length;
  if (first.taken) {
    --port.taken;
  } else {
    taken.push_back({first.tag, clock + 1});
  }
  const unsigned most = std::min(port.length, config_.port_queue);
  if (port.taken == most) return;
  // Usually only one access waits in front of the queue, and it arrived last.
  const bool is_last = port.length - port.taken == 1 && !accesses_[port.queue.last].taken;
  int slot = is_last ? port.queue.last : port.queue.first;
  while (port.taken < most) {
    while (accesses_[slot].taken) slot = accesses_[slot].next;
    accesses_[slot].taken = true;
    ++port.taken;
    taken.push_back({accesses_[slot].tag, clock + 1});
  }
}

void DdrCore::advance(DdrClock until) {
  while (true) {
    const DdrClock admission = next_admission();
    const DdrClock join = buffer_.next_join();
    const DdrChoice& choice = buffer_.choose(free_command_);
    const DdrClock command = std::min(choice.clock, refresh_->due());
    // An access that joins at the end of a clock may get its command at the next clock.
    if (join < command && join <= admission && join < until) {
      // The access may change the choice, but no command before the next clock.
      buffer_.join(refresh_->end());
      free_command_ = std::max(free_command_, join + 1);
    } else if (admission < command && admission < until) {
      admit(admission);
    } else if (command > until) {
      find_next_event(admission, join, command);
      break;
    } else if (refresh_->due() <= choice.clock) {
      refresh();
      skip_refreshes(until);
    } else {
      issue(choice);
    }
  }
  statistics_.clocks = std::max(statistics_.clocks, until);
}

/// Takes every command for an event: an initiator may wait for it or for a command that depends on
/// it.
void DdrCore::find_next_event(DdrClock admission, DdrClock join, DdrClock command) {
  next_event_ = never;
  if (answered()) return;
  next_event_ = command;
  if (join != never) next_event_ = std::min(next_event_, join + 1);
  if (admission != never) next_event_ = std::min(next_event_, admission + 1);
}

void DdrCore::tell_observer(DdrCommandKind kind, DdrClock clock, unsigned bank,
                            const DdrAccess* access) {
  DdrCommand command;
  command.clock = clock;
  command.kind = kind;
  command.bank = static_cast<std::uint16_t>(bank);
  if (access != nullptr) {
    command.tag = access->tag;
    command.row = access->address.row;
    command.column = access->address.column;
  }
  observer_->command(command);
}

void DdrCore::refresh() {
  const DdrClock due = refresh_->due();
  free_command_ = std::max(free_command_, due);
  while (true) {
    const DdrRefreshManager::Command command = refresh_->next(banks_, free_command_);
    tell(command.kind, command.clock, 0, nullptr);
    free_command_ = command.clock + 1;
    if (command.kind == DdrCommandKind::ref) {
      banks_.ref(command.clock);
      refresh_->finish(command.clock);
      break;
    }
    banks_.prea(command.clock);
    ++statistics_.precharges;
  }
  free_command_ = refresh_->end();
  ++statistics_.refreshes;
  statistics_.refresh_clocks += refresh_->end() - due;
  buffer_.add_refresh(due, refresh_->end());
  buffer_.touch_all();
}

/// Refreshes of idle time are all alike: no bank is open, so each begins when it falls due. Unless
/// somebody observes them, they are counted only.
void DdrCore::skip_refreshes(DdrClock until) {
  const bool alike = idle() && observer_ == nullptr && banks_.open() == 0 &&
                     free_command_ <= refresh_->due() && banks_.earliest_ref() <= refresh_->due();
  if (!alike) return;
  const DdrRefreshManager::Skipped skipped = refresh_->skip(until);
  statistics_.refreshes += skipped.refreshes;
  statistics_.refresh_clocks += skipped.clocks;
}

void DdrCore::issue(const DdrChoice& choice) {
  DdrAccess* access = choice.slot < 0 ? nullptr : &accesses_[choice.slot];
  free_command_ = choice.clock + 1;
  switch (choice.kind) {
    case DdrCommandKind::act:
      if (access->row_state == DdrRowState::hit) access->row_state = DdrRowState::miss;
      ++statistics_.activates;
      tell(DdrCommandKind::act, choice.clock, choice.bank, access);
      banks_.act(choice.bank, access->address.row, choice.clock);
      buffer_.touch(choice.bank);
      return;
    case DdrCommandKind::rd:
    case DdrCommandKind::wr:
      break;
    default:
      if (access != nullptr) access->row_state = DdrRowState::conflict;
      ++statistics_.precharges;
      tell(DdrCommandKind::pre, choice.clock, choice.bank, access);
      banks_.pre(choice.bank, choice.clock);
      buffer_.touch(choice.bank);
      return;
  }
  const bool write = access->write, closes = buffer_.closes_behind(choice.slot);
  const DdrCommandKind kind = write ? (closes ? DdrCommandKind::wra : DdrCommandKind::wr)
                                    : (closes ? DdrCommandKind::rda : DdrCommandKind::rd);
  tell(kind, choice.clock, choice.bank, access);
  finish(*access, choice.clock);
  if (write) {
    banks_.wr(choice.bank, choice.clock, closes);
  } else {
    banks_.rd(choice.bank, choice.clock, closes);
  }
  // The access frees its place at the end of this clock.
  free_admission_ = std::max(free_admission_, choice.clock);
  admission_ = std::max(admission_, free_admission_);
  if (is_ranked_ || !buffer_.has_room(write)) admission_changes_ = true;
  buffer_.remove(choice.slot, choice.clock);
  accesses_.free(choice.slot);
}

/// Accounts for an access whose RD or WR is issued at `clock`.
void DdrCore::finish(const DdrAccess& access, DdrClock clock) {
  DdrDone& answer = done.emplace_back();
  answer.tag = access.tag;
  answer.write = access.write;
  answer.row_state = access.row_state;
  answer.arrived = access.arrived;
  answer.admitted = access.admitted;
  answer.command = clock;
  const unsigned latency = access.write ? config_.cwl : config_.cl;
  answer.bus = config_.burst_clocks();
  answer.data_end = clock + latency + answer.bus;
  answer.refresh = access.refresh;
  if (access.row_state != DdrRowState::hit && access.row_since != never) {
    const DdrClock ready = std::min(clock, banks_.row_ready(access.address.bank, access.write));
    answer.row = ready - access.row_since - access.row_refresh;
  }
  answer.queue = clock - access.arrived - config_.command_delay - answer.row - answer.refresh;
  answer.rest = config_.command_delay + latency;

  if (waits_.keeps()) {
    if (!access.write) waits_.deal_out(access.party, access.arrived, answer.queue);
    waits_.serve(access.party, clock);
  }

  statistics_.queue += answer.queue;
  statistics_.row += answer.row;
  statistics_.refresh += answer.refresh;
  statistics_.bus += answer.bus;
  statistics_.rest += answer.rest;
  statistics_.bus_clocks += answer.bus;
  ++(access.write ? statistics_.writes : statistics_.reads);
  ++(access.row_state == DdrRowState::hit    ? statistics_.hits
     : access.row_state == DdrRowState::miss ? statistics_.misses
                                             : statistics_.conflicts);
  if (!access.write) {
    statistics_.ports[access.port].reads.add(answer.data_end - access.arrived);
  }
}

}  // namespace tactus
