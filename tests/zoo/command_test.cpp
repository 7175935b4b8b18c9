// tactus zoo: the list, the files, the errors.
#include <string>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/writer.h"
#include "firmware/zoo/zoo.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

using ZooCommand = CliTest;

TEST_F(ZooCommand, ListsTheNetworks) {
  const Output list = tactus("zoo");
  ASSERT_EQ(list.code, 0) << list.err;
  for (const nn::ZooEntry& entry : nn::zoo()) {
    EXPECT_NE(list.out.find(entry.name), std::string::npos) << list.out;
  }
  EXPECT_NE(list.out.find("resnet50v2       x:0 [1,224,224,3]       25591144  3482.255  Keras"),
            std::string::npos)
      << list.out;
}

TEST_F(ZooCommand, WritesWhatTheBuilderMakes) {
  const Output made = tactus("zoo csp -o csp.onnx --seed 5");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out.rfind("csp.onnx: csp, input x:0 [1,16,16,3], 2301 parameters, ", 0), 0U)
      << made.out;
  const nn::Graph graph = nn::load_graph((folder_ / "csp.onnx").string());
  EXPECT_EQ(write_graph(graph), write_graph(nn::build_csp(5).graph));
}

TEST_F(ZooCommand, Errors) {
  expect_error("zoo cps -o x.onnx", "did you mean \"csp\"?");
  expect_error("zoo csp", "--output F.onnx or F.pb is missing");
  expect_error("zoo -o x.onnx", "--output needs the name of a network");
  expect_error("zoo --seed 3", "--seed needs the name of a network");
  expect_error("zoo csp mlp -o x.onnx", "name one network at a time");
  expect_error("zoo csp -o x.onnx --seed -1", "seed");
  expect_error("zoo csp -o no/such/folder.onnx", "no/such/folder.onnx");
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace tactus
