/// Somebody else's program that needs one room alone.
#include <cstdio>
#include <string>

#include "zwang/base/number.hpp"

int main() {
  const std::string text = zwang::exact(0.1);
  std::puts(text.c_str());
  return text == "0.1" ? 0 : 1;
}
