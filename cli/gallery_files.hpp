/// The models of the gallery, carried inside the program so that it needs no folder beside it.
#pragma once

#include <span>
#include <string_view>

/// One file of the gallery: gallery/name/file.
struct GalleryFile {
  std::string_view name;  ///< of the model: "ladder"
  std::string_view file;  ///< "model.toml", "README.md" or "expected.json"
  std::string_view text;
};

/// All of them, sorted by name, then file.
[[nodiscard]] std::span<const GalleryFile> gallery_files();
