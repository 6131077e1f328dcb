/// The places, as the build knows them.
#include "places.hpp"

namespace places {

std::string source(const std::string& below) { return below.empty() ? ZWANG_SOURCE_DIR : ZWANG_SOURCE_DIR "/" + below; }

std::string command() { return ZWANG_COMMAND; }

std::string compiler() { return ZWANG_COMPILER; }

std::string python() { return ZWANG_PYTHON; }

}  // namespace places
