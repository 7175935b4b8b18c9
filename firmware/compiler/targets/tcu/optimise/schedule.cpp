#include "firmware/compiler/targets/tcu/optimise/schedule.h"

#include <algorithm>
#include <map>

namespace tactus::compiler::optimise {
namespace {

/// Vectors of an input or of constant data that are fetched together.
constexpr std::size_t fetched_together = 128;
/// Chunks that a job's block is cut into, at most.
constexpr std::size_t most_classes = 4;

class Scheduler {
 public:
  Scheduler(const Network& network, const Plan& plan) : network_(network), plan_(plan) {
    schedule_.chunk_of.assign(network.graph.constants.size(), no_chunk);
    schedule_.place_in.assign(network.graph.constants.size(), 0);
  }

  Schedule run(const std::vector<std::uint64_t>& input_bases) {
    find_readers();
    for (std::size_t i = 0; i < network_.graph.inputs.size(); ++i) {
      add_stored(network_.graph.inputs[i].vectors, 0, input_bases[i]);
    }
    add_constants();
    order_jobs();
    for (std::uint32_t job = 0; job < schedule_.jobs.size(); ++job) add_reads(job);
    return std::move(schedule_);
  }

 private:
  void find_readers();
  void add_stored(const std::vector<Vector>& vectors, std::uint8_t port, std::uint64_t base);
  void add_constants();
  void order_jobs();
  void find_needs();
  [[nodiscard]] bool can_go_on(std::uint32_t group) const;
  void add_tile(std::uint32_t group);
  void add_results(Job& job);
  void add_reads(std::uint32_t job);
  std::uint32_t add_chunk(std::vector<Vector> vectors);

  /// Calls visit(vector, pixel) for all that a group reads.
  template <typename Visit>
  void for_inputs(const Group& group, Visit visit) const {
    for (const Part& part : group.parts) {
      for (std::size_t i = 0; i < part.inputs.size(); ++i) visit(part.inputs[i], part.pixels[i]);
    }
    for (std::size_t i = 0; i < group.windows.size(); ++i) {
      for (const Vector v : group.windows[i]) {
        if (v != no_vector) visit(v, static_cast<std::uint32_t>(i / group.blocks));
      }
    }
  }

  const Network& network_;
  const Plan& plan_;
  Schedule schedule_;
  std::vector<std::uint64_t> readers_;  ///< by vector: a hash of the groups that read it
  /// Who makes a vector: group and pixel.
  std::vector<std::uint32_t> maker_, maker_pixel_;
  std::vector<std::uint32_t> dense_reads_;  ///< of the running tile
  std::vector<std::uint32_t> done_;         ///< by group: pixels computed
  /// By group and tile: for each group it reads, how many pixels must be there.
  struct Need {
    std::uint32_t group, pixels;
  };
  std::vector<std::vector<std::vector<Need>>> needs_;
};

void Scheduler::find_readers() {
  readers_.assign(network_.graph.constants.size(), 0);
  std::vector<std::uint32_t> last(network_.graph.constants.size(), 0);
  for (std::uint32_t g = 0; g < network_.groups.size(); ++g) {
    const std::uint64_t hash = (std::uint64_t{g} + 1) * 0x9E3779B97F4A7C15U;
    for_inputs(network_.groups[g], [&](Vector v, std::uint32_t) {
      if (last[v] == g + 1) return;
      last[v] = g + 1;
      readers_[v] ^= hash;
    });
  }
}

std::uint32_t Scheduler::add_chunk(std::vector<Vector> vectors) {
  const auto number = static_cast<std::uint32_t>(schedule_.chunks.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    schedule_.chunk_of[vectors[i]] = number;
    schedule_.place_in[vectors[i]] = static_cast<std::uint32_t>(i);
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
    const bool wanted = i < vectors.size() && readers_[vectors[i]] != 0;
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
  for (Vector v = 0; v < network_.graph.constants.size(); ++v) {
    if (network_.graph.constants[v] != nullptr && readers_[v] != 0) {
      schedule_.constant_data.push_back(v);
    }
  }
  add_stored(schedule_.constant_data, 1, 0);
}

void Scheduler::find_needs() {
  maker_.assign(network_.graph.constants.size(), no_chunk);
  maker_pixel_.assign(network_.graph.constants.size(), 0);
  needs_.resize(network_.groups.size());
  for (std::uint32_t g = 0; g < network_.groups.size(); ++g) {
    const Group& group = network_.groups[g];
    for (std::size_t i = 0; i < group.results.size(); ++i) {
      maker_[group.results[i]] = g;
      maker_pixel_[group.results[i]] = static_cast<std::uint32_t>(i / group.blocks);
    }
    const std::uint32_t tile = plan_.tiles[g].pixels;
    std::vector<std::vector<Need>>& needs = needs_[g];
    needs.resize((group.pixels + tile - 1) / tile);
    for_inputs(group, [&](Vector v, std::uint32_t pixel) {
      const std::uint32_t maker = maker_[v];
      if (maker == no_chunk) return;
      std::vector<Need>& list = needs[pixel / tile];
      auto need = list.begin();
      while (need != list.end() && need->group != maker) ++need;
      if (need == list.end()) need = list.insert(need, {maker, 0});
      need->pixels = std::max(need->pixels, maker_pixel_[v] + 1);
    });
  }
}

bool Scheduler::can_go_on(std::uint32_t group) const {
  if (done_[group] == network_.groups[group].pixels) return false;
  const auto& needs = needs_[group][done_[group] / plan_.tiles[group].pixels];
  return std::all_of(needs.begin(), needs.end(),
                     [&](const Need& need) { return done_[need.group] >= need.pixels; });
}

void Scheduler::order_jobs() {
  find_needs();
  done_.assign(network_.groups.size(), 0);
  const auto count = static_cast<std::uint32_t>(network_.groups.size());
  for (std::uint32_t first = 0; first < count;) {
    std::uint32_t end = first + 1;
    while (end < count && plan_.joins_previous[end]) ++end;
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
    Job job;
    job.group = number;
    job.first_pixel = first;
    job.end_pixel = end;
    job.first_block = block;
    job.end_block = std::min(group.blocks, block + tile.blocks);
    job.segment = schedule_.segments;
    add_results(job);
    schedule_.jobs.push_back(std::move(job));
  }
  done_[number] = end;
}

void Scheduler::add_results(Job& job) {
  const Group& group = network_.groups[job.group];
  std::map<std::uint64_t, std::vector<Vector>> classes;
  for (std::uint32_t b = job.first_block; b < job.end_block; ++b) {
    classes.clear();
    for (std::uint32_t p = job.first_pixel; p < job.end_pixel; ++p) {
      const Vector v = group.results[p * group.blocks + b];
      classes[readers_[v]].push_back(v);
    }
    if (classes.size() > most_classes) {
      std::vector<Vector> all;
      for (std::uint32_t p = job.first_pixel; p < job.end_pixel; ++p) {
        all.push_back(group.results[p * group.blocks + b]);
      }
      classes.clear();
      classes[0] = std::move(all);
    }
    for (const auto& [readers, vectors] : classes) {
      for (std::size_t first = 0; first < vectors.size(); first += plan_.longest_chunk) {
        const auto end = std::min<std::size_t>(vectors.size(), first + plan_.longest_chunk);
        job.writes.push_back(add_chunk({vectors.begin() + static_cast<std::ptrdiff_t>(first),
                                        vectors.begin() + static_cast<std::ptrdiff_t>(end)}));
      }
    }
  }
}

/// Jobs of a tile read the same for their matrices; that is looked up once.
void Scheduler::add_reads(std::uint32_t number) {
  Job& job = schedule_.jobs[number];
  const Group& group = network_.groups[job.group];
  const auto use = [&](std::uint32_t chunk) {
    std::vector<std::uint32_t>& uses = schedule_.chunks[chunk].uses;
    if (!uses.empty() && uses.back() == number) return;
    uses.push_back(number);
    job.reads.push_back(chunk);
  };
  if (job.first_block == 0) {
    dense_reads_.clear();
    for (const Part& part : group.parts) {
      if (!part.dense) continue;
      const Range range = entries_of(part, job);
      std::uint32_t last = no_chunk;
      for (std::size_t i = range.first; i < range.end; ++i) {
        const std::uint32_t chunk = schedule_.chunk_of[part.inputs[i]];
        if (chunk == last) continue;
        last = chunk;
        if (!schedule_.chunks[chunk].uses.empty() &&
            schedule_.chunks[chunk].uses.back() == number) {
          continue;
        }
        use(chunk);
        dense_reads_.push_back(chunk);
      }
    }
  } else {
    for (const std::uint32_t chunk : dense_reads_) use(chunk);
  }
  for (const Part& part : group.parts) {
    if (part.dense || part.columns[0].block < job.first_block ||
        part.columns[0].block >= job.end_block) {
      continue;
    }
    const Range range = entries_of(part, job);
    for (std::size_t i = range.first; i < range.end; ++i) {
      use(schedule_.chunk_of[part.inputs[i]]);
    }
  }
  if (group.windows.empty()) return;
  for (std::uint32_t p = job.first_pixel; p < job.end_pixel; ++p) {
    for (std::uint32_t b = job.first_block; b < job.end_block; ++b) {
      for (const Vector v : group.windows[p * group.blocks + b]) {
        if (v != no_vector) use(schedule_.chunk_of[v]);
      }
    }
  }
}

}  // namespace

Range entries_of(const Part& part, const Job& job) {
  const auto first = std::lower_bound(part.pixels.begin(), part.pixels.end(), job.first_pixel);
  const auto end = std::lower_bound(first, part.pixels.end(), job.end_pixel);
  return {static_cast<std::size_t>(first - part.pixels.begin()),
          static_cast<std::size_t>(end - part.pixels.begin())};
}

Schedule make_schedule(const Network& network, const Plan& plan,
                       const std::vector<std::uint64_t>& input_bases) {
  return Scheduler(network, plan).run(input_bases);
}

}  // namespace tactus::compiler::optimise
