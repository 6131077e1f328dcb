/// What processes that share a sweep send each other.
///
/// Whoever helps asks first with nothing and gets the recipe; then it asks with the lines it brings (at first none) and gets a chunk, until an empty answer is the end. Bytes that
/// cannot be read are a std::runtime_error: all processes are of one program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "zwang/sweeps/run.hpp"
#include "zwang/sweeps/sample.hpp"

namespace zwang::sweeps {

[[nodiscard]] std::string to_bytes(const Recipe& recipe);
[[nodiscard]] Recipe recipe_of(std::string_view bytes);
[[nodiscard]] std::string to_bytes(const Chunk& chunk);
[[nodiscard]] Chunk chunk_of(std::string_view bytes);
[[nodiscard]] std::string to_bytes(const std::vector<Row>& rows);
[[nodiscard]] std::vector<Row> rows_of(std::string_view bytes);

}  // namespace zwang::sweeps
