// Memory manager: objects of the graph with their vectors and consumers, and the constants' bytes.
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
#include "firmware/compiler/targets/tcu/memory/constants.h"
#include "firmware/compiler/targets/tcu/memory/space.h"
#include "firmware/compiler/targets/tcu/memory/strategy.h"
#include "isa/support/error.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/model_file.h"

namespace tactus::compiler {

/// Thrown if DRAM1 has no room for the constants. All strategies store all constants there, so none
/// helps.
class OutOfConstants : public UserError {
 public:
  explicit OutOfConstants(const std::string& what)
      : UserError(what +
                  "; needed is an architecture with a larger dram1_depth, or fewer weights") {}
};

/// Sizes in scalars as known to the frontend, outermost first. Only dumps use them; the number of
/// vectors is given separately.
using Dims = std::vector<std::uint64_t>;

struct Object {
  std::string name;
  Dims dims;
  Addresses addresses;
};

/// The readers of an object, with one entry for each reading: a node that reads it twice is named
/// twice, and consumes it twice.
struct Consumers {
  std::vector<std::string> nodes;
  bool output = false;  ///< a requested output: never freed
};

/// Returns the values of whole vectors, lane 0 first: count * N floats.
using VectorMaker = std::function<std::vector<float>()>;

/// What a constant was made from.
struct ConstantSource {
  std::string name;  ///< as in ConstantLosses; empty: the constant's own name
  /// Values other than 0 of the tensor, each of which is stored once or in equally many places;
  /// 0: unknown, then values are counted as stored.
  std::uint64_t values = 0;
};

struct MemoryOptions {
  Strategy strategy = Strategy::local_isolated;
  /// Memory of blended objects is freed as by the reference, which leaks after Split. Otherwise a
  /// vector is freed when no living object contains it.
  bool compat = false;
  /// Values of constants are kept as floats for constant_values(), and no .tdata is made.
  bool keep_values = false;
};

class MemoryManager {
 public:
  MemoryManager(const tcu::Architecture& architecture, const MemoryOptions& options);

  // ---- objects of the graph ---------------------------------------------------------------------

  /// Allocates an input of the graph, in DRAM0 with every strategy.
  const Object& allocate_input(const std::string& name, const Dims& dims, std::uint64_t count,
                               const Consumers& consumers);
  /// Allocates a result of a layer, in the strategy's memory for variables.
  const Object& allocate_variable(const std::string& name, const Dims& dims, std::uint64_t count,
                                  const Consumers& consumers);
  /// Makes a new object from vectors of living ones (Reshape, Concat, Split, Pad, ...), without
  /// code or memory. `blended` names the objects whose vectors are in `addresses`, except
  /// constants.
  const Object& blend(const std::string& name, const Dims& dims, const Addresses& addresses,
                      const std::vector<std::string>& blended, const Consumers& consumers);

  /// Returns the constant of this name; its first use calls `make` and appends its bytes to the
  /// .tdata. Throws InternalError if `count` differs from the result of `make` or from the earlier
  /// object of this name (layout variants need names of their own).
  const Object& constant(const std::string& name, const Dims& dims, std::uint64_t count,
                         const VectorMaker& make, const ConstantSource& source = {});

  /// Losses of the constants in the .tdata.
  [[nodiscard]] const ConstantLosses& constant_losses() const { return losses_; }
  /// ConstantSource::name of the constant to which the vector belongs. For managers with
  /// keep_values.
  [[nodiscard]] const std::string& constant_source(Address address) const {
    return kept_.at(address.ref()).source;
  }

  /// The lanes of a constant's vector and of the constant's further vectors; null for other
  /// addresses. For managers with keep_values.
  [[nodiscard]] const float* constant_values(Address address) const;

  /// Returns `count` new vectors of virtual memory, for results inside the current layer.
  Addresses allocate_temp(std::uint64_t count);

  // ---- life
  // ---------------------------------------------------------------------------------------

  /// Returns the living object of this name, or nullptr.
  [[nodiscard]] const Object* find(const std::string& name) const;
  /// Does the same, and throws InternalError if there is none.
  [[nodiscard]] const Object& get(const std::string& name) const;
  /// Takes one `consumer` from the object's list; the object itself lives at least until the end of
  /// the layer. InternalError if the object or the consumer is not there.
  const Object& consume(const std::string& name, const std::string& consumer);

  /// Frees objects without consumers and all temps. ProgramBuilder calls it.
  void end_layer();
  /// Starts a pass over the emitters (see ProgramBuilder). Removes all objects except constants.
  /// ProgramBuilder calls it.
  void begin_pass(bool constants_only);
  [[nodiscard]] bool constants_only() const { return constants_only_; }

  // ---- what the scheduler and the result need ---------------------------------------------------

  /// A copy of an output for the host, in DRAM0, beside the object of the same name.
  Addresses allocate_host_copy(const std::string& name, std::uint64_t count);
  [[nodiscard]] Strategy strategy() const { return options_.strategy; }
  /// The heap in local memory, for the strategies that share it.
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
    bool keep = false;  ///< true for constants and outputs
    bool constant = false;
    std::uint32_t blend = 0;     ///< a blended set, 0: none
    std::uint64_t sequence = 0;  ///< number in the order of creation
  };
  /// A node in the forest of joined sets of blended objects; the root has the living `members`.
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
  /// Number of living objects that contain each blended vector.
  std::unordered_map<Address, std::uint32_t> holders_;
  std::vector<Blend> blends_{1};
  std::vector<bool> constant_refs_;
  std::vector<tcu::TensorEntry> inputs_;
  std::vector<std::uint8_t> constants_;
  std::uint64_t constants_count_ = 0;
  struct KeptConstant {
    std::uint64_t first = 0;  ///< first vector of the constant
    std::vector<float> values;
    std::string source;
  };
  ConstantLosses losses_;
  std::unordered_map<std::uint32_t, KeptConstant> kept_;  ///< by ref of the object
};

}  // namespace tactus::compiler
