#include "firmware/compiler/targets/tcu/optimise/planner.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler::optimise {
namespace {

/// Codes that count as one plan of the effort; the plan of a large network counts as several.
constexpr std::uint64_t codes_a_plan = 60000;
/// Smallest chunk of a plan, in vectors.
constexpr std::uint32_t least_chunk = 8;

std::uint32_t parts_of(const Group& group, const Plan::Tile& tile) {
  return (group.pixels + tile.pixels - 1) / tile.pixels;
}

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 29;
}

/// Hash of everything that a group's cost depends on. Groups with equal hashes differ in their
/// weights and their place in the network only.
std::uint64_t structure_of(const Network& network, std::uint32_t number) {
  const Group& group = network.groups[number];
  std::uint64_t hash = 0;
  for (const std::uint64_t value :
       {std::uint64_t{group.blocks}, std::uint64_t{group.pixels}, std::uint64_t{group.window},
        static_cast<std::uint64_t>(group.kind), static_cast<std::uint64_t>(group.activation),
        std::uint64_t{group.by_unit}, std::uint64_t{group.saturating_product},
        std::uint64_t{group.scale.empty()}}) {
    mix(hash, value);
  }
  mix(hash, group.normalised.results.size());
  const auto mix_input = [&](Vector v) {
    const std::uint32_t maker = v == no_vector ? no_maker : network.makers[v];
    mix(hash, maker == no_maker ? v : number - maker);
    if (maker != no_maker) mix(hash, v - network.groups[maker].results.front());
  };
  for (const Part& part : group.parts) {
    mix(hash, part.columns.size());
    mix(hash, std::uint64_t{part.rows} << 1U | std::uint64_t{part.dense});
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      mix_input(part.inputs[i]);
      mix(hash, part.pixels[i]);
    }
    for (const Column& column : part.columns) {
      for (const Vector v : column.rows) mix_input(v);
    }
  }
  for (const auto& window : group.windows) {
    for (const Vector v : window) mix_input(v);
  }
  for (const Vector v : group.tables) mix_input(v);
  for_results(group, [&](const std::vector<Vector>& results) {
    for (const Vector v : results) {
      const std::uint32_t reader = network.last_readers[v];
      mix(hash, reader == 0 ? 0 : reader - number);
    }
  });
  return hash;
}

}  // namespace

Planner::Planner(const Network& network, Blocks& blocks, const tcu::Architecture& architecture,
                 const Machine& machine, Places places)
    : network_(network),
      blocks_(blocks),
      architecture_(architecture),
      machine_(machine),
      places_(std::move(places)) {
  for (std::uint32_t g = 0; g < network.groups.size(); ++g) {
    structures_.push_back(structure_of(network, g));
  }
}

/// Divides the group's pixels into `parts` tiles, with as many blocks at a time as the accumulators
/// hold.
void Planner::set_tile(Plan& plan, std::size_t number, std::uint32_t parts) const {
  const Group& group = network_.groups[number];
  Plan::Tile& tile = plan.tiles[number];
  tile.pixels = (group.pixels + parts - 1) / parts;
  const std::uint64_t area = std::uint64_t{tile.pixels} * group.window;
  const std::uint64_t rounds = (area * group.blocks + accumulators() - 1) / accumulators();
  tile.blocks = static_cast<std::uint32_t>((group.blocks + rounds - 1) / rounds);
  while (tile.blocks > 1 && area * tile.blocks > accumulators()) {
    --tile.blocks;
  }
}

/// Divides the tile further. Returns false if it is one pixel and one block already.
bool Planner::cut_finer(Plan& plan, std::size_t number) const {
  Plan::Tile& tile = plan.tiles[number];
  const Group& group = network_.groups[number];
  if (tile.pixels > 1) {
    std::uint32_t more = parts_of(group, tile);
    const std::uint32_t before = tile.pixels;
    while (tile.pixels == before) set_tile(plan, number, ++more);
    return true;
  }
  if (tile.blocks > 1) {
    tile.blocks = (tile.blocks + 1) / 2;
    return true;
  }
  return false;
}

/// Cuts the group's tiles until a job's accumulators are there.
void Planner::fit_accumulators(Plan& plan, std::size_t number) const {
  const Group& group = network_.groups[number];
  const auto fits = [&] {
    Job job;
    job.group = static_cast<std::uint32_t>(number);
    job.end_pixel = plan.tiles[number].pixels;
    job.end_block = plan.tiles[number].blocks;
    // Windows at the border of an image are smaller than those of the first tile's neighbours.
    std::uint64_t most = 0;
    if (group.windows.empty()) return accumulators_of(network_, job) <= accumulators();
    for (std::uint32_t first = 0; first < group.pixels; first += plan.tiles[number].pixels) {
      for (std::uint32_t block = 0; block < group.blocks; block += plan.tiles[number].blocks) {
        job.first_pixel = first;
        job.end_pixel = std::min(group.pixels, first + plan.tiles[number].pixels);
        job.first_block = block;
        job.end_block = std::min(group.blocks, block + plan.tiles[number].blocks);
        most = std::max(most, accumulators_of(network_, job));
      }
    }
    return most <= accumulators();
  };
  while (!fits()) {
    if (!cut_finer(plan, number)) {
      user_error("layer {}: insufficient accumulators for one pixel",
                 quote(network_.groups[number].name));
    }
  }
}

/// Cycles of a group alone whose inputs and results lie in DRAM0, by the closed forms of whole
/// tiles. `read`: vectors that a tile reads.
double Planner::estimate(const Plan& plan, std::size_t number, std::uint64_t read) const {
  const Group& group = network_.groups[number];
  const Plan::Tile& tile = plan.tiles[number];
  const std::uint64_t n = machine_.array_size;
  const std::uint64_t tiles = parts_of(group, tile);
  const std::uint64_t rounds = (group.blocks + tile.blocks - 1) / tile.blocks;
  std::uint64_t products = 0, matrices = 0, weights = 0;
  for (const Part& part : group.parts) {
    products += part.inputs.size() * part.columns.size();
    matrices += part.columns.size();
    if (!part.is_computed()) weights += part.columns.size() * (part.rows + std::uint64_t{1});
  }
  const std::uint64_t drain = machine_.shadow_weights ? 0 : 2 * n;
  const std::uint64_t change = machine_.own_weight_reads ? 1 : n + 1 + drain;
  const std::uint64_t head = products + matrices * tiles * change + 3 * group.results.size();
  const std::uint64_t fetched = weights * (weights <= plan.ring ? 1 : tiles);
  const std::uint64_t values = read * tiles * (tile.slices > 1 ? rounds : 1) + group.results.size();
  const std::uint64_t moves = machine_.beats * (fetched + values);
  if (machine_.dma_queue != 0) return static_cast<double>(std::max(head, moves));
  // One move a drain is hidden as long as that takes.
  const std::uint64_t hidden =
      drain > machine_.read_start() ? matrices * tiles * (drain - machine_.read_start()) : 0;
  return static_cast<double>(head + (moves > hidden ? moves - hidden : 0));
}

/// Cuts the group's tiles until there is room for what a job reads: into fewer pixels or, beside
/// the slice before it, a slice of the inputs, whatever costs less.
void Planner::fit_inputs(Plan& plan, std::size_t number) const {
  const Group& group = network_.groups[number];
  const std::uint64_t room = architecture_.local_depth - plan.ring - places_.arena;
  if (group.kind != GroupKind::sum) return;
  std::optional<Plan::Tile> best;
  double least = 0;
  for (;;) {
    Plan::Tile& tile = plan.tiles[number];
    const std::uint64_t read = most_read(group, tile.pixels);
    tile.slices = static_cast<std::uint32_t>(read > room ? (2 * read + room - 1) / room : 1);
    if (tile.slices <= group.sources) {
      const double cost = estimate(plan, number, read);
      if (!best || cost < least) {
        best = tile;
        least = cost;
      }
    }
    tile.slices = 1;
    if (read <= room || tile.pixels == 1 || !cut_finer(plan, number)) break;
  }
  if (best) plan.tiles[number] = *best;
}

Plan Planner::first_plan() {
  Plan plan;
  plan.tiles.resize(network_.groups.size());
  plan.joins_previous.assign(network_.groups.size(), false);
  plan.ring = least_ring();
  // What is fetched beside the head comes in large reads, which take room.
  if (machine_.dma_queue != 0) plan.ring = std::max(plan.ring, part_of_local(8));
  plan.least_zeroes.assign(network_.groups.size(), 4 * architecture_.array_size);
  plan.longest_chunk =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(16, architecture_.local_depth / 64));
  if (places_.arena + plan.ring >= architecture_.local_depth) plan.ring = least_ring();
  if (places_.arena + plan.ring >= architecture_.local_depth) {
    user_error("insufficient local memory for weights: {} vectors needed, {} of {} are free",
               plan.ring, architecture_.local_depth - places_.arena, architecture_.local_depth);
  }
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    set_tile(plan, g, 1);
    fit_accumulators(plan, g);
    fit_inputs(plan, g);
  }
  return plan;
}

Codes Planner::prologue() const {
  Codes codes;
  if (places_.arena == 0 || resident_) return codes;
  Code code;
  code.kind = CodeKind::dram_read;
  code.port = 1;
  code.count = static_cast<std::uint32_t>(places_.arena);
  codes.push_back(code);
  return codes;
}

Candidate Planner::make(Plan plan, const GroupRange& range, bool keep_instructions) {
  ++plans_;
  Candidate candidate;
  for (;;) {
    for (std::size_t g = range.first; g < range.end; ++g) fit_accumulators(plan, g);
    const std::uint64_t kept = std::uint64_t{plan.ring} + plan.resident;
    if (places_.arena + kept >= architecture_.local_depth) {
      user_error("insufficient local memory for weights: {} vectors needed, {} of {} are free",
                 kept, architecture_.local_depth - places_.arena, architecture_.local_depth);
    }
    Places places = places_;
    places.arena_end = architecture_.local_depth - kept;
    places.least_zeroes = plan.least_zeroes;
    candidate.schedule = make_schedule(network_, plan, places.inputs, range);
    // Data that is constant lies before the weights in DRAM1, behind the values of passes.
    for (Chunk& chunk : candidate.schedule.chunks) {
      if (chunk.port == 1) chunk.dram += static_cast<std::int64_t>(places_.arena);
    }
    if (cut_where_inputs_are_too_large(candidate.schedule, places, plan)) continue;
    std::uint32_t too_large = 0;
    auto lowered = lower(network_, candidate.schedule, blocks_, architecture_, places, too_large);
    if (lowered) {
      candidate.lowered = std::move(*lowered);
      break;
    }
    // Chunks of many blocks come together, however small the tile is.
    if (cut_finer(plan, too_large)) continue;
    if (plan.longest_chunk > least_chunk) {
      plan.longest_chunk /= 2;
      set_tile(plan, too_large, 1);
    } else {
      user_error("layer {}: insufficient local memory: {} vectors",
                 quote(network_.groups[too_large].name), architecture_.local_depth);
    }
  }
  candidate.plan = std::move(plan);
  const std::uint64_t limit =
      architecture_.local_depth - candidate.plan.resident - candidate.plan.ring;
  const std::uint64_t end = std::max(candidate.lowered.local_end, std::min(best_.local_end, limit));
  const bool whole = range.end - range.first == network_.groups.size();
  Ring ring;
  ring.first = static_cast<std::uint32_t>(whole ? candidate.lowered.local_end : end);
  ring.size =
      static_cast<std::uint32_t>(architecture_.local_depth - candidate.plan.resident - ring.first);
  ring.resident = whole ? candidate.plan.resident : 0;
  candidate.emitted =
      emit(candidate.lowered, prologue(), blocks_, architecture_, machine_, ring,
           places_.arena + candidate.schedule.constant_data.size(), keep_instructions);
  spent_ += candidate.lowered.codes.size();
  if (progress_) progress_(std::min(spent_, budget_), budget_);
  return candidate;
}

/// Cuts each group that reads more at once than there is room for. False: there is none.
bool Planner::cut_where_inputs_are_too_large(const Schedule& schedule, const Places& places,
                                             Plan& plan) const {
  bool cut = false;
  std::vector<bool> seen(network_.groups.size(), false);
  for (const Job& job : schedule.jobs) {
    if (seen[job.group]) continue;
    std::uint64_t read = 0;
    for (const std::uint32_t chunk : job.reads) read += schedule.chunks[chunk].vectors.size();
    if (read <= places.arena_end - places.arena) continue;
    seen[job.group] = true;
    cut = cut_finer(plan, job.group) || cut;
  }
  return cut;
}

/// Vectors of a group's results that went to DRAM0, and the last group that reads them.
std::vector<Planner::Displaced> Planner::displaced(const Candidate& candidate) const {
  std::vector<Displaced> groups(network_.groups.size());
  const Schedule& schedule = candidate.schedule;
  for (const Job& job : schedule.jobs) {
    Displaced& group = groups[job.group];
    group.group = job.group;
    for (const std::uint32_t number : job.writes) {
      const Chunk& chunk = schedule.chunks[number];
      if (chunk.dram < 0 || chunk.uses.empty()) continue;
      group.vectors += chunk.vectors.size();
      group.last_reader = std::max(group.last_reader, schedule.jobs[chunk.uses.back()].group);
    }
  }
  groups.erase(std::remove_if(groups.begin(), groups.end(),
                              [](const Displaced& group) { return group.vectors == 0; }),
               groups.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Displaced& a, const Displaced& b) { return a.vectors > b.vectors; });
  return groups;
}

Planner::Trial Planner::attempt(Plan plan) {
  Candidate candidate = make(std::move(plan), all(), false);
  Trial trial;
  trial.plan = std::move(candidate.plan);
  trial.cycles = candidate.emitted.cycles;
  trial.local_end = candidate.lowered.local_end;
  trial.codes = candidate.lowered.codes.size();
  trial.displaced = displaced(candidate);
  return trial;
}

/// True if the plan is cheaper than the best so far, which it then becomes.
bool Planner::improve(Plan plan) {
  if (!has_budget()) return false;
  try {
    Trial trial = attempt(std::move(plan));
    if (trial.cycles >= best_.cycles) return false;
    best_ = std::move(trial);
    return true;
  } catch (const UserError&) {
    return false;  // it does not fit
  }
}

std::optional<std::uint64_t> Planner::attempt_alone(Plan& plan, const GroupRange& range) {
  try {
    const std::uint32_t longest_chunk = plan.longest_chunk;
    Candidate candidate = make(plan, range, false);
    plan = std::move(candidate.plan);
    if (plan.longest_chunk != longest_chunk) return std::nullopt;
    return candidate.emitted.cycles;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::uint64_t Planner::hash_of(const std::vector<Plan>& plans, const GroupRange& range) const {
  std::uint64_t hash = 0;
  for (std::size_t g = range.first; g < range.end; ++g) mix(hash, structures_[g]);
  for (const Plan& plan : plans) {
    for (const std::uint64_t value : {plan.ring, plan.resident, plan.longest_chunk}) {
      mix(hash, value);
    }
    for (std::size_t g = range.first; g < range.end; ++g) {
      mix(hash, std::uint64_t{plan.tiles[g].pixels} << 32U | plan.tiles[g].blocks);
      mix(hash, plan.tiles[g].slices);
      mix(hash, std::uint64_t{plan.least_zeroes[g]} << 1U | std::uint64_t{plan.joins_previous[g]});
    }
  }
  return hash;
}

Plan Planner::cheapest(std::vector<Plan> plans, const GroupRange& range) {
  const std::uint64_t hash = hash_of(plans, range);
  const auto known = choices_.find(hash);
  if (known != choices_.end()) return std::move(plans[known->second]);
  std::size_t best = 0;
  std::optional<std::uint64_t> least;
  for (std::size_t i = 0; i < plans.size() && has_budget_alone(); ++i) {
    const auto cycles = attempt_alone(plans[i], range);
    if (cycles && (!least || *cycles < *least)) {
      least = cycles;
      best = i;
    }
  }
  if (has_budget_alone()) choices_[hash] = best;
  return std::move(plans[best]);
}

/// Weights that are fetched again for each tile may stay in a larger ring.
void Planner::search_ring() {
  for (const std::uint32_t part : {8, 4, 16, 3, 2}) {
    // A large network has no more than one of these to spare.
    if (spent_ * 4 > budget_) return;
    Plan plan = best_.plan;
    plan.ring = part_of_local(part);
    if (plan.ring > best_.plan.ring) (void)improve(std::move(plan));
  }
}

/// Whether constants are added by zero vectors or by moves, in all groups alike.
void Planner::search_passes() {
  for (const std::uint32_t factor : {2U, 8U, 16U, 64U, 0U}) {
    if (places_.pass_vectors == 0 || spent_ * 4 > budget_) return;
    Plan plan = best_.plan;
    plan.least_zeroes.assign(network_.groups.size(),
                             factor == 0 ? 0xFFFFFFFF : factor * architecture_.array_size);
    (void)improve(std::move(plan));
  }
}

/// Constants take what values leave of local memory, and more.
void Planner::search_resident() {
  const std::uint64_t values = best_.local_end + best_.plan.ring;
  const std::uint64_t free =
      architecture_.local_depth > values ? architecture_.local_depth - values : 0;
  const std::uint64_t more = (architecture_.local_depth - free) / 4;
  for (const std::uint64_t size : {free / 2, free * 3 / 4, free, free + more, free + 2 * more}) {
    if (size == 0 || size <= best_.plan.resident) continue;
    Plan plan = best_.plan;
    plan.resident = static_cast<std::uint32_t>(size);
    (void)improve(std::move(plan));
  }
}

/// Groups between which values went to DRAM0 take turns, in tiles of several sizes.
void Planner::search_segments() {
  constexpr std::size_t longest = 12;
  constexpr std::size_t beyond = 4;
  std::vector<bool> tried(network_.groups.size(), false);
  for (bool again = true; again && has_budget_alone();) {
    Plan changed = best_.plan;
    again = false;
    for (const Displaced& next : best_.displaced) {
      const std::size_t first = next.group;
      if (tried[first] || !has_budget_alone()) continue;
      tried[first] = again = true;
      const GroupRange range{
          first, std::min(network_.groups.size(), next.last_reader + std::size_t{beyond})};
      std::vector<Plan> plans{changed};
      for (std::size_t last = next.last_reader; last < range.end; ++last) {
        if (last - first > longest) break;
        for (const std::uint32_t finer : {1U, 2U, 4U, 8U}) {
          Plan plan = changed;
          for (std::size_t g = first; g <= last; ++g) {
            if (g > first) plan.joins_previous[g] = true;
            const std::uint32_t parts = parts_of(network_.groups[g], plan.tiles[g]);
            if (finer > 1) set_tile(plan, g, std::min(network_.groups[g].pixels, parts * finer));
          }
          plans.push_back(std::move(plan));
        }
      }
      changed = cheapest(std::move(plans), range);
    }
    if (again) (void)improve(std::move(changed));
  }
}

/// Larger and smaller tiles of a group; constants added by zero vectors or by moves.
std::vector<Plan> Planner::variants(const Plan& plan, std::size_t g) const {
  const Group& group = network_.groups[g];
  std::vector<Plan> plans{plan};
  if (group.activation == Activation::relu) {
    const std::uint32_t results = plan.tiles[g].pixels * plan.tiles[g].blocks;
    plans.push_back(plan);
    std::uint32_t& least = plans.back().least_zeroes[g];
    least = results >= least ? 0xFFFFFFFF : 0;
  }
  if (group.kind != GroupKind::sum) return plans;
  const std::uint32_t parts = parts_of(group, plan.tiles[g]);
  std::uint32_t last = parts;
  for (const std::uint32_t tried : {parts / 2, parts - 1, parts + 1, 2 * parts}) {
    if (tried < 1 || tried > 64 || tried > group.pixels || tried == parts || tried == last) {
      continue;
    }
    last = tried;
    Plan changed = plan;
    set_tile(changed, g, tried);
    if (std::uint64_t{changed.tiles[g].pixels} * group.window * changed.tiles[g].blocks <=
        accumulators()) {
      plans.push_back(std::move(changed));
    }
  }
  return plans;
}

/// Group by group, its neighbours beside it; a whole segment where it takes turns.
void Planner::search_groups() {
  constexpr std::size_t neighbours = 2;
  const std::size_t count = network_.groups.size();
  Plan changed = best_.plan;
  std::size_t verified = 0;
  for (std::size_t g = 0; g < count && has_budget_alone(); ++g) {
    GroupRange range{g > 0 ? g - 1 : 0, std::min(count, g + 1 + neighbours)};
    while (range.first > 0 && changed.joins_previous[range.first]) --range.first;
    while (range.end < count && changed.joins_previous[range.end]) ++range.end;
    changed = cheapest(variants(changed, g), range);
    // What helps a few groups alone need not help the whole.
    if (g + 1 == count || g + 1 - verified == 8 || !has_budget_alone()) {
      verified = g + 1;
      if (!improve(changed)) changed = best_.plan;
    }
  }
}

Candidate Planner::search(const Wishes& wishes) {
  budget_ = wishes.effort * codes_a_plan;
  resident_ = wishes.resident;
  progress_ = wishes.progress;
  best_ = attempt(first_plan());
  if (resident_) search_resident();
  if (wishes.effort > 1) {
    if (!resident_) search_ring();
    search_segments();
    search_passes();
    search_groups();
  }
  return make(best_.plan, all(), true);
}

}  // namespace tactus::compiler::optimise
