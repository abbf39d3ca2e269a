#include "longhaul/transport/auth.hpp"

#include <gtest/gtest.h>

namespace longhaul::transport {
namespace {

std::string bytes(std::string_view hex) {
    return from_hex(hex).value();
}

Token a_token() {
    return Token::from_text(std::string(64, 'k'), "token").value();
}

// RFC 4231, section 4: test cases 1, 2, 3 and 6 of HMAC-SHA-256.
TEST(Hmac, KnownVectors) {
    EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
              "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'),
                                 "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hex, ThereAndBack) {
    EXPECT_EQ(bytes("00ff10"), std::string("\x00\xff\x10", 3));
    EXPECT_FALSE(from_hex("0"));
    EXPECT_FALSE(from_hex("0g"));
}

TEST(Equality, ByContent) {
    EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abcd"));
}

TEST(RandomBytes, DifferEachTime) {
    EXPECT_EQ(random_bytes(32).size(), 32U);
    EXPECT_NE(random_bytes(32), random_bytes(32));
}

TEST(TokenText, NeedsThirtyTwoBytes) {
    const auto good = Token::from_text("  " + std::string(32, 'x') + "\n", "t");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->bytes(), std::string(32, 'x'));
    EXPECT_FALSE(Token::from_text(std::string(31, 'x') + "\n", "t"));
    EXPECT_FALSE(Token::from_text("", "t"));
}

TEST(Tickets, OpenWithTheRightTokenAndInTime) {
    const Ticket ticket{
        "s1", "peer:a>b", 2, "a", "b", 1U << 20U, core::Seconds(30), core::Seconds(100.5)};
    const std::string text = seal(ticket, a_token());
    const auto opened = open_ticket(text, a_token(), core::Seconds(100));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->session, "s1");
    EXPECT_EQ(opened->task, "peer:a>b");
    EXPECT_EQ(opened->attempt, 2);
    EXPECT_EQ(opened->from, "a");
    EXPECT_EQ(opened->to, "b");
    EXPECT_EQ(opened->max_bytes, 1U << 20U);
    EXPECT_EQ(opened->max_seconds, core::Seconds(30));
    EXPECT_FALSE(open_ticket(text, a_token(), core::Seconds(101))) << "expired";
    const Token other = Token::from_text(std::string(64, 'j'), "token").value();
    EXPECT_FALSE(open_ticket(text, other, core::Seconds(100))) << "wrong token";
}

TEST(Tickets, AnyChangedByteIsRefused) {
    const Ticket ticket{"s", "t", 1, "a", "b", 10, core::Seconds(1), core::Seconds(100)};
    const std::string text = seal(ticket, a_token());
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_FALSE(open_ticket(changed, a_token(), core::Seconds(0))) << i;
    }
    EXPECT_FALSE(open_ticket(text.substr(0, 63), a_token(), core::Seconds(0)));
    EXPECT_FALSE(open_ticket("", a_token(), core::Seconds(0)));
}

}  // namespace
}  // namespace longhaul::transport
