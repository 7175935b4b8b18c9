// tactus zoo: the list, the files, the errors.
#include <filesystem>
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
  EXPECT_NE(
      list.out.find("resnet50v2       x:0 [1,224,224,3]                25591144  3482.255  Keras"),
      std::string::npos)
      << list.out;
}

TEST_F(ZooCommand, WritesTheGraphOfItsBuilder) {
  const Output made = tactus("zoo csp -o csp.onnx --seed 5");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out.rfind("csp.onnx: csp, input x:0 [1,16,16,3], 2301 parameters, ", 0), 0U)
      << made.out;
  const nn::Graph graph = nn::load_graph((folder_ / "csp.onnx").string());
  EXPECT_EQ(write_graph(graph), write_graph(nn::build_csp(5).graph));
}

/// The image equals the one that a run without input generates.
TEST_F(ZooCommand, WritesAnImage) {
  const Output made = tactus("zoo cnn --image i.npy -o cnn.onnx");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("i.npy: input "), std::string::npos) << made.out;
  EXPECT_EQ(tactus("zoo cnn --image other.npy --seed 2").code, 0);
  EXPECT_NE(read("i.npy"), read("other.npy"));
  ASSERT_EQ(tactus("compile cnn.onnx --board pynq_z1 -o out").code, 0);
  const std::string run = "run out/cnn_onnx_pynq_z1.tmodel ";
  const Output drawn = tactus(run + "-o drawn");
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.err.find("none is given; its values, -1 to 1, are drawn as by --input random:1"),
            std::string::npos)
      << drawn.err;
  const Output file = tactus(run + "--input i.npy -o file");
  EXPECT_EQ(file.err.find("none is given"), std::string::npos) << file.err;
  EXPECT_EQ(tactus(run + "--input random:2 -o second").code, 0);
  EXPECT_EQ(tactus(run + "--input other.npy -o other").code, 0);
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "drawn")) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(read("drawn/" + name), read("file/" + name)) << name;
    EXPECT_EQ(read("second/" + name), read("other/" + name)) << name;
    EXPECT_NE(read("drawn/" + name), read("second/" + name)) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
  // Generated inputs can be generated again.
  const Output config = tactus(run + "--print-config");
  EXPECT_NE(config.out.find("\"random:1\""), std::string::npos) << config.out;
  write("c.json", config.out);
  const Output again = tactus("run --config c.json -o again");
  EXPECT_EQ(again.err.find("none is given"), std::string::npos) << again.err;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "drawn")) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(read("drawn/" + name), read("again/" + name)) << name;
  }
}

TEST_F(ZooCommand, WritesValuesForEachOfSeveralInputs) {
  const Output made = tactus("zoo bert-tiny --image input_ids=i.npy --image attention_mask=m.npy");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("i.npy: input input_ids [1,128], values INT64, seed 1"),
            std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("m.npy: input attention_mask [1,128], values INT64, seed 3"),
            std::string::npos)
      << made.out;
  EXPECT_EQ(files().size(), 2U);
  expect_error("zoo bert-tiny --image other.npy",
               "the model has 3 inputs; write NAME=F with one of");
}

TEST_F(ZooCommand, Errors) {
  expect_error("zoo cps -o x.onnx", "did you mean \"csp\"?");
  expect_error("zoo csp", "--output F.onnx or F.pb is missing");
  expect_error("zoo csp --image i.txt", "--image \"i.txt\": is neither .npy nor .pb");
  expect_error("zoo csp --image i.npy --format onnx", "--format needs --output");
  expect_error("zoo --image i.npy", "--image needs the name of a network");
  expect_error("zoo -o x.onnx", "--output needs the name of a network");
  expect_error("zoo --seed 3", "--seed needs the name of a network");
  expect_error("zoo csp mlp -o x.onnx", "name one network at a time");
  expect_error("zoo csp -o x.onnx --seed -1", "seed");
  expect_error("zoo csp -o no/such/folder.onnx", "no/such/folder.onnx");
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace tactus
