// What may name a host, a user, an interface or a folder in a hosts file. Strict on purpose: these
// values end up in shell scripts, host lists and YAML.
#pragma once

#include <string>
#include <string_view>

namespace longhaul::launch {

// Each check returns "" for a good value, else what would be right.

/// Host name of RFC 1123 (underscores are let pass: cluster node names have them), at most 253
/// bytes, labels of 1 to 63, not all digits.
[[nodiscard]] std::string check_host_name(std::string_view text);
/// Host name, IPv4 or IPv6 address (no zone, no brackets).
[[nodiscard]] std::string check_address(std::string_view text);
/// Login name: letters, digits, "_", "-", ".", not starting with "-" or ".", at most 32 bytes.
[[nodiscard]] std::string check_user(std::string_view text);
/// Linux network interface: at most 15 bytes of letters, digits, "_", "-", ".".
[[nodiscard]] std::string check_interface(std::string_view text);
/// Folder for the files of a launch: letters, digits, "_", "-", ".", "/"; no "..".
[[nodiscard]] std::string check_launch_dir(std::string_view text);
/// Folder that a job runs in: any text without control characters, at most 4096 bytes.
[[nodiscard]] std::string check_workdir(std::string_view text);

/// Name of a host in a fabric: any text without control characters, at most 4096 bytes.
[[nodiscard]] std::string check_fabric_host(std::string_view text);

/// Label of RFC 1123 in lower case, as Kubernetes wants its names: at most `limit` bytes.
[[nodiscard]] bool is_dns_label(std::string_view text, std::size_t limit = 63);

}  // namespace longhaul::launch
