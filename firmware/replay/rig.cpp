#include "firmware/replay/rig.h"

#include <algorithm>

#include "models/sim/trace/cycle_watcher.h"
#include "models/sim/trace/signals.h"

namespace tactus {
namespace {

constexpr unsigned axi_data_bits = 64;
constexpr std::uint64_t pattern_vectors = 4096;

/// Initial contents of the bare rig's DRAMs: the lanes of the vector at `address`.
void fill_pattern(unsigned port, unsigned lanes, std::uint64_t address, std::uint8_t* vector) {
  const std::uint64_t a = port == 0 ? 29 : 37;
  const std::uint64_t b = port == 0 ? 13 : 11;
  for (unsigned j = 0; j < lanes; ++j) {
    const auto value = static_cast<std::int64_t>((address * a + j * b) & 511) - 100;
    tcu::set_lane(tcu::DataType::fp16bp8, vector, j, address < pattern_vectors ? value : 0);
  }
}

/// The TCU alone. All ports draw their stalls from one generator, in a fixed order.
class BareBench final : public ReplayRig {
 public:
  BareBench(Clock& clock, const GoldenLog& log, const tcu::Architecture& architecture,
            Engine engine, const std::vector<OwnUnit>& own_units)
      : clock_(clock),
        source_(axi_data_bits / 8, log.feed_gap),
        stalls_(log.stall_seed, log.stall_percent),
        tcu_("tcu", clock, {architecture}, instruction_, links_) {
    clock.engine = engine;
    source_.start(log.program);
    for (unsigned p = 0; p < 2; ++p) {
      BareDram::Config config;
      config.port = p;
      config.vector_bytes = architecture.vector_bytes();
      config.read_latency = std::max<Cycle>(1, log.read_latency);
      config.keep_writes = p == 0;
      const unsigned lanes = architecture.array_size;
      config.fill = [p, lanes](std::uint64_t address, std::uint8_t* vector) {
        fill_pattern(p, lanes, address, vector);
      };
      drams_[p] = std::make_unique<BareDram>(p == 0 ? "dram0" : "dram1", clock, config, links_[p]);
    }
    make_own_units(own_units, architecture);
  }

  void cycle() override {
    instruction_.bits = source_.word(clock_.now);
    instruction_.valid = instruction_.bits != nullptr;
    for (auto& dram : drams_) dram->draw_stalls(stalls_);
    for (auto& dram : drams_) dram->drive();
    if (clock_.watcher != nullptr) clock_.activity.wake(UnitActivity::all);
    const auto settle = [this] { tcu_.drive(), tcu_.accept(); };
    if (own_units_) {
      clock_.activity.sleep(own_units_->replaced());
      own_units_->settle(settle);
    } else {
      settle();
    }
    if (clock_.watcher != nullptr) clock_.watcher->settled(clock_.now);
    tcu_.commit();
    tcu_.decoder().commit_outside();
    // The observer is called before the DRAMs' clock edge, which may change the data that their
    // wires point to.
    if (clock_.watcher != nullptr) clock_.watcher->committed(clock_.now);
    for (auto& dram : drams_) dram->commit();
    if (instruction_.fires()) source_.taken(clock_.now);
    clock_.events->end_of_cycle(clock_.now);
    ++clock_.now;
    if (own_units_) own_units_->end_cycle();
  }
  [[nodiscard]] const Tcu& tcu() const override { return tcu_; }
  void describe(const trace::Scope& top) const override {
    top.clock("clock");
    tcu_.describe(top.unit("tcu"));
  }
  [[nodiscard]] std::uint64_t delivered() const override { return source_.words_taken(); }

 private:
  /// Those of the TCU alone; the rig has no other units.
  void make_own_units(const std::vector<OwnUnit>& all, const tcu::Architecture& architecture) {
    std::vector<PinnedUnit> units, models;
    std::vector<OwnUnit> own;
    tcu_.add_pinned_units(units);
    for (const OwnUnit& one : all) {
      for (PinnedUnit& unit : units) {
        if (unit.name != one.unit) continue;
        own.push_back(one);
        models.push_back(std::move(unit));
      }
    }
    if (own.empty()) return;
    own_units_ =
        std::make_unique<OwnUnits>("own_units", clock_, own, std::move(models),
                                   std::make_shared<TcuWidths>(architecture, axi_data_bits),
                                   [this] { return tcu_.decoder().head_text(); });
    if (own_units_->replaces("decoder")) tcu_.decoder().stand_outside();
  }

  Clock& clock_;
  ProgramStream source_;
  StallGenerator stalls_;
  Link<const std::uint8_t*> instruction_;
  std::array<DramLinks, 2> links_;
  Tcu tcu_;
  std::array<std::unique_ptr<BareDram>, 2> drams_;
  std::unique_ptr<OwnUnits> own_units_;
};

class TopBench final : public ReplayRig {
 public:
  TopBench(Clock& clock, const GoldenLog& log, const tcu::Architecture& architecture, Engine engine,
           std::optional<std::uint32_t> shuffle_seed, const std::vector<OwnUnit>& own_units)
      : source_(axi_data_bits / 8, log.feed_gap),
        system_("top", clock, config(log, architecture, engine, shuffle_seed, own_units), source_) {
    source_.start(log.program);
    for (unsigned p = 0; p < 2; ++p) {
      slaves_[p] = std::make_unique<PatternSlave>(clock, p, log.read_latency, log.write_latency,
                                                  system_.pins(p));
      system_.attach(p, *slaves_[p]);
    }
  }

  void cycle() override { system_.cycle(); }
  [[nodiscard]] const Tcu& tcu() const override { return system_.tcu(); }
  void describe(const trace::Scope& top) const override { system_.describe(top); }
  [[nodiscard]] std::uint64_t delivered() const override { return source_.words_taken(); }

 private:
  static TcuSystem::Config config(const GoldenLog& log, const tcu::Architecture& architecture,
                                  Engine engine, std::optional<std::uint32_t> shuffle_seed,
                                  const std::vector<OwnUnit>& own_units) {
    TcuSystem::Config config;
    config.own_units = own_units;
    config.tcu.architecture = architecture;
    config.axi_data_bits = axi_data_bits;
    config.stalls = StallGenerator(log.stall_seed, log.stall_percent);
    config.engine = engine;
    config.shuffle_seed = shuffle_seed;
    return config;
  }

  ProgramStream source_;
  TcuSystem system_;
  std::array<std::unique_ptr<PatternSlave>, 2> slaves_;
};

}  // namespace

PatternSlave::PatternSlave(Clock& clock, unsigned port, Cycle read_latency, Cycle write_latency,
                           AxiLinks& pins)
    : clock_(clock),
      port_(port),
      read_latency_(std::max<Cycle>(1, read_latency)),
      write_latency_(std::max<Cycle>(1, write_latency)),
      pins_(pins) {}

void PatternSlave::drive() {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  pins_.ar.ready = !stalls_.ar;
  pins_.aw.ready = !stalls_.aw;
  pins_.w.ready = !stalls_.w;
  pins_.r.valid = !stalls_.r && !reads_.empty() && reads_.front().available <= clock_.now;
  if (pins_.r.valid) {
    const std::uint64_t word = reads_.front().address * factor + port_;
    for (unsigned i = 0; i < word_.size(); ++i)
      word_[i] = static_cast<std::uint8_t>(word >> (8 * i));
    pins_.r.bits = {word_.data(), reads_.front().left == 1};
  }
  pins_.b.valid = !stalls_.b && !responses_.empty() && responses_.front() <= clock_.now;
}

void PatternSlave::commit() {
  if (pins_.r.fires()) {
    reads_.front().address += word_.size();
    if (--reads_.front().left == 0) reads_.pop_front();
  }
  if (pins_.b.fires()) responses_.pop_front();
  if (pins_.ar.fires()) {
    const AxiAddress& a = pins_.ar.bits;
    reads_.push_back({a.address, a.length + 1U, clock_.now + read_latency_});
  }
  if (pins_.w.fires() && pins_.w.bits.last) responses_.push_back(clock_.now + write_latency_);
}

std::unique_ptr<ReplayRig> make_rig(Clock& clock, const GoldenLog& log,
                                    const tcu::Architecture& architecture, Engine engine,
                                    std::optional<std::uint32_t> shuffle_seed,
                                    const std::vector<OwnUnit>& own_units) {
  if (log.bare) return std::make_unique<BareBench>(clock, log, architecture, engine, own_units);
  return std::make_unique<TopBench>(clock, log, architecture, engine, shuffle_seed, own_units);
}

}  // namespace tactus
