// Compiled networks for tests that serve them, in the folder of a test.
#pragma once

#include "tests/cli/cli.h"

namespace tactus {

class ServingTest : public CliTest {
 protected:
  /// Compiles a network (A) and one with its constants in local memory (B) for the board zcu104,
  /// and the first for an array of 16 on that board (S).
  void compile_networks() const {
    ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
    ASSERT_EQ(tactus("zoo cnn -o cnn.onnx").code, 0);
    ASSERT_EQ(tactus("compile mlp.onnx --board zcu104 -o a").code, 0);
    ASSERT_EQ(tactus("compile cnn.onnx --board zcu104 --strategy local-vars-and-consts -o b").code,
              0);
    write("small.tarch",
          R"({"data_type": "FP16BP8", "array_size": 16, "dram0_depth": 2097152,
              "dram1_depth": 2097152, "local_depth": 8192, "accumulator_depth": 2048,
              "simd_registers_depth": 1, "stride0_depth": 8, "stride1_depth": 8,
              "number_of_threads": 1, "thread_queue_depth": 8})");
    ASSERT_EQ(tactus("compile mlp.onnx --board zcu104 --arch small.tarch -o s").code, 0);
  }
  static constexpr const char* a_file = "a/mlp_onnx_zcu104.tmodel";
  static constexpr const char* b_file = "b/cnn_onnx_zcu104.tmodel";
  static constexpr const char* a = " A=a/mlp_onnx_zcu104.tmodel";
  static constexpr const char* b = " B=b/cnn_onnx_zcu104.tmodel";
  static constexpr const char* s = " S=s/mlp_onnx_small.tmodel";
};

}  // namespace tactus
