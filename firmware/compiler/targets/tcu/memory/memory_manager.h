// Who lives where: objects of the graph, their vectors, their consumers, and the constants' bytes.
//
// An object is a named, ordered list of vectors. Objects of the graph stay alive until each of
// their consumers has consumed them and the layer is over (`end_layer`, called by ProgramBuilder);
// constants and outputs stay to the end. Temps are the results inside one layer; they need no
// freeing.
//
// Typical use in an emitter (one layer):
//   const Addresses input = memory.consume("conv1:0", "conv2").addresses;
//   const Object& weights = memory.constant("w2", {3, 3, 16, 16}, [&] { return vectors_of(w2); });
//   const Addresses t = memory.allocate_temp(pixels * blocks);
//   const Object& out = memory.allocate_variable("conv2:0", dims, count, {{"relu3"}, false});
// References to objects are stable until the object dies in end_layer().
//
// Names are one name space for inputs, variables, aliases and constants; making a second object
// of a living name is an InternalError, except that `constant` returns the object it made before
// (constants are shared by name). Layout variants of one initializer need names of their own.
//
// All counts are vectors of N lanes. Running out of a memory is a UserError that names the object,
// what is needed and what there is. Source: toolchain spec sections 1.4, 1.5 and 3.5.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "firmware/compiler/targets/tcu/memory/address.h"
#include "firmware/compiler/targets/tcu/memory/space.h"
#include "firmware/compiler/targets/tcu/memory/strategy.h"
#include "isa/support/error.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/model_file.h"

namespace tactus::compiler {

/// DRAM1 has no room for the constants. No other strategy helps: each stores all of them there.
class OutOfConstants : public UserError {
 public:
  using UserError::UserError;
};

/// Sizes in scalars as the frontend sees them, outermost first. Only dumps look at them; the number
/// of vectors is given beside them.
using Dims = std::vector<std::uint64_t>;

struct Object {
  std::string name;
  Dims dims;
  Addresses addresses;
};

/// Who will read an object: one entry a reading, so a node that reads it twice is named twice (and
/// consumes it twice).
struct Consumers {
  std::vector<std::string> nodes;
  bool output = false;  ///< a requested output: never dies
};

/// Floats of whole vectors, lane 0 first: count * N values.
using VectorMaker = std::function<std::vector<float>()>;

struct MemoryOptions {
  Strategy strategy = Strategy::local_isolated;
  /// Blended objects give memory back as the reference does (it leaks after Split); else every
  /// vector is given back once no living object holds it.
  bool compat = false;
  /// Values of constants stay as they are, for constant_values(), and no .tdata is made.
  bool keep_values = false;
};

class MemoryManager {
 public:
  MemoryManager(const tcu::Architecture& architecture, const MemoryOptions& options);

  // ---- objects of the graph ---------------------------------------------------------------------

  /// A graph input: DRAM0 under every strategy.
  const Object& allocate_input(const std::string& name, const Dims& dims, std::uint64_t count,
                               const Consumers& consumers);
  /// A result of a layer, where the strategy puts variables.
  const Object& allocate_variable(const std::string& name, const Dims& dims, std::uint64_t count,
                                  const Consumers& consumers);
  /// A new object from vectors of living ones (Reshape, Concat, Split, Pad...): no code, no memory.
  /// `blended` names the objects whose vectors are in `addresses`, constants left out.
  const Object& blend(const std::string& name, const Dims& dims, const Addresses& addresses,
                      const std::vector<std::string>& blended, const Consumers& consumers);

  /// The constant of this name; made from `make` on its first use, in the order of first uses. The
  /// bytes go to the .tdata. `count` is checked against what `make` returns and against the earlier
  /// object of the name (InternalError: give layout variants names of their own).
  const Object& constant(const std::string& name, const Dims& dims, std::uint64_t count,
                         const VectorMaker& make);

  /// The lanes of a constant's vector and of those behind it; null for what is no constant. For
  /// managers that keep values.
  [[nodiscard]] const float* constant_values(Address address) const;

  /// `count` new vectors of virtual memory for results inside the running layer.
  Addresses allocate_temp(std::uint64_t count);

  // ---- life
  // ---------------------------------------------------------------------------------------

  /// nullptr if no living object has this name.
  [[nodiscard]] const Object* find(const std::string& name) const;
  /// InternalError if there is none.
  [[nodiscard]] const Object& get(const std::string& name) const;
  /// Takes one `consumer` from the object's list; the object itself lives at least until the end of
  /// the layer. InternalError if the object or the consumer is not there.
  const Object& consume(const std::string& name, const std::string& consumer);

  /// Frees objects without consumers and all temps. ProgramBuilder calls it.
  void end_layer();
  /// Starts the passes over the emitters (see ProgramBuilder). Objects other than constants are
  /// forgotten. ProgramBuilder calls it.
  void begin_pass(bool constants_only);
  [[nodiscard]] bool constants_only() const { return constants_only_; }

  // ---- what the scheduler and the result need ---------------------------------------------------

  /// A copy of an output for the host, in DRAM0, beside the object of the same name.
  Addresses allocate_host_copy(const std::string& name, std::uint64_t count);
  [[nodiscard]] Strategy strategy() const { return options_.strategy; }
  /// The heap behind local memory under the strategies that share it.
  [[nodiscard]] HeapSpace& local() { return local_; }
  /// Contiguous pieces in the order of their bases.
  [[nodiscard]] std::vector<tcu::TensorEntry> inputs() const;
  [[nodiscard]] static std::vector<tcu::TensorEntry> pieces(const std::string& name,
                                                            const Addresses& addresses);
  /// The .tdata so far, and its vectors.
  [[nodiscard]] const std::vector<std::uint8_t>& constants() const { return constants_; }
  [[nodiscard]] std::vector<std::uint8_t> take_constants() { return std::move(constants_); }
  [[nodiscard]] std::uint64_t constants_count() const { return constants_count_; }
  [[nodiscard]] SpaceUse dram0_use() const { return dram0_.use(); }
  [[nodiscard]] SpaceUse dram1_use() const { return dram1_.use(); }
  [[nodiscard]] SpaceUse local_use() const { return local_.use(); }

 private:
  struct Entry {
    Object object;
    std::vector<std::string> consumers;
    bool keep = false;  ///< constants and outputs
    bool constant = false;
    std::uint32_t blend = 0;     ///< a blended set, 0: none
    std::uint64_t sequence = 0;  ///< order of making
  };
  /// A node of the forest of joined sets; `members` are the living ones, kept at the root.
  struct Blend {
    std::uint32_t parent = 0;
    std::uint32_t members = 0;
  };

  Entry& add(const std::string& name, const Dims& dims, Addresses addresses,
             const Consumers& consumers);
  Addresses allocate(Tag tag, const std::string& name, std::uint64_t count);
  template <typename Space>
  Addresses take(Space& space, Tag tag, std::uint32_t ref, const std::string& name,
                 std::uint64_t count);
  std::uint32_t next_ref();
  void release(const Entry& entry);
  void give_back(const Addresses& addresses);
  std::uint32_t new_blend(std::uint32_t members = 1);
  [[nodiscard]] std::uint32_t blend_of(std::uint32_t set) const;
  std::uint32_t join_blends(std::uint32_t a, std::uint32_t b);

  tcu::Architecture architecture_;
  MemoryOptions options_;
  HeapSpace dram0_, dram1_, local_;
  ArenaSpace temp_, discarded_;
  std::uint32_t refs_ = 0;
  std::uint32_t temp_refs_ = 0;
  bool constants_only_ = false;
  std::unordered_map<std::string, std::unique_ptr<Entry>> objects_;
  std::uint64_t sequence_ = 0;
  std::unordered_map<Address, std::uint32_t> holders_;  ///< of vectors that were blended
  std::vector<Blend> blends_{1};
  std::vector<bool> constant_refs_;
  std::vector<tcu::TensorEntry> inputs_;
  std::vector<std::uint8_t> constants_;
  std::uint64_t constants_count_ = 0;
  struct KeptConstant {
    std::uint64_t first = 0;  ///< vector
    std::vector<float> values;
  };
  std::unordered_map<std::uint32_t, KeptConstant> kept_;  ///< by the ref of the object
};

}  // namespace tactus::compiler
