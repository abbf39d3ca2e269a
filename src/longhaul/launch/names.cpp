#include "longhaul/launch/names.hpp"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "longhaul/launch/quote.hpp"

namespace longhaul::launch {
namespace {

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool consists_of(std::string_view text, std::string_view others) {
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
    });
}

bool is_label(std::string_view label) {
    return label.size() <= 63 && consists_of(label, "-_") && label.front() != '-' &&
           label.back() != '-';
}

bool looks_numeric(std::string_view text) {
    return text.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool parses_as(int family, std::string_view text) {
    unsigned char address[16];
    return ::inet_pton(family, std::string(text).c_str(), address) == 1;
}

}  // namespace

std::string check_host_name(std::string_view text) {
    std::string wanted =
        "a host name has letters, digits, \"-\", \"_\" and \".\", and starts and ends with a "
        "letter or digit";
    if (text.empty() || text.size() > 253 || looks_numeric(text)) {
        return wanted;
    }
    for (std::string_view rest = text;;) {
        const std::size_t dot = rest.find('.');
        if (!is_label(rest.substr(0, dot))) {
            return wanted;
        }
        if (dot == std::string_view::npos) {
            return "";
        }
        rest.remove_prefix(dot + 1);
    }
}

std::string check_address(std::string_view text) {
    if (!text.empty() && looks_numeric(text)) {
        return parses_as(AF_INET, text) ? "" : "an IPv4 address has four numbers from 0 to 255";
    }
    if (text.find(':') != std::string_view::npos) {
        return parses_as(AF_INET6, text)
                   ? ""
                   : "an IPv6 address has hexadecimal groups, such as fd00::1";
    }
    return check_host_name(text).empty() ? "" : "it must be a host name or an IP address";
}

std::string check_user(std::string_view text) {
    const bool good =
        text.size() <= 32 && consists_of(text, "_-.") && text.front() != '-' && text.front() != '.';
    return good ? "" : "a login name has letters, digits, \"_\", \"-\" and \".\"";
}

std::string check_interface(std::string_view text) {
    const bool good =
        text.size() <= 15 && consists_of(text, "_-.") && text.front() != '-' && text.front() != '.';
    return good ? "" : "an interface name is at most 15 letters, digits, \"_\", \"-\" and \".\"";
}

std::string check_launch_dir(std::string_view text) {
    const bool climbs = fmt::format("/{}/", text).find("/../") != std::string::npos;
    const bool good = text.size() <= 1024 && consists_of(text, "_-./") && text.front() != '-' &&
                      !climbs && text != "/" && text != ".";
    return good ? ""
                : "a launch folder has letters, digits, \"_\", \"-\", \".\" and \"/\", and no "
                  "\"..\"";
}

std::string check_workdir(std::string_view text) {
    return !text.empty() && text.size() <= 4096 && !has_control(text)
               ? ""
               : "a folder name has at most 4096 bytes and no control characters";
}

std::string check_fabric_host(std::string_view text) {
    return !text.empty() && text.size() <= 4096 && !has_control(text)
               ? ""
               : "a name in a fabric has at most 4096 bytes and no control characters";
}

bool is_dns_label(std::string_view text, std::size_t limit) {
    return text.size() <= limit && is_label(text) && text.find('_') == std::string_view::npos &&
           std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace longhaul::launch
