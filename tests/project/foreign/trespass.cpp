/// Reaches for a private header of the library.
#include <zwang/model/model.hpp>
