/// Numbers survive the way to text and back.
#include "zwang/base/number.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace number_tests {
namespace {

using zwang::exact;
using zwang::read_number;
using zwang::readable;

TEST(Number, the_shortest_text_reads_back_to_the_same_bits) {
  EXPECT_TRUE(rc::check([](std::uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    RC_PRE(std::isfinite(value));
    const auto back = read_number(exact(value));
    RC_ASSERT(back.has_value());
    RC_ASSERT(std::bit_cast<std::uint64_t>(*back) == bits);
  }));
}

TEST(Number, exact_text_is_short) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(exact(1e-300), "1e-300");
  EXPECT_EQ(exact(-0.0), "-0");
  EXPECT_EQ(exact(100), "100");
  EXPECT_EQ(exact(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(exact(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(exact(std::nan("")), "nan");
  EXPECT_EQ(exact(-std::nan("")), "nan");
}

TEST(Number, only_whole_decimal_texts_are_numbers) {
  EXPECT_EQ(read_number("2.5e-3"), 2.5e-3);
  EXPECT_EQ(read_number(".5"), 0.5);
  EXPECT_EQ(read_number("1."), 1.0);
  EXPECT_EQ(read_number("+7"), 7.0);
  EXPECT_EQ(read_number("-7"), -7.0);
  EXPECT_EQ(read_number("4.9406564584124654e-324"), 4.9406564584124654e-324);
  for (const char* wrong : {"", " 1", "1 ", "1,5", "0x10", "inf", "nan", "1e", "1.2.3", "--1", "+-1", "++1", "+", "-",
                            ".", "e5", "1e999", "1e-999", "one"}) {
    EXPECT_FALSE(read_number(wrong).has_value()) << wrong;
  }
}

TEST(Number, readable_text_has_no_trailing_zeros) {
  EXPECT_EQ(readable(9.81), "9.81");
  EXPECT_EQ(readable(-4.48), "-4.48");
  EXPECT_EQ(readable(1.2e-16), "1.2e-16");
  EXPECT_EQ(readable(1.0 / 3), "0.333333");
  EXPECT_EQ(readable(1.0 / 3, 3), "0.333");
  EXPECT_EQ(readable(123456789, 3), "1.23e+08");
  EXPECT_EQ(readable(-0.0), "0");
  EXPECT_EQ(readable(1000), "1000");
  EXPECT_EQ(readable(std::nan("")), "nan");
}

}  // namespace
}  // namespace number_tests
