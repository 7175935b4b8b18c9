#include "firmware/compiler/targets/tcu/optimise/schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace tactus::compiler::optimise {
namespace {

/// Vectors of an input or of constant data that are fetched together.
constexpr std::size_t fetched_together = 128;
/// Chunks that a job's block is cut into, at most.
constexpr std::size_t most_classes = 4;

class Scheduler {
 public:
  Scheduler(const Network& network, const Plan& plan, const GroupRange& range)
      : network_(network), plan_(plan), range_(range) {
    Vector first = no_vector, last = 0;
    const auto span = [&](Vector v) {
      first = std::min(first, v);
      last = std::max(last, v);
    };
    for (std::size_t g = range.first; g < range.end; ++g) {
      for_results(network.groups[g], [&](const std::vector<Vector>& results) {
        for (const Vector v : results) span(v);
      });
      for_inputs(network.groups[g], [&](Vector v, std::uint32_t) { span(v); });
    }
    const std::size_t count = first == no_vector ? 0 : last - first + 1;
    schedule_.first_vector = first == no_vector ? 0 : first;
    schedule_.chunk_of.assign(count, no_chunk);
    schedule_.place_in.assign(count, 0);
  }

  Schedule run(const std::vector<std::uint64_t>& input_bases) {
    find_readers();
    for (std::size_t i = 0; i < network_.graph.inputs.size(); ++i) {
      add_stored(network_.graph.inputs[i].vectors, 0, input_bases[i]);
    }
    add_constants();
    add_earlier();
    order_jobs();
    for (std::uint32_t job = 0; job < schedule_.jobs.size(); ++job) add_reads(job);
    keep_for_later();
    return std::move(schedule_);
  }

 private:
  void find_readers();
  void add_stored(const std::vector<Vector>& vectors, std::uint8_t port, std::uint64_t base);
  void add_constants();
  void add_earlier();
  void add_earlier_results(const Group& group, const std::vector<Vector>& results);
  void order_jobs();
  void find_needs(std::uint32_t group);
  [[nodiscard]] bool can_go_on(std::uint32_t group) const;
  void add_tile(std::uint32_t group);
  void add_results(Job& job, const std::vector<Vector>& results);
  void add_reads(std::uint32_t job);
  void add_dense_reads(std::uint32_t job);
  void add_other_reads(std::uint32_t job);
  void use(std::uint32_t job, std::uint32_t chunk);
  void keep_for_later();
  std::uint32_t add_chunk(std::vector<Vector> vectors);

  /// The number of a vector that the schedule knows.
  [[nodiscard]] std::size_t number(Vector v) const { return v - schedule_.first_vector; }
  [[nodiscard]] bool is_read(Vector v) const {
    return v >= schedule_.first_vector && number(v) < readers_.size() && readers_[number(v)] != 0;
  }
  [[nodiscard]] std::uint32_t tiles(std::size_t group) const {
    return plan_.tiles[group].parts(network_.groups[group]);
  }

  const Network& network_;
  const Plan& plan_;
  const GroupRange range_;
  Schedule schedule_;
  std::vector<std::uint64_t> readers_;       ///< a hash of the groups that read a vector
  std::vector<std::uint64_t> tile_readers_;  ///< and of their tiles
  std::vector<std::vector<std::uint32_t>> dense_reads_;  ///< of the running tile, by slice
  std::vector<std::uint32_t> done_;                      ///< by group: pixels computed
  /// By group and tile: for each group it reads, how many pixels must be there; for groups of
  /// segments that have several.
  struct Need {
    std::uint32_t group, pixels;
  };
  std::vector<std::vector<std::vector<Need>>> needs_;
  std::vector<std::uint32_t> maker_pixel_;
  Vector loaded_ = no_vector;  ///< first vector of the tables that the machine holds
};

void Scheduler::find_readers() {
  const std::size_t count = schedule_.chunk_of.size();
  readers_.assign(count, 0);
  tile_readers_.assign(count, 0);
  struct Tiles {
    std::uint32_t first, last;
  };
  constexpr Tiles none{0xFFFFFFFF, 0};
  std::vector<Tiles> met(count, none);
  std::vector<Vector> touched;
  for (std::size_t g = range_.first; g < range_.end; ++g) {
    const std::uint32_t pixels = plan_.tiles[g].pixels;
    touched.clear();
    for_inputs(network_.groups[g], [&](Vector v, std::uint32_t pixel) {
      Tiles& tiles = met[number(v)];
      if (tiles.first == none.first) touched.push_back(v);
      const std::uint32_t tile = pixel / pixels;
      tiles.first = std::min(tiles.first, tile);
      tiles.last = std::max(tiles.last, tile);
    });
    const std::uint64_t hash = (std::uint64_t{g} + 1) * 0x9E3779B97F4A7C15U;
    for (const Vector v : touched) {
      Tiles& tiles = met[number(v)];
      readers_[number(v)] ^= hash;
      tile_readers_[number(v)] =
          tile_readers_[number(v)] * 31 + (hash ^ (tiles.first * 65537U + tiles.last));
      tiles = none;
    }
  }
}

std::uint32_t Scheduler::add_chunk(std::vector<Vector> vectors) {
  const auto number = static_cast<std::uint32_t>(schedule_.chunks.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    schedule_.chunk_of[this->number(vectors[i])] = number;
    schedule_.place_in[this->number(vectors[i])] = static_cast<std::uint32_t>(i);
  }
  schedule_.chunks.emplace_back();
  schedule_.chunks.back().vectors = std::move(vectors);
  return number;
}

/// Only what is read, in runs without gaps.
void Scheduler::add_stored(const std::vector<Vector>& vectors, std::uint8_t port,
                           std::uint64_t base) {
  std::vector<Vector> run;
  for (std::size_t i = 0; i <= vectors.size(); ++i) {
    const bool wanted = i < vectors.size() && is_read(vectors[i]);
    if (!run.empty() && (!wanted || run.size() == fetched_together)) {
      const std::size_t first = i - run.size();
      Chunk& chunk = schedule_.chunks[add_chunk(std::move(run))];
      chunk.port = port;
      chunk.dram = static_cast<std::int64_t>(base + first);
      run = {};
    }
    if (wanted) run.push_back(vectors[i]);
  }
}

void Scheduler::add_constants() {
  std::set<Vector> of_tables;
  std::vector<const std::vector<Vector>*> tables;
  for (std::size_t g = range_.first; g < range_.end; ++g) {
    const std::vector<Vector>& vectors = network_.groups[g].tables;
    if (vectors.empty() || !of_tables.insert(vectors.front()).second) continue;
    of_tables.insert(vectors.begin(), vectors.end());
    tables.push_back(&vectors);
  }
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    const auto v = static_cast<Vector>(schedule_.first_vector + i);
    if (network_.graph.constants[v] != nullptr && readers_[i] != 0 && of_tables.count(v) == 0) {
      schedule_.constant_data.push_back(v);
    }
  }
  std::vector<Vector>& data = schedule_.constant_data;
  add_stored(data, 1, 0);
  // The instruction that loads a table reads neighbouring vectors.
  for (const std::vector<Vector>* vectors : tables) {
    Chunk& chunk = schedule_.chunks[add_chunk(*vectors)];
    chunk.port = 1;
    chunk.dram = static_cast<std::int64_t>(data.size());
    data.insert(data.end(), vectors->begin(), vectors->end());
  }
}

/// What groups before the range make, block by block. Where it lies in DRAM0 matters to nobody.
void Scheduler::add_earlier() {
  if (range_.first == 0) return;
  std::vector<bool> seen(range_.first, false);
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (readers_[i] == 0) continue;
    const std::uint32_t maker = network_.makers[schedule_.first_vector + i];
    if (maker >= range_.first || seen[maker]) continue;
    seen[maker] = true;
    const Group& group = network_.groups[maker];
    for_results(group,
                [&](const std::vector<Vector>& results) { add_earlier_results(group, results); });
  }
}

void Scheduler::add_earlier_results(const Group& group, const std::vector<Vector>& results) {
  for (std::uint32_t b = 0; b < group.blocks; ++b) {
    std::vector<Vector> run;
    for (std::uint32_t p = 0; p <= group.pixels; ++p) {
      const Vector v = p < group.pixels ? results[p * group.blocks + b] : no_vector;
      const bool wanted = p < group.pixels && is_read(v);
      if (!run.empty() && (!wanted || run.size() == plan_.longest_chunk ||
                           tile_readers_[number(v)] != tile_readers_[number(run.back())])) {
        const Vector first = run.front();
        schedule_.chunks[add_chunk(std::move(run))].dram = static_cast<std::int64_t>(first);
        run = {};
      }
      if (wanted) run.push_back(v);
    }
  }
}

/// What is read behind the range stays to its end.
void Scheduler::keep_for_later() {
  const auto end = static_cast<std::uint32_t>(schedule_.jobs.size());
  for (Chunk& chunk : schedule_.chunks) {
    const bool later = std::any_of(chunk.vectors.begin(), chunk.vectors.end(),
                                   [&](Vector v) { return network_.last_readers[v] > range_.end; });
    if (later) chunk.uses.push_back(end);
  }
}

void Scheduler::find_needs(std::uint32_t g) {
  const Group& group = network_.groups[g];
  for_results(group, [&](const std::vector<Vector>& results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      maker_pixel_[number(results[i])] = static_cast<std::uint32_t>(i / group.blocks);
    }
  });
  const std::uint32_t tile = plan_.tiles[g].pixels;
  std::vector<std::vector<Need>>& needs = needs_[g];
  needs.resize(tiles(g));
  for_inputs(group, [&](Vector v, std::uint32_t pixel) {
    const std::uint32_t maker = network_.makers[v];
    if (maker == no_maker || maker < range_.first) return;
    std::vector<Need>& list = needs[pixel / tile];
    auto need = list.begin();
    while (need != list.end() && need->group != maker) ++need;
    if (need == list.end()) need = list.insert(need, {maker, 0});
    need->pixels = std::max(need->pixels, maker_pixel_[number(v)] + 1);
  });
}

bool Scheduler::can_go_on(std::uint32_t group) const {
  if (done_[group] == network_.groups[group].pixels) return false;
  if (needs_[group].empty()) return true;  // alone in its segment
  const auto& needs = needs_[group][done_[group] / plan_.tiles[group].pixels];
  return std::all_of(needs.begin(), needs.end(),
                     [&](const Need& need) { return done_[need.group] >= need.pixels; });
}

void Scheduler::order_jobs() {
  done_.assign(network_.groups.size(), 0);
  needs_.resize(network_.groups.size());
  maker_pixel_.assign(schedule_.chunk_of.size(), 0);
  const auto count = static_cast<std::uint32_t>(range_.end);
  for (auto first = static_cast<std::uint32_t>(range_.first); first < count;) {
    std::uint32_t end = first + 1;
    while (end < count && plan_.joins_previous[end]) ++end;
    for (std::uint32_t g = first; g < end && end - first > 1; ++g) find_needs(g);
    for (;;) {
      std::uint32_t group = end;
      while (group > first && !can_go_on(group - 1)) --group;
      if (group == first) break;
      add_tile(group - 1);
    }
    ++schedule_.segments;
    first = end;
  }
}

void Scheduler::add_tile(std::uint32_t number) {
  const Group& group = network_.groups[number];
  const Plan::Tile& tile = plan_.tiles[number];
  const std::uint32_t first = done_[number];
  const std::uint32_t end = std::min(group.pixels, first + tile.pixels);
  for (std::uint32_t block = 0; block < group.blocks; block += tile.blocks) {
    for (std::uint32_t slice = 0; slice < tile.slices; ++slice) {
      Job job;
      job.group = number;
      job.first_pixel = first;
      job.end_pixel = end;
      job.first_block = block;
      job.end_block = std::min(group.blocks, block + tile.blocks);
      job.segment = schedule_.segments;
      job.slice = slice;
      job.slices = tile.slices;
      if (job.is_last_slice()) {
        for_results(group, [&](const std::vector<Vector>& results) { add_results(job, results); });
      }
      schedule_.jobs.push_back(std::move(job));
    }
  }
  done_[number] = end;
}

void Scheduler::add_results(Job& job, const std::vector<Vector>& results) {
  const Group& group = network_.groups[job.group];
  std::map<std::uint64_t, std::vector<Vector>> classes;
  std::vector<Vector> all;
  for (std::uint32_t b = job.first_block; b < job.end_block; ++b) {
    classes.clear();
    all.clear();
    for (std::uint32_t p = job.first_pixel; p < job.end_pixel; ++p) {
      all.push_back(results[p * group.blocks + b]);
    }
    std::vector<Vector>* list = nullptr;  // of the vector before
    std::uint64_t readers_before = 0;
    for (const Vector v : all) {
      const std::uint64_t readers = readers_[number(v)];
      if (list == nullptr || readers != readers_before) list = &classes[readers];
      if (list->empty()) list->reserve(all.size());
      readers_before = readers;
      list->push_back(v);
    }
    if (classes.size() > most_classes) {
      classes.clear();
      classes[0] = all;
    }
    for (const auto& [readers, vectors] : classes) {
      std::size_t first = 0;
      for (std::size_t i = 1; i <= vectors.size(); ++i) {
        const bool ends =
            i == vectors.size() || i - first == plan_.longest_chunk ||
            tile_readers_[number(vectors[i])] != tile_readers_[number(vectors[i - 1])];
        if (!ends) continue;
        const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = vectors.begin() + static_cast<std::ptrdiff_t>(i);
        job.writes.push_back(add_chunk({begin, end}));
        first = i;
      }
    }
  }
}

/// A matrix without zero blocks, which every job of a tile reads the same inputs for.
bool meets_all_blocks(const Group& group, const Part& part) {
  return part.dense && part.columns.size() == group.blocks;
}

void Scheduler::use(std::uint32_t job, std::uint32_t chunk) {
  std::vector<std::uint32_t>& uses = schedule_.chunks[chunk].uses;
  if (!uses.empty() && uses.back() == job) return;
  uses.push_back(job);
  schedule_.jobs[job].reads.push_back(chunk);
}

/// What such matrices read is looked up once for the jobs of a tile.
void Scheduler::add_dense_reads(std::uint32_t number) {
  const Job& job = schedule_.jobs[number];
  const Group& group = network_.groups[job.group];
  if (dense_reads_.size() < job.slices) dense_reads_.resize(job.slices);
  std::vector<std::uint32_t>& dense_reads = dense_reads_[job.slice];
  if (job.first_block == 0) {
    dense_reads.clear();
    for (const Part& part : group.parts) {
      if (!meets_all_blocks(group, part) || !job.has(group, part)) continue;
      const Range range = entries_of(group, part, job);
      std::uint32_t last = no_chunk;
      for (std::size_t i = range.first; i < range.end; ++i) {
        const std::uint32_t chunk = schedule_.chunk(part.inputs[i]);
        if (chunk == last) continue;
        last = chunk;
        if (!schedule_.chunks[chunk].uses.empty() &&
            schedule_.chunks[chunk].uses.back() == number) {
          continue;
        }
        use(number, chunk);
        dense_reads.push_back(chunk);
      }
    }
  } else {
    for (const std::uint32_t chunk : dense_reads) use(number, chunk);
  }
}

/// Inputs of other parts, and computed weights.
void Scheduler::add_other_reads(std::uint32_t number) {
  const Job& job = schedule_.jobs[number];
  const Group& group = network_.groups[job.group];
  for (const Part& part : group.parts) {
    const bool is_read =
        std::any_of(part.columns.begin(), part.columns.end(), [&](const Column& column) {
          return column.block >= job.first_block && column.block < job.end_block;
        });
    if (meets_all_blocks(group, part) || !is_read || !job.has(group, part)) continue;
    const Range range = entries_of(group, part, job);
    for (std::size_t i = range.first; i < range.end; ++i) {
      use(number, schedule_.chunk(part.inputs[i]));
    }
  }
  for (const Part& part : group.parts) {
    if (!part.is_computed() || !job.has(group, part)) continue;
    if (entries_of(group, part, job).size() == 0) continue;
    for (const Column& column : part.columns) {
      if (column.block < job.first_block || column.block >= job.end_block) continue;
      for (const Vector v : column.rows) {
        if (v != no_vector) use(number, schedule_.chunk(v));
      }
    }
  }
}

void Scheduler::add_reads(std::uint32_t number) {
  Job& job = schedule_.jobs[number];
  const Group& group = network_.groups[job.group];
  add_dense_reads(number);
  add_other_reads(number);
  if (!group.tables.empty() && job.is_last_slice() && loaded_ != group.tables.front()) {
    loaded_ = group.tables.front();
    job.loads_tables = true;
    use(number, schedule_.chunk(loaded_));
  }
  if (group.windows.empty()) return;
  for (std::uint32_t p = job.first_pixel; p < job.end_pixel; ++p) {
    for (std::uint32_t b = job.first_block; b < job.end_block; ++b) {
      for (const Vector v : group.windows[p * group.blocks + b]) {
        if (v != no_vector) use(number, schedule_.chunk(v));
      }
    }
  }
}

}  // namespace

Range entries_of(const Group& group, const Part& part, const Job& job) {
  const auto first =
      std::lower_bound(part.pixels.begin(), part.pixels.end(), job.first_pixel * group.window);
  const auto end = std::lower_bound(first, part.pixels.end(), job.end_pixel * group.window);
  return {static_cast<std::size_t>(first - part.pixels.begin()),
          static_cast<std::size_t>(end - part.pixels.begin())};
}

Schedule make_schedule(const Network& network, const Plan& plan,
                       const std::vector<std::uint64_t>& input_bases, const GroupRange& range) {
  return Scheduler(network, plan, range).run(input_bases);
}

std::uint64_t most_read(const Group& group, std::uint32_t pixels) {
  std::vector<std::vector<Vector>> tiles((group.pixels + pixels - 1) / pixels);
  for_inputs(group, [&](Vector v, std::uint32_t pixel) { tiles[pixel / pixels].push_back(v); });
  for (std::vector<Vector>& tile : tiles) {
    tile.insert(tile.end(), group.tables.begin(), group.tables.end());
    for (const Part& part : group.parts) {
      for (const Column& column : part.columns) {
        tile.insert(tile.end(), column.rows.begin(), column.rows.end());
      }
    }
  }
  std::uint64_t most = 0;
  for (std::vector<Vector>& tile : tiles) {
    std::sort(tile.begin(), tile.end());
    const auto end = std::unique(tile.begin(), tile.end());
    most = std::max(most, static_cast<std::uint64_t>(end - tile.begin()));
  }
  return most;
}

}  // namespace tactus::compiler::optimise
