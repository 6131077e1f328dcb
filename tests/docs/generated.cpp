/// The pages that are generated from the table of keys are what the table says now.
///
/// With the environment variable ZWANG_WRITE set, the tests write the pages instead of comparing them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "places.hpp"
#include "zwang/model/read.hpp"

namespace generated_tests {
namespace {

const std::string reference = places::source("docs/reference/");

/// Does the file hold this text?
void expect_text(const std::string& name, const std::string& text) {
  // Asked to, write it first.
  if (std::getenv("ZWANG_WRITE") != nullptr) {
    std::ofstream(reference + name, std::ios::binary) << text;
  }
  std::ifstream file(reference + name, std::ios::binary);
  const std::string there{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(there, text) << "docs/reference/" << name << " is out of date; write it with ZWANG_WRITE=1 bin/test_docs";
}

TEST(Generated, the_reference_lists_the_keys_that_the_reader_knows) {
  expect_text(
      "keys.md",
      "# Keys of the model file\n\nGenerated from the table that the reader of models uses. The words and examples "
      "are in [the model file](model-file.md).\n\n" +
          zwang::model::keys_reference());
}

TEST(Generated, the_schema_for_editors_is_the_one_of_the_reader) {
  expect_text("model.schema.json", zwang::model::json_schema());
}

}  // namespace
}  // namespace generated_tests
