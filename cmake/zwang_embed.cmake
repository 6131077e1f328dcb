# zwang_embed(TARGET HEADER FUNCTION FOLDER): a static library that carries the files FOLDER/NAME/FILE in itself.
# HEADER declares `std::span<const GalleryFile> FUNCTION()`; the generated source defines it.
function(zwang_embed target header function folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*/model.toml ${folder}/*/README.md ${folder}/*/expected.json ${folder}/*/data.csv)
  string(SHA1 listing "${files}")  # part of the command, so that a file taken away is noticed too
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/zwang_embed_files.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${header} -DFUNCTION=${function} -DFOLDER=${folder}
            -DLISTING=${listing} -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding ${folder}"
    VERBATIM)
  add_library(${target} STATIC ${output})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
endfunction()
