/// `zwang schema`: the JSON Schema of the model file, for editors.
#include "commands.hpp"
#include "terminal.hpp"
#include "zwang/model/read.hpp"

namespace zwang::cli {

Command add_schema(CLI::App& zwang, Request& /*request*/) {
  Command command;
  command.app = zwang.add_subcommand("schema", "the JSON Schema of the model file, for editors");
  command.run = [] {
    print(model::json_schema());
    return answered;
  };
  return command;
}

}  // namespace zwang::cli
