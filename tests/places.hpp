/// Where the tests find the checkout, the command and the tools: the one source that knows paths is places.cpp, so that all others
/// compile to the same bytes in every checkout.
#pragma once

#include <string>

namespace places {

std::string source(const std::string& below = "");  ///< the checkout, or a file in it
std::string command();                              ///< the command zwang; "zwang" where it is not built
std::string compiler();
std::string python();

}  // namespace places
