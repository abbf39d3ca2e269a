#include "longhaul/runtime/control.hpp"

#include <array>

#include "longhaul/core/document.hpp"
#include "longhaul/emulate/wan.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::runtime {
namespace {

constexpr core::Seconds kPatience{5};
constexpr core::Seconds kPause{0.01};
constexpr std::size_t kLongestLine = 1U << 24U;

}  // namespace

std::optional<Control> Control::join(std::uint32_t address, double patience_s) {
    const auto to = transport::Address::numeric(emulate::address_text(address), kControlPort);
    const core::Seconds deadline = transport::now() + core::Seconds(patience_s);
    while (to && transport::now() < deadline) {
        if (auto socket = transport::connect_to(*to, {}, deadline)) {
            return Control(std::move(*socket));
        }
        transport::sleep_until(transport::now() + kPause);
    }
    return std::nullopt;
}

bool Control::send(const core::Value& message) {
    const std::string line = core::write_json_line(message);
    if (!closed_ && !socket_.send_all(transport::bytes_of(line), transport::now() + kPatience)) {
        closed_ = true;
    }
    return !closed_;
}

std::vector<core::Value> Control::receive() {
    std::array<std::byte, 16384> part{};
    while (!closed_) {
        const auto size = socket_.receive_some(part);
        if (!size) {
            closed_ = true;
        } else if (*size == 0) {
            break;
        } else {
            for (std::size_t i = 0; i < *size; ++i) {
                buffer_ += static_cast<char>(part[i]);
            }
        }
    }
    std::vector<core::Value> messages;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = buffer_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        auto document = core::parse_json(std::string_view(buffer_).substr(begin, end - begin), "");
        closed_ = closed_ || !document;
        if (document) {
            messages.push_back(std::move(document->root));
        }
    }
    buffer_.erase(0, begin);
    closed_ = closed_ || buffer_.size() > kLongestLine;
    return messages;
}

}  // namespace longhaul::runtime
