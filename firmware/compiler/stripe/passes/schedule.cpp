// schedule: buffers of a block's statements become copies in a small memory, with transfers.
//
// Statements are processed from the last to the first. The state is the set of copies that later
// statements expect in the memory, at most one for each buffer. A statement uses expected copies
// and allocates the others: first in free memory, then in place of other copies, which are fetched
// again behind the statement, then in an empty memory. If whole buffers do not fit, a block works
// on slices: copies of the data of one position, with transfers inside the block.
#include <algorithm>
#include <list>
#include <set>

#include "firmware/compiler/stripe/passes/cache.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/schedule_memory.h"
#include "firmware/compiler/stripe/passes/schedule_units.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// A copy of a buffer.
struct Entry {
  std::string buffer, name;
  MemoryRange range;
  /// The first statement that writes the buffer has been processed: earlier contents are not
  /// needed.
  bool begun = false;
  std::size_t used = 0;  ///< the last statement looked at that uses it
};

class Scheduler {
 public:
  Scheduler(Block& block, const AliasMap& map, const ScheduleOptions& options)
      : block_(block), map_(map), options_(options), memory_(block, options) {}

  void run() {
    check_views();
    find_first_writers();
    memory_.reserve();
    std::vector<Statement> statements = std::move(block_.statements);
    block_.statements.clear();
    for (std::size_t at = statements.size(); at-- > 0;) {
      Statement& stmt = statements[at];
      stmt.deps.clear();
      schedule(stmt, at);
    }
    fetch_at_the_start();
    for (Statement& stmt : result_) block_.append(std::move(stmt));
    add_copies();
    set_schedule_deps(block_, use_);
  }

 private:
  // ---- what statements touch ----

  [[nodiscard]] std::map<std::string, Direction> touched(const Statement& stmt) const {
    if (stmt.block() == nullptr && stmt.as<Special>() == nullptr) {
      user_error("block {}: schedule needs statements that are blocks or specials",
                 block_name(block_));
    }
    std::map<std::string, Direction> result;
    const Uses uses = uses_of(stmt);
    const auto add = [&](const std::string& name, Direction direction) {
      if (memory_.unit_at(block_.ref_at(name).location)) return;
      auto [it, added] = result.emplace(name, direction);
      if (!added) it->second = unite(it->second, direction);
    };
    for (const std::string& name : uses.buffer_reads) add(name, Direction::in);
    for (const std::string& name : uses.buffer_writes) add(name, Direction::out);
    return result;
  }

  /// Copies of two views of the same elements would not know of each other.
  void check_views() const {
    std::map<std::string, Direction> all;
    for (const Statement& stmt : block_.statements) {
      for (const auto& [buffer, direction] : touched(stmt)) {
        const auto [it, added] = all.emplace(buffer, direction);
        if (!added) it->second = unite(it->second, direction);
      }
    }
    for (auto a = all.begin(); a != all.end(); ++a) {
      for (auto b = std::next(a); b != all.end(); ++b) {
        const AliasInfo &one = map_.at(a->first), &other = map_.at(b->first);
        const bool same = one.base_name == other.base_name && overlap(one.extents, other.extents);
        if (!same || !(writes(a->second) || writes(b->second))) continue;
        user_error("block {}: {} and {} are views of the same elements, which schedule cannot copy",
                   block_name(block_), a->first, b->first);
      }
    }
  }

  void find_first_writers() {
    for (std::size_t at = 0; at < block_.statements.size(); ++at) {
      for (const auto& [buffer, direction] : touched(block_.statements[at])) {
        if (writes(direction)) first_writer_.emplace(buffer, at);
      }
    }
  }

  Entry& new_entry(const std::string& buffer, const MemoryRange& range) {
    std::string name;
    do {
      name = buffer + "^" + std::to_string(numbers_[buffer]++);
    } while (block_.ref(name) != nullptr);
    entries_.push_back({buffer, name, range, false, 0});
    return entries_.back();
  }

  /// Plans copies for all buffers of the statement; only a statement that works on slices may lack
  /// some. Copies that cannot stay are added to `lost`.
  std::map<std::string, Entry*> plan(Statement& stmt, const std::map<std::string, Direction>& io,
                                     std::size_t at, std::vector<Entry*>& lost) {
    std::map<std::string, Entry*> used;
    std::vector<std::string> missing, all;
    for (const auto& [buffer, direction] : io) {
      all.push_back(buffer);
      const auto it = live_.find(buffer);
      if (it == live_.end()) {
        missing.push_back(buffer);
      } else {
        used[buffer] = it->second;
      }
    }
    std::vector<MemoryRange> kept, expected;
    for (const auto& [buffer, entry] : live_) {
      if (used.count(buffer) != 0) kept.push_back(entry->range);
      // A copy used recently may still be in use.
      const bool recent = entry->used - at <= options_.parallelism_window;
      if (used.count(buffer) != 0 || !entry->begun || recent) expected.push_back(entry->range);
    }
    std::map<std::string, MemoryRange> places;
    if (!memory_.place(block_, missing, expected, places) &&
        !memory_.place(block_, missing, kept, places)) {
      used.clear();
      if (!memory_.place(block_, all, {}, places)) {
        lose_all(io, slice(stmt), lost);
        return {};
      }
    }
    for (const auto& [buffer, range] : places) {
      for (auto it = live_.begin(); it != live_.end();) {
        const bool in_use = used.count(it->first) != 0;
        const bool replaced = !in_use && (it->first == buffer || it->second->range.overlaps(range));
        if (replaced && !it->second->begun) lost.push_back(it->second);
        it = replaced ? live_.erase(it) : std::next(it);
      }
    }
    for (const auto& [buffer, range] : places) used[buffer] = &new_entry(buffer, range);
    return used;
  }

  // ---- slices ----

  /// Makes slices: copies of the data of one position. Returns their addresses.
  std::vector<MemoryRange> slice(Statement& stmt) {
    Block* nested = stmt.block();
    std::vector<std::string> views;
    if (nested != nullptr) {
      for (const auto& [into, ref] : nested->refs) {
        const bool there = ref.direction == Direction::none ||
                           memory_.unit_at(block_.ref_at(ref.from).location).has_value();
        if (!there) views.push_back(into);
      }
    }
    std::map<std::string, MemoryRange> places;
    if (nested == nullptr || !memory_.place(*nested, views, {}, places)) {
      user_error("block {}: what {} does not fit the {} KiB of {}",
                 nested != nullptr ? block_name(*nested) : block_name(block_),
                 nested != nullptr ? "a position of it touches" : "a special touches",
                 options_.mem_KiB, options_.mem_loc.text());
    }
    check_slices(*nested, views);
    std::vector<MemoryRange> ranges;
    for (const std::string& into : views) {
      const Refinement& ref = nested->ref_at(into);
      const bool adds = aggregation_of(ref.agg_op) != Aggregation::none;
      // An aggregation adds to old contents when it is stored.
      const Direction way =
          ref.direction == Direction::inout && adds ? Direction::out : ref.direction;
      CacheOptions options;
      options.memory = memory_.place_of_copy(ref.from);
      options.transfer = options_.xfer_loc;
      options.load_tags = options.store_tags = {"slice"};
      options.add_constraints = options_.add_constraints;
      const AliasMap inside(map_, *nested);
      cache_refinement(inside, *nested, into, way, options);
      nested->ref_at(into).offset = places.at(into).offset;
      fix_up(*nested, into);
      ranges.push_back(places.at(into));
    }
    use_.slices[nested] = ranges;
    return ranges;
  }

  /// A slice is stored whole, and two slices of a buffer do not know of each other.
  void check_slices(const Block& nested, const std::vector<std::string>& views) const {
    std::map<std::string, std::size_t> by_buffer;
    std::set<std::string> written;
    for (const std::string& into : views) {
      const Refinement& ref = nested.ref_at(into);
      ++by_buffer[ref.from];
      if (!writes(ref.direction)) continue;
      written.insert(ref.from);
      if (aggregation_of(ref.agg_op) == Aggregation::none && positions_overlap(nested, ref)) {
        user_error(
            "block {}: the buffers do not fit the {} KiB of {}, and {} cannot be sliced: views of "
            "its positions overlap",
            block_name(nested), options_.mem_KiB, options_.mem_loc.text(), into);
      }
    }
    for (const std::string& buffer : written) {
      if (by_buffer[buffer] < 2) continue;
      user_error(
          "block {}: the buffers do not fit the {} KiB of {}, and {} cannot be sliced: it "
          "has several views of {}",
          block_name(nested), options_.mem_KiB, options_.mem_loc.text(), block_name(nested),
          buffer);
    }
  }

  /// Removes copies that slices replace, and copies of buffers that the statement writes.
  void lose_all(const std::map<std::string, Direction>& io, const std::vector<MemoryRange>& slices,
                std::vector<Entry*>& lost) {
    for (auto it = live_.begin(); it != live_.end();) {
      const MemoryRange& range = it->second->range;
      const bool taken = std::any_of(slices.begin(), slices.end(),
                                     [&range](const MemoryRange& r) { return r.overlaps(range); });
      // Data that it reads must be in the buffer itself.
      const bool replaced = taken || io.count(it->first) != 0;
      if (replaced && !it->second->begun) lost.push_back(it->second);
      it = replaced ? live_.erase(it) : std::next(it);
    }
  }

  // ---- statements ----

  /// True for results of the block, and for buffers that a later transfer fetches.
  [[nodiscard]] bool must_store(const std::string& buffer) const {
    const bool result = writes(block_.ref_at(buffer).direction) && stored_.count(buffer) == 0;
    return result || awaited_.count(buffer) != 0;
  }

  void schedule(Statement& stmt, std::size_t at) {
    const auto io = touched(stmt);
    std::vector<Entry*> lost;
    const auto used = plan(stmt, io, at, lost);
    for (const auto& [buffer, entry] : used) entry->used = at;
    const auto by_offset = [](const Entry* a, const Entry* b) {
      return a->range.offset < b->range.offset;
    };
    std::sort(lost.begin(), lost.end(), by_offset);
    std::vector<Statement> after;
    for (const auto& [buffer, direction] : io) {
      if (used.count(buffer) == 0) {
        // Slices read from the buffer itself, which earlier writers fill, and store to it.
        if (writes(direction)) {
          stored_.insert(buffer);
          awaited_.erase(buffer);
        }
        if (reads(direction) || block_.ref_at(buffer).direction == Direction::inout ||
            (writes(direction) && first_writer_.at(buffer) != at)) {
          awaited_.insert(buffer);
        }
        continue;
      }
      Entry* entry = used.at(buffer);
      const bool lost_copy = std::any_of(lost.begin(), lost.end(),
                                         [&b = buffer](const Entry* e) { return e->buffer == b; });
      if (writes(direction) && (must_store(buffer) || lost_copy)) {
        after.push_back(transfer("swap_out_", *entry, false));
        stored_.insert(buffer);
        awaited_.erase(buffer);
      }
      // Elements of an enclosing block's buffer that are not written keep their old contents.
      const bool fresh = direction == Direction::out &&
                         block_.ref_at(buffer).direction != Direction::inout &&
                         block_.ref_at(buffer).direction != Direction::in;
      if (fresh && first_writer_.at(buffer) == at) entry->begun = true;
      live_[buffer] = entry;
    }
    for (const Entry* entry : lost) {
      after.push_back(transfer("swap_in_", *entry, true));
      // Unless this statement has just stored it.
      const auto it = io.find(entry->buffer);
      if (it == io.end() || !writes(it->second)) awaited_.insert(entry->buffer);
    }
    redirect(stmt, used);
    result_.insert(result_.begin(), std::make_move_iterator(after.begin()),
                   std::make_move_iterator(after.end()));
    result_.push_front(std::move(stmt));
  }

  void redirect(Statement& stmt, const std::map<std::string, Entry*>& used) const {
    if (auto* special = stmt.as<Special>()) {
      const auto replace = [&](std::string& name) {
        const auto it = used.find(name);
        if (it != used.end()) name = it->second->name;
      };
      for (std::string& name : special->inputs) replace(name);
      for (std::string& name : special->outputs) replace(name);
      return;
    }
    Block& nested = *stmt.block();
    for (auto& [into, ref] : nested.refs) {
      const auto it = used.find(ref.from);
      if (ref.direction == Direction::none || it == used.end()) continue;
      const TensorShape copy = copy_shape(ref.from);
      ref.location = memory_.place_of_copy(ref.from);
      ref.from = it->second->name;
      for (std::size_t i = 0; i < ref.shape.dims.size(); ++i) {
        ref.shape.dims[i].stride = copy.dims[i].stride;
      }
      fix_up(nested, into);
    }
  }

  [[nodiscard]] TensorShape copy_shape(const std::string& buffer) const {
    const TensorShape& shape = block_.ref_at(buffer).shape;
    return compact_shape(shape.type, shape.sizes());
  }

  /// Copies a buffer to its entry or back, an element a position.
  [[nodiscard]] Statement transfer(const std::string& prefix, const Entry& entry, bool in) const {
    const Refinement& buffer = block_.ref_at(entry.buffer);
    Block block;
    block.name = prefix + entry.name;
    block.location = options_.xfer_loc;
    Refinement far, near;
    for (std::size_t i = 0; i < buffer.shape.dims.size(); ++i) {
      Index idx;
      idx.name = "i" + std::to_string(i);
      idx.range = buffer.shape.dims[i].size;
      far.access.emplace_back(idx.name);
      block.indexes.push_back(idx);
    }
    // A view may extend beyond its buffer.
    for (std::size_t i = 0; options_.add_constraints && i < buffer.shape.dims.size(); ++i) {
      map_.add_bounds(block, map_.at(entry.buffer), i, "i" + std::to_string(i), false);
    }
    far.from = entry.buffer;
    far.shape = element_shape(buffer.shape);
    far.location = buffer.location;
    near.access = far.access;
    near.from = entry.name;
    near.shape = element_shape(copy_shape(entry.buffer));
    near.location = memory_.place_of_copy(entry.buffer);
    Refinement& source = in ? far : near;
    Refinement& target = in ? near : far;
    source.into = "src";
    source.direction = Direction::in;
    target.into = "dst";
    target.direction = Direction::out;
    block.add_ref(std::move(far));
    block.add_ref(std::move(near));
    Statement load, store, result;
    load.op = Load{"src", "$X"};
    store.op = Store{"$X", "dst"};
    block.append(std::move(load));
    block.append(std::move(store));
    result.add_tags(in ? options_.swap_in_tags : options_.swap_out_tags);
    result.op = BlockBox(std::move(block));
    return result;
  }

  /// Inserts transfers for copies that are expected and written by no statement, before their first
  /// use.
  void fetch_at_the_start() {
    std::vector<const Entry*> waiting;
    for (const auto& [buffer, entry] : live_) {
      if (!entry->begun) waiting.push_back(entry);
    }
    std::sort(waiting.begin(), waiting.end(),
              [](const Entry* a, const Entry* b) { return a->range.offset < b->range.offset; });
    for (const Entry* entry : waiting) {
      const auto first = std::find_if(result_.begin(), result_.end(), [&](const Statement& stmt) {
        return buffers_of(stmt).count(entry->name) != 0;
      });
      result_.insert(first, transfer("swap_in_", *entry, true));
    }
  }

  void add_copies() {
    for (const Entry& entry : entries_) {
      const Refinement& buffer = block_.ref_at(entry.buffer);
      Refinement copy;
      copy.into = entry.name;
      copy.access.resize(buffer.shape.dims.size());
      copy.shape = copy_shape(entry.buffer);
      copy.agg_op = buffer.agg_op;
      copy.location = memory_.place_of_copy(entry.buffer);
      copy.offset = entry.range.offset;
      block_.add_ref(std::move(copy));
      use_.copies.emplace(entry.name, entry.range);
    }
  }

  Block& block_;
  const AliasMap& map_;
  const ScheduleOptions& options_;
  ScheduleMemory memory_;
  std::list<Entry> entries_;
  std::list<Statement> result_;
  std::map<std::string, Entry*> live_;
  std::map<std::string, std::size_t> first_writer_, numbers_;
  std::set<std::string> stored_, awaited_;
  MemoryUse use_;
};

class Schedule : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", options_.reqs, "tags of the blocks whose statements get copies");
    v.location("mem_loc", options_.mem_loc,
               "the memory of the copies; units may use the name unit, which is chosen then");
    v.number("mem_KiB", options_.mem_KiB, "its size, of each unit");
    v.number("alignment", options_.alignment,
             "bytes that offsets and sizes are multiples of; 0: 4");
    v.location("xfer_loc", options_.xfer_loc, "where transfers run");
    v.tags("swap_in_tags", options_.swap_in_tags, "tags for transfers of whole buffers to copies");
    v.tags("swap_out_tags", options_.swap_out_tags, "tags for transfers of copies to buffers");
    v.flag("append_devs", options_.append_devs,
           "copies live at the buffer's devices followed by those of mem_loc");
    v.number("parallelism_window", options_.parallelism_window,
             "statements for which the place of a copy is not taken after its last use");
    v.units(options_.units);
    v.flag("add_constraints", options_.add_constraints, "keep transfers inside the buffer");
    v.number("num_banks", options_.num_banks, "banks over which a banked dimension is spread");
    v.flag("allow_overflow", options_.allow_overflow, "copies may end beyond the memory");
    v.flag("allow_out_of_range_accesses", old_overflow_, "the old name of allow_overflow");
  }

  void run(Program& program) const override {
    ScheduleOptions options = options_;
    options.allow_overflow = options.allow_overflow || old_overflow_;
    if (options.mem_loc.empty()) user_error("mem_loc is missing");
    if (options.mem_KiB == 0 && !options.allow_overflow) user_error("mem_KiB is missing");
    const bool assigned = !options.units.color_io_unique.empty() || !options.units.numa_map.empty();
    if (!chooses_unit(options.mem_loc) && assigned) {
      user_error("mem_loc {}: units are assigned, but it has none by the name unit",
                 options.mem_loc.text());
    }
    on_blocks(program, options.reqs, [&](const AliasMap& map, Statement& stmt) {
      Scheduler(*stmt.block(), map, options).run();
    });
  }

 private:
  ScheduleOptions options_;
  bool old_overflow_ = false;
};

}  // namespace

std::unique_ptr<Pass> make_schedule() { return std::make_unique<Schedule>(); }

}  // namespace tactus::stripe
