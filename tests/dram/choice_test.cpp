// The buffer keeps its choice while nothing changes it, and when an access arrives considers only
// that access's bank. The choice equals that of considering every bank.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "models/dram/ddr_buffer.h"
#include "models/dram/ddr_rules.h"
#include "tests/support/test_scale.h"

namespace tactus::dram {
namespace {

struct Side {
  Side(const DdrConfig& config, const DdrBanks& banks) : buffer(config, banks, accesses) {}
  DdrAccesses accesses;
  DdrBuffer buffer;
};

class Controller {
 public:
  explicit Controller(std::uint32_t seed) : random_(seed), ranks_(seed % 2 == 0 ? 1 : 3) {}

  /// Describes the first step in which the choices differ; empty if none does.
  std::string run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      const DdrChoice choice = kept_.buffer.choose(free_);
      anew_.buffer.touch_all();
      const DdrChoice other = anew_.buffer.choose(free_);
      if (choice.clock != other.clock || choice.kind != other.kind || choice.bank != other.bank ||
          choice.slot != other.slot) {
        return "step " + std::to_string(i) + ": clock " + std::to_string(choice.clock) + ", bank " +
               std::to_string(choice.bank) + "; anew: clock " + std::to_string(other.clock) +
               ", bank " + std::to_string(other.bank);
      }
      step(choice);
    }
    return {};
  }
  [[nodiscard]] unsigned issued() const { return issued_; }

 private:
  unsigned below(unsigned end) {
    return std::uniform_int_distribution<unsigned>(0, end - 1)(random_);
  }
  DdrConfig config() {
    DdrConfig c;
    c.bank_groups = below(2) + 1;
    c.banks = 4;
    c.scheduler = below(4) == 0 ? DdrScheduler::fifo : DdrScheduler::frfcfs;
    c.read_priority = below(2) == 0;
    c.cap = below(4);
    c.buffer = 12;
    c.write_buffer = 12;
    c.write_high_mark = 8;
    c.write_low_mark = 3;
    const unsigned policy = below(3);
    c.page_policy = policy == 0   ? DdrPagePolicy::open
                    : policy == 1 ? DdrPagePolicy::closed
                                  : DdrPagePolicy::timeout;
    if (policy == 2) c.page_timeout = 5 + below(40);
    return c;
  }

  void step(const DdrChoice& choice) {
    const bool write = below(3) == 0;
    if (kept_.buffer.has_room(write) && below(3) != 0) return admit(write);
    if (below(300) == 0) return refresh();
    const DdrClock join = kept_.buffer.next_join();
    if (join < choice.clock) {
      for (Side* side : {&kept_, &anew_}) side->buffer.join(refresh_end_);
      free_ = std::max(free_, join + 1);
    } else if (choice.clock != never) {
      issue(choice);
    }
  }

  void admit(bool write) {
    joined_ = std::max(joined_, free_) + 1 + below(2);
    const DdrAddress address{below(3), static_cast<std::uint16_t>(below(config_.all_banks())),
                             static_cast<std::uint16_t>(8 * below(2))};
    const unsigned rank = ranks_ == 1 ? 0 : below(ranks_);
    for (Side* side : {&kept_, &anew_}) {
      const int slot = side->accesses.make();
      DdrAccess& access = side->accesses[slot];
      access.write = write;
      access.rank = rank;
      access.address = address;
      access.joined = joined_;
      side->buffer.admit(slot);
    }
  }

  void refresh() {
    const DdrClock due = free_;
    DdrClock clock = std::max(free_, banks_.earliest_prea());
    banks_.prea(clock);
    clock = std::max(clock + 1, banks_.earliest_ref());
    banks_.ref(clock);
    free_ = refresh_end_ = clock + config_.t_rfc;
    for (Side* side : {&kept_, &anew_}) {
      side->buffer.add_refresh(due, refresh_end_);
      side->buffer.touch_all();
    }
  }

  void issue(const DdrChoice& choice) {
    ++issued_;
    free_ = choice.clock + 1;
    const bool closes = config_.page_policy == DdrPagePolicy::closed;
    switch (choice.kind) {
      case DdrCommandKind::act:
        banks_.act(choice.bank, kept_.accesses[choice.slot].address.row, choice.clock);
        break;
      case DdrCommandKind::rd:
        banks_.rd(choice.bank, choice.clock, closes);
        break;
      case DdrCommandKind::wr:
        banks_.wr(choice.bank, choice.clock, closes);
        break;
      default:
        banks_.pre(choice.bank, choice.clock);
    }
    const bool ends = choice.kind == DdrCommandKind::rd || choice.kind == DdrCommandKind::wr;
    for (Side* side : {&kept_, &anew_}) {
      if (!ends) {
        side->buffer.touch(choice.bank);
        continue;
      }
      side->buffer.remove(choice.slot, choice.clock);
      side->accesses.free(choice.slot);
    }
  }

  std::mt19937 random_;
  unsigned ranks_;
  DdrConfig config_ = config();
  DdrBanks banks_{config_, DdrRules(config_)};
  Side kept_{config_, banks_}, anew_{config_, banks_};
  DdrClock free_ = 0, joined_ = 0, refresh_end_ = 0;
  unsigned issued_ = 0;
};

TEST(DdrChoice, EqualsASearchOverAllBanks) {
  for (const std::uint64_t seed : test_seeds(4'000, 300)) {
    Controller controller(static_cast<std::uint32_t>(seed));
    ASSERT_EQ(controller.run(1'000), "") << "seed " << seed;
    EXPECT_GT(controller.issued(), 100U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tactus::dram
