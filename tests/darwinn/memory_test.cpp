// Reading takes little more memory and time than the file has bytes, even if a small file claims a
// large size by naming one table many times.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include <gtest/gtest.h>

#include "isa/darwinn/file.h"
#include "isa/darwinn/package_generated.h"
#include "isa/darwinn/verify.h"

namespace tactus::darwinn {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Builder = flatbuffers::FlatBufferBuilder;
template <typename T>
using Offset = flatbuffers::Offset<T>;

constexpr std::size_t many = 200000;

Bytes bytes_of(const Builder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

/// Returns a package with one executable, which `fill` makes.
Bytes package_of(const std::function<Offset<fb::Executable>(Builder&)>& fill) {
  Builder inner;
  inner.Finish(fill(inner));
  const Bytes executable = bytes_of(inner);
  Builder multi;
  const auto text =
      multi.CreateString(reinterpret_cast<const char*>(executable.data()), executable.size());
  multi.Finish(fb::CreateMultiExecutable(multi, multi.CreateVector(&text, 1)));
  Builder package;
  const auto data = package.CreateVector(bytes_of(multi));
  package.Finish(fb::CreatePackage(package, 12, data), fb::PackageIdentifier());
  return bytes_of(package);
}

template <typename T>
auto same(Builder& builder, Offset<T> table) {
  return builder.CreateVector(std::vector<Offset<T>>(many, table));
}

Bytes many_hints() {
  return package_of([](Builder& b) {
    const auto meta = fb::CreateMeta(b, 2);
    const auto value = fb::CreateDmaDescriptorHint(b, meta, 0, 1).Union();
    const auto hint = fb::CreateDmaHint(b, fb::AnyHint::DmaDescriptorHint, value);
    const auto hints = fb::CreateDmaHints(b, same(b, hint), true);
    return fb::CreateExecutable(b, 0, 0, 0, 1, 0, 0, 0, hints, 0, 0, b.CreateString("beagle"));
  });
}

Bytes many_fields() {
  return package_of([](Builder& b) {
    const auto field = fb::CreateFieldOffset(b, fb::CreateMeta(b, 2), 70);
    const auto code = b.CreateVector(Bytes(64));
    const auto chunk = fb::CreateInstructionBitstream(b, code, same(b, field));
    const auto chunks = b.CreateVector(&chunk, 1);
    return fb::CreateExecutable(b, 0, 0, 0, 1, 0, chunks, 0, 0, 0, 0, b.CreateString("beagle"));
  });
}

Bytes many_layers() {
  return package_of([](Builder& b) {
    const auto table = b.CreateVector(std::vector<std::int32_t>(many, 0));
    const auto layout = fb::CreateOutputLayout(b, table, table, table, table, table, table);
    const auto any = fb::CreateOutputLayer(b, layout).Union();
    const auto numerics = fb::CreateNumericsConstants(b);
    const auto name = b.CreateString("name");
    const auto layer =
        fb::CreateLayer(b, name, 8, 1, 1, 1, numerics, 0, fb::AnyLayer::OutputLayer, any);
    return fb::CreateExecutable(b, 0, 0, 0, 1, 0, 0, 0, 0, 0, same(b, layer),
                                b.CreateString("beagle"));
  });
}

/// Layers with different names share tables of many entries.
Bytes shared_tables() {
  return package_of([](Builder& b) {
    const auto table = b.CreateVector(std::vector<std::int32_t>(many, 0));
    const auto layout = fb::CreateOutputLayout(b, table, table, table, table, table, table);
    const auto any = fb::CreateOutputLayer(b, layout).Union();
    const auto numerics = fb::CreateNumericsConstants(b);
    std::vector<Offset<fb::Layer>> layers;
    for (std::size_t i = 0; i < 16000; ++i) {
      const auto name = b.CreateString(std::to_string(i));
      layers.push_back(fb::CreateLayer(b, name, 1 << 30, static_cast<int>(many), 1, 1, numerics, 0,
                                       fb::AnyLayer::OutputLayer, any));
    }
    return fb::CreateExecutable(b, 0, 0, 0, 1, 0, 0, 0, 0, 0, b.CreateVector(layers),
                                b.CreateString("beagle"));
  });
}

/// The package lists one executable many times; at most three are read.
Bytes many_executables() {
  Builder inner;
  inner.Finish(fb::CreateExecutable(inner, 0, 0, inner.CreateVector(Bytes(1 << 20)), 1));
  const Bytes executable = bytes_of(inner);
  Builder multi;
  const auto text =
      multi.CreateString(reinterpret_cast<const char*>(executable.data()), executable.size());
  multi.Finish(fb::CreateMultiExecutable(multi, same(multi, text)));
  Builder package;
  const auto data = package.CreateVector(bytes_of(multi));
  package.Finish(fb::CreatePackage(package, 12, data), fb::PackageIdentifier());
  return bytes_of(package);
}

/// Returns the peak memory, in bytes, that `work` needs in a process of its own beyond the initial
/// use.
std::size_t peak_memory(const std::function<void()>& work) {
  int pipes[2];
  if (::pipe(pipes) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    struct rusage before = {}, after = {};
    ::getrusage(RUSAGE_SELF, &before);
    work();
    ::getrusage(RUSAGE_SELF, &after);
    const std::size_t bytes = static_cast<std::size_t>(after.ru_maxrss - before.ru_maxrss) * 1024;
    const bool written = ::write(pipes[1], &bytes, sizeof bytes) == sizeof bytes;
    ::_exit(written ? 0 : 1);
  }
  std::size_t bytes = ~std::size_t{0};
  ::close(pipes[1]);
  if (::read(pipes[0], &bytes, sizeof bytes) != sizeof bytes) bytes = ~std::size_t{0};
  ::close(pipes[0]);
  ::waitpid(child, nullptr, 0);
  return bytes;
}

TEST(DarwinnMemory, ReadingTakesAFewTimesTheSizeOfTheFile) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "memory is not measured under AddressSanitizer";
#endif
  constexpr std::size_t most_factor = 20, slack = 4 << 20;
  const std::pair<const char*, Bytes> files[] = {{"hints", many_hints()},
                                                 {"fields", many_fields()},
                                                 {"layers", many_layers()},
                                                 {"shared tables", shared_tables()},
                                                 {"executables", many_executables()}};
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    const auto start = std::chrono::steady_clock::now();
    const std::size_t peak = peak_memory([&bytes = bytes] {
      try {
        const File file(bytes, "f.dwn1");
        (void)verify(file.package(), "f.dwn1");
      } catch (const UserError&) {
      }
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LE(peak, most_factor * bytes.size() + slack);
    EXPECT_LT(seconds.count(), 10);
    fmt::print("{}: {} bytes, {:.1f} times as much memory, {:.0f} ms\n", name, bytes.size(),
               static_cast<double>(peak) / static_cast<double>(bytes.size()),
               seconds.count() * 1e3);
  }
}

}  // namespace
}  // namespace tactus::darwinn
