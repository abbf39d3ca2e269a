#include "longhaul/transport/socket.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "longhaul/transport/acceptor.hpp"
#include "longhaul/transport/channel.hpp"
#include "longhaul/transport/clock.hpp"
#include "longhaul/transport/tcp_state.hpp"

namespace longhaul::transport {
namespace {

using core::Seconds;

Address loopback(std::uint16_t port = 0) {
    return Address::numeric("127.0.0.1", port).value();
}

Seconds soon(double seconds = 5) {
    return now() + Seconds(seconds);
}

/// A connected pair of sockets.
std::pair<Socket, Socket> pair_of_sockets() {
    Listener listener = Listener::open(loopback()).value();
    Socket client = connect_to(listener.address(), {}, soon()).value();
    std::vector<Watch> watches{{listener.fd()}};
    wait(watches, Seconds(5));
    Socket server = listener.accept_one().value();
    return {std::move(client), std::move(server)};
}

TEST(Sockets, MoveBytesBothWays) {
    auto [client, server] = pair_of_sockets();
    ASSERT_TRUE(client.send_all(bytes_of(std::string_view("hello")), soon()));
    std::string got(5, '\0');
    ASSERT_TRUE(server.receive_all(bytes_of(got), soon()));
    EXPECT_EQ(got, "hello");
    EXPECT_EQ(client.remote().text(), server.local().text());
}

TEST(Sockets, DeadlinesHold) {
    auto [client, server] = pair_of_sockets();
    std::string got(5, '\0');
    const Seconds before = now();
    const auto late = server.receive_all(bytes_of(got), soon(0.05));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, IoError::Kind::kTimeout);
    EXPECT_GE(now() - before, Seconds(0.05));
    const std::string much(64U << 20U, 'x');  // more than socket buffers hold
    const auto stuck = client.send_all(bytes_of(much), soon(0.05));
    ASSERT_FALSE(stuck);
    EXPECT_EQ(stuck.error().kind, IoError::Kind::kTimeout);
}

TEST(Sockets, TheEndOfAStreamIsTold) {
    auto [client, server] = pair_of_sockets();
    client = Socket();
    std::string got(1, '\0');
    const auto end = server.receive_all(bytes_of(got), soon());
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().kind, IoError::Kind::kClosed);
}

TEST(Sockets, ShutDownEndsTheWaitOfAnotherThread) {
    auto [client, server] = pair_of_sockets();
    std::thread ender([&socket = server] { socket.shut_down(); });
    std::string got(1, '\0');
    const auto end = server.receive_all(bytes_of(got), soon(60));
    ender.join();
    EXPECT_FALSE(end);
}

TEST(Sockets, AClosedPortIsRefused) {
    std::uint16_t port = 0;
    {
        port = Listener::open(loopback()).value().address().port();
    }
    const auto socket = connect_to(loopback(port), {}, soon());
    ASSERT_FALSE(socket);
    EXPECT_EQ(socket.error().kind, IoError::Kind::kRefused);
}

TEST(Sockets, ComeFromTheAddressThatIsAsked) {
    Listener listener = Listener::open(loopback()).value();
    ConnectOptions options;
    options.source = Address::numeric("127.0.0.9", 0);
    const auto from = connect_to(listener.address(), options, soon());
    ASSERT_TRUE(from);
    EXPECT_EQ(from->local().host(), "127.0.0.9");
    options.source = Address::numeric("192.0.2.1", 0);  // of nobody: as behind a NAT
    const auto other = connect_to(listener.address(), options, soon());
    ASSERT_TRUE(other);
    EXPECT_EQ(other->local().host(), "127.0.0.1");
}

TEST(Sockets, CongestionControlIsPinnedOrRefused) {
    Listener listener = Listener::open(loopback()).value();
    const auto reno = connect_to(listener.address(), {"reno", Seconds(10)}, soon());
    ASSERT_TRUE(reno);  // every Linux kernel has reno
    EXPECT_EQ(reno->congestion_control(), "reno");
    EXPECT_FALSE(connect_to(listener.address(), {"no-such-control", Seconds(10)}, soon()));
}

TEST(Sockets, TheKernelTellsTheRoundTrip) {
    auto [client, server] = pair_of_sockets();
    const TcpState state = tcp_state(client);
    EXPECT_GT(state.min_rtt, Seconds(0));
    EXPECT_LT(state.min_rtt, Seconds(1));
}

TEST(Sockets, AWakerWakes) {
    const Waker waker;
    waker.notify();
    std::vector<Watch> watches{{waker.fd()}};
    wait(watches, Seconds(60));
    EXPECT_TRUE(watches[0].ready);
    waker.drain();
    wait(watches, Seconds(0));
    EXPECT_FALSE(watches[0].ready);
}

TEST(Addresses, TextThereAndBack) {
    EXPECT_EQ(Address::numeric("10.1.2.3", 70)->text(), "10.1.2.3:70");
    EXPECT_EQ(Address::numeric("fd00::1", 70)->text(), "[fd00::1]:70");
    EXPECT_FALSE(Address::numeric("host.example", 70));
    EXPECT_TRUE(Address::numeric("0.0.0.0", 1)->is_wildcard());
    EXPECT_TRUE(Address::numeric("::", 1)->is_wildcard());
    EXPECT_EQ(split_host_port("[fd00::1]:70")->host, "fd00::1");
    EXPECT_EQ(split_host_port("eth0:7")->port, 7);
    EXPECT_FALSE(split_host_port("fd00::1:70"));
    EXPECT_FALSE(split_host_port("10.0.0.1"));
    EXPECT_FALSE(split_host_port("10.0.0.1:70000"));
}

TEST(Addresses, NetworksContainTheirOwn) {
    const auto inside = [](std::string_view network, std::string_view address) {
        return Network::parse(network)->contains(Address::numeric(address, 0).value());
    };
    EXPECT_TRUE(inside("10.0.0.0/8", "10.255.0.1"));
    EXPECT_FALSE(inside("10.0.0.0/8", "11.0.0.1"));
    EXPECT_TRUE(inside("10.0.0.128/25", "10.0.0.129"));
    EXPECT_FALSE(inside("10.0.0.128/25", "10.0.0.127"));
    EXPECT_TRUE(inside("10.0.0.1", "10.0.0.1"));
    EXPECT_FALSE(inside("10.0.0.1", "10.0.0.2"));
    EXPECT_TRUE(inside("fd00::/8", "fd12::1"));
    EXPECT_FALSE(inside("0.0.0.0/0", "fd12::1"));
    EXPECT_FALSE(Network::parse("10.0.0.0/33"));
    EXPECT_FALSE(Network::parse("ten/8"));
}

TEST(Addresses, ListeningEverywhereMustBeMeant) {
    EXPECT_FALSE(listen_address("0.0.0.0:1", false));
    EXPECT_FALSE(listen_address("[::]:1", false));
    EXPECT_TRUE(listen_address("0.0.0.0:1", true));
    EXPECT_EQ(listen_address("lo:5", false)->text(), "127.0.0.1:5");
    EXPECT_FALSE(listen_address("no-such-interface0:5", false));
}

/// An acceptor on loopback, stepped by a thread of its own.
class DoorTest : public testing::Test {
protected:
    static Token token() { return Token::from_text(std::string(40, 'k'), "t").value(); }
    static DoorRules open_rules() {
        DoorRules rules;
        rules.may_connect = [](const Address&) { return true; };
        rules.may_enter = [](const Hello&, const Address&) { return true; };
        return rules;
    }
    void start(DoorRules rules) {
        door_ = std::make_unique<Acceptor>(
            Listener::open(loopback()).value(), token(), std::move(rules));
        thread_ = std::thread([this] {
            while (!stop_) {
                std::vector<Watch> watches{{waker_.fd()}};
                door_->watch(watches);
                wait(watches, Seconds(0.02));
                for (Admission& one : door_->step()) {
                    admitted_.push_back(std::move(one));
                    ++count_;
                }
            }
        });
    }
    DoorCounts finish() {
        stop_ = true;
        waker_.notify();
        if (thread_.joinable()) {
            thread_.join();
        }
        return door_->counts();
    }
    void TearDown() override { finish(); }

    /// What the door sends to a client that says `text` and waits for the end.
    std::string answer_to(std::string_view text) {
        Socket socket = connect_to(door_->address(), {}, soon()).value();
        (void)socket.send_all(bytes_of(text), soon());
        std::string answer;
        std::string byte(1, '\0');
        while (socket.receive_all(bytes_of(byte), soon(20))) {
            answer += byte;
        }
        return answer;
    }

    std::unique_ptr<Acceptor> door_;
    std::vector<Admission> admitted_;
    Waker waker_;
    std::atomic<bool> stop_{false};
    std::atomic<int> count_{0};
    std::thread thread_;
};

TEST_F(DoorTest, LetsInWhoKnowsTheToken) {
    start(open_rules());
    auto channel = open_channel(door_->address(), token(), {Purpose::kControl, "me"}, soon());
    ASSERT_TRUE(channel);
    ASSERT_TRUE(channel->send({7, "hi"}, soon()));
    const Seconds limit = soon();
    while (count_ == 0 && now() < limit) {
        sleep_until(now() + Seconds(0.001));
    }
    finish();
    ASSERT_EQ(admitted_.size(), 1U);
    EXPECT_EQ(admitted_[0].hello.payload, "me");
    Channel server(std::move(admitted_[0].socket), admitted_[0].keys, Side::kServer);
    EXPECT_EQ(server.receive(soon())->body, "hi");
    ASSERT_TRUE(server.send({8, "ho"}, soon()));
    EXPECT_EQ(channel->receive(soon())->body, "ho");
}

TEST_F(DoorTest, StrangersGetNotAByte) {
    start(open_rules());
    const Token wrong = Token::from_text(std::string(40, 'j'), "t").value();
    const ClientHandshake hostile(wrong, {}, random_bytes(kNonceSize));
    EXPECT_EQ(answer_to(hostile.hello_bytes()), "") << "wrong token";
    EXPECT_EQ(answer_to("GET / HTTP/1.1\r\n\r\n"), "");
    EXPECT_EQ(answer_to("LHTP\x01\x01\xff\xff" + std::string(32, 'n')), "") << "oversize";
    EXPECT_EQ(finish().handshake, 3U);
    EXPECT_TRUE(admitted_.empty());
}

TEST_F(DoorTest, OtherAddressesAreClosedAtOnce) {
    DoorRules rules = open_rules();
    rules.may_connect = [](const Address& address) { return address.host() != "127.0.0.1"; };
    start(rules);
    EXPECT_EQ(answer_to(""), "");
    const auto channel = open_channel(door_->address(), token(), {}, soon());
    EXPECT_FALSE(channel);
    EXPECT_EQ(finish().address, 2U);
}

TEST_F(DoorTest, WhoIsNotWantedGetsNoAnswer) {
    DoorRules rules = open_rules();
    rules.may_enter = [](const Hello& hello, const Address&) { return hello.payload == "friend"; };
    start(rules);
    EXPECT_FALSE(open_channel(door_->address(), token(), {Purpose::kControl, "foe"}, soon()));
    EXPECT_TRUE(open_channel(door_->address(), token(), {Purpose::kControl, "friend"}, soon()));
}

TEST_F(DoorTest, SlowGuestsLoseTheirPatience) {
    DoorRules rules = open_rules();
    rules.patience = Seconds(0.1);
    start(rules);
    EXPECT_EQ(answer_to("LHT"), "");  // ends only when the door closes
    EXPECT_EQ(finish().slow, 1U);
}

TEST_F(DoorTest, AThousandIdleConnectionsKeepNobodyOut) {
    DoorRules rules = open_rules();
    rules.patience = Seconds(60);
    start(rules);
    std::vector<Socket> crowd;
    for (int i = 0; i < 1000; ++i) {
        auto socket = connect_to(door_->address(), {}, soon());
        ASSERT_TRUE(socket);
        if (crowd.size() < 200) {
            crowd.push_back(std::move(*socket));
        }
    }
    EXPECT_TRUE(open_channel(door_->address(), token(), {}, soon(20)));
}

}  // namespace
}  // namespace longhaul::transport
