#include "longhaul/transport/handshake.hpp"

#include <gtest/gtest.h>

#include "longhaul/transport/frame.hpp"
#include "longhaul/transport/wire.hpp"

namespace longhaul::transport {
namespace {

using Step = ServerHandshake::Step;

Token token_of(char letter) {
    return Token::from_text(std::string(40, letter), "token").value();
}

/// Feeds everything, piece by piece as the server wants it; the last step.
Step feed_all(ServerHandshake& server,
              std::string_view bytes,
              NonceMemory& memory,
              std::size_t most = 1U << 20U) {
    Step step = Step::kMore;
    while (!bytes.empty() && step == Step::kMore) {
        const std::size_t count = std::min({bytes.size(), server.wants(), most});
        step = server.feed(bytes.substr(0, count), memory);
        bytes.remove_prefix(count);
    }
    return step;
}

TEST(Handshake, BothEndsAgreeOnKeys) {
    const Token token = token_of('k');
    for (const std::size_t most : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        NonceMemory memory;
        ServerHandshake server(token);
        ClientHandshake client(token, {Purpose::kData, "payload"}, random_bytes(kNonceSize));
        ASSERT_EQ(feed_all(server, client.hello_bytes(), memory, most), Step::kReply);
        ASSERT_EQ(server.reply().size(), ClientHandshake::kAcceptSize);
        const auto proof = client.answer(server.reply());
        ASSERT_TRUE(proof);
        ASSERT_EQ(feed_all(server, *proof, memory, most), Step::kDone);
        EXPECT_EQ(server.hello().purpose, Purpose::kData);
        EXPECT_EQ(server.hello().payload, "payload");
        EXPECT_EQ(server.keys().from_client, client.keys().from_client);
        EXPECT_EQ(server.keys().from_server, client.keys().from_server);
        EXPECT_NE(client.keys().from_client, client.keys().from_server);
    }
}

TEST(Handshake, WrongTokenGetsNoReply) {
    const Token right = token_of('k');
    NonceMemory memory;
    ServerHandshake server(right);
    const Token wrong = token_of('j');
    const ClientHandshake client(wrong, {}, random_bytes(kNonceSize));
    EXPECT_EQ(feed_all(server, client.hello_bytes(), memory), Step::kRefused);
    EXPECT_TRUE(server.reply().empty());
}

TEST(Handshake, ClientRefusesAServerWithoutTheToken) {
    const Token token = token_of('k');
    ClientHandshake client(token, {}, random_bytes(kNonceSize));
    EXPECT_FALSE(client.answer(random_bytes(ClientHandshake::kAcceptSize)));
}

TEST(Handshake, ARecordedHelloIsRefusedAndARecordedProofIsWorthless) {
    const Token token = token_of('k');
    NonceMemory memory;
    ClientHandshake client(token, {}, random_bytes(kNonceSize));
    ServerHandshake first(token);
    ASSERT_EQ(feed_all(first, client.hello_bytes(), memory), Step::kReply);
    const std::string proof = client.answer(first.reply()).value();
    ServerHandshake again(token);
    EXPECT_EQ(feed_all(again, client.hello_bytes(), memory), Step::kRefused);
    NonceMemory forgetful;  // a server that has restarted
    ServerHandshake restarted(token);
    ASSERT_EQ(feed_all(restarted, client.hello_bytes(), forgetful), Step::kReply);
    EXPECT_EQ(feed_all(restarted, proof, forgetful), Step::kRefused);
}

TEST(Handshake, OtherVersionPurposeSizeAndMagicAreRefusedAtTheHead) {
    const Token token = token_of('k');
    const std::string good =
        ClientHandshake(token, {}, random_bytes(kNonceSize)).hello_bytes().substr(0, kHelloHead);
    const auto step_of = [&](std::size_t at, char value) {
        std::string head = good;
        head[at] = value;
        NonceMemory memory;
        ServerHandshake server(token);
        return feed_all(server, head, memory);
    };
    NonceMemory memory;
    ServerHandshake server(token);
    EXPECT_EQ(feed_all(server, good, memory), Step::kMore);
    EXPECT_EQ(step_of(0, 'X'), Step::kRefused);
    EXPECT_EQ(step_of(4, 2), Step::kRefused);       // a version of the future
    EXPECT_EQ(step_of(5, 9), Step::kRefused);       // no such purpose
    EXPECT_EQ(step_of(6, '\xff'), Step::kRefused);  // a payload of more than 65,000 bytes
}

TEST(NonceMemoryTest, ForgetsOnlyTheOldest) {
    NonceMemory memory(2);
    EXPECT_TRUE(memory.remember("a"));
    EXPECT_TRUE(memory.remember("b"));
    EXPECT_FALSE(memory.remember("a"));
    EXPECT_TRUE(memory.remember("c"));  // pushes out a
    EXPECT_FALSE(memory.remember("b"));
    EXPECT_TRUE(memory.remember("a"));
}

TEST(Frames, ArriveWholeWhateverThePieces) {
    FrameWriter writer("key");
    std::string bytes = writer.write({1, "first"});
    bytes += writer.write({2, ""});
    bytes += writer.write({3, std::string(99, 'x')});
    for (std::size_t piece = 1; piece < 40; ++piece) {
        FrameReader reader("key", 100);
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.feed(std::string_view(bytes).substr(at, piece));
            while (const auto frame = reader.next().value()) {
                frames.push_back(*frame);
            }
        }
        ASSERT_EQ(frames.size(), 3U);
        EXPECT_EQ(frames[0].body, "first");
        EXPECT_EQ(frames[1].type, 2U);
        EXPECT_EQ(frames[2].body.size(), 99U);
    }
}

TEST(Frames, ChangedRepeatedAndReorderedOnesAreErrors) {
    FrameWriter writer("key");
    const std::string one = writer.write({1, "one"});
    const std::string two = writer.write({1, "two"});
    const auto outcome = [](const std::string& bytes) {
        FrameReader reader("key", 100);
        reader.feed(bytes);
        bool good = true;
        for (int i = 0; i < 2 && good; ++i) {
            good = reader.next().has_value();
        }
        return good;
    };
    EXPECT_TRUE(outcome(one + two));
    EXPECT_FALSE(outcome(one + one));
    EXPECT_FALSE(outcome(two + one));
    for (std::size_t i = 4; i < one.size(); ++i) {
        std::string changed = one;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_FALSE(outcome(changed)) << i;
    }
}

TEST(Frames, ABodyThatIsTooLongIsRefusedAtItsHead) {
    FrameReader reader("key", 100);
    std::string head;
    put_number(head, std::uint32_t{101});
    put_number(head, std::uint32_t{1});
    reader.feed(head);
    const auto frame = reader.next();
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().kind, IoError::Kind::kProtocol);
}

}  // namespace
}  // namespace longhaul::transport
