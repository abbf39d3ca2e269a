#include "longhaul/transport/acceptor.hpp"

#include "longhaul/transport/clock.hpp"

namespace longhaul::transport {
namespace {

constexpr int kMostPerStep = 256;

}  // namespace

Acceptor::Acceptor(Listener listener, Token token, DoorRules rules)
    : listener_(std::move(listener)), token_(std::move(token)), rules_(std::move(rules)) {}

void Acceptor::watch(std::vector<Watch>& watches) const {
    watches.push_back({listener_.fd()});
    for (const Guest& guest : guests_) {
        watches.push_back({guest.socket.fd()});
    }
}

void Acceptor::accept_all() {
    for (int i = 0; i < kMostPerStep; ++i) {
        Io<Socket> socket = listener_.accept_one();
        if (!socket || !socket->valid()) {
            return;
        }
        const Address remote = socket->remote();
        if (!rules_.may_connect(remote)) {
            ++counts_.address;
            continue;
        }
        if (guests_.size() >= rules_.most_waiting) {
            ++counts_.slow;
            guests_.pop_front();
        }
        guests_.push_back({std::move(*socket), remote, ServerHandshake(token_), now()});
    }
}

/// Moves one handshake on; false when the guest has to go.
bool Acceptor::serve(Guest& guest) {
    using Step = ServerHandshake::Step;
    std::string block;
    while (true) {
        block.resize(guest.handshake.wants());
        const Io<std::size_t> got = guest.socket.receive_some(bytes_of(block));
        if (!got) {
            return false;
        }
        if (*got == 0) {
            return true;
        }
        const Step step = guest.handshake.feed(std::string_view(block).substr(0, *got), nonces_);
        if (step == Step::kRefused) {
            return false;
        }
        if (step == Step::kDone) {
            guest.done = true;
            return true;
        }
        if (step == Step::kReply) {
            // 64 bytes into an empty send buffer: they fit, or something is wrong.
            const Bytes reply = bytes_of(guest.handshake.reply());
            const bool wanted = rules_.may_enter(guest.handshake.hello(), guest.remote);
            if (!wanted || guest.socket.send_some(reply).value_or(0) != reply.size()) {
                return false;
            }
        }
    }
}

std::vector<Admission> Acceptor::step() {
    std::vector<Admission> admitted;
    accept_all();
    for (auto guest = guests_.begin(); guest != guests_.end();) {
        const bool welcome = serve(*guest);
        const bool late = !guest->done && now() - guest->since > rules_.patience;
        if (guest->done) {
            ++counts_.admitted;
            admitted.push_back({std::move(guest->socket),
                                guest->remote,
                                guest->handshake.hello(),
                                guest->handshake.keys()});
        } else if (!welcome) {
            ++counts_.handshake;
        } else if (late) {
            ++counts_.slow;
        }
        guest = guest->done || !welcome || late ? guests_.erase(guest) : std::next(guest);
    }
    return admitted;
}

}  // namespace longhaul::transport
