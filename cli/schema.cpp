/// `zwang schema`: the JSON Schema of the model file, for editors.
#include "commands.hpp"
#include "terminal.hpp"
#include "zwang/model/read.hpp"

namespace zwang::cli {

int schema(const Request& /*request*/) {
  print(model::json_schema());
  return answered;
}

}  // namespace zwang::cli
