// SHA-256 against the vectors of FIPS 180-4 and lengths around the block's padding.
#include "numpy_plugin/base/digest.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace numpy_plugin::base {
namespace {

TEST(DigestTest, OfNothing) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(DigestTest, OfOneBlock) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DigestTest, OfTwoBlocks) {
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                   "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(DigestTest, OfAMillionLetters) {
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Values from Python's hashlib: the longest tail that fits one padded block, and the two after it.
TEST(DigestTest, OfTailsAroundTheLength) {
  EXPECT_EQ(sha256(std::string(55, 'x')),
            "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(sha256(std::string(56, 'x')),
            "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(sha256(std::string(64, 'x')),
            "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST(DigestTest, OfBytesAboveAscii) {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  EXPECT_EQ(sha256(bytes), "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880");
}

TEST(DigestTest, TellsEveryLengthApart) {
  std::set<std::string> digests;
  for (std::size_t length = 0; length < 200; ++length) {
    digests.insert(sha256(std::string(length, '\0')));
  }
  EXPECT_EQ(digests.size(), 200u);
}

}  // namespace
}  // namespace numpy_plugin::base
