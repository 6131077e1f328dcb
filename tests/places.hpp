/// Where the tests find the checkout, the command and the tools: the one source that knows paths is places.cpp, so that all others
/// compile to the same bytes in every checkout.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace places {

std::string source(const std::string& below = "");  ///< the checkout, or a file in it
std::string command();                              ///< the command zwang; "zwang" where it is not built
std::string compiler();
std::string python();

/// The folders of the gallery, in the order of their names. Under the sanitizers without those whose models take seconds to be read.
std::vector<std::filesystem::directory_entry> gallery();

/// Every third of them, from number 0, 1 or 2 on; all with ZWANG_SOAK in the environment (`make soak`). For what is held against all models
/// but says nothing of any one of them: tests that begin at different numbers go through the whole gallery together.
std::vector<std::filesystem::directory_entry> gallery_sample(std::size_t first);
bool is_heavy(const std::string& model);     ///< of the gallery: takes long to be read
bool is_left_out(const std::string& model);  ///< of the gallery, here

}  // namespace places
