# Writes OUTPUT: a C++ source in which the files FOLDER/NAME/FILE stand as arrays of bytes, sorted by name, then file.
file(GLOB names RELATIVE ${FOLDER} LIST_DIRECTORIES true ${FOLDER}/*)
list(SORT names)
set(files "")
foreach(name IN LISTS names)
  file(GLOB found RELATIVE ${FOLDER} ${FOLDER}/${name}/model.toml ${FOLDER}/${name}/README.md ${FOLDER}/${name}/expected.json
       ${FOLDER}/${name}/data.csv)
  list(SORT found)
  list(APPEND files ${found})
endforeach()

set(arrays "")
set(entries "")
set(count 0)
foreach(path IN LISTS files)
  get_filename_component(name ${path} DIRECTORY)
  get_filename_component(file ${path} NAME)

  # Bytes instead of literals: no limit of length, no escapes.
  file(READ ${FOLDER}/${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char text_${count}[] = {${bytes}'\\0'};\n")
  string(APPEND entries "    GalleryFile{\"${name}\", \"${file}\", {text_${count}, sizeof(text_${count}) - 1}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT} "// Generated from the gallery; changes belong there.
#include \"${HEADER}\"

#include <array>

namespace {

${arrays}
constexpr std::array<GalleryFile, ${count}> files = {
${entries}};

}  // namespace

std::span<const GalleryFile> ${FUNCTION}() { return files; }
")
