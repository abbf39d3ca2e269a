// What every command shares: how it registers, reads and writes files, and ends.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace longhaul::app {

/// Exit codes of the contract.
inline constexpr int kDone = 0;
inline constexpr int kNo = 1;        ///< the answer is no: a check failed, a plan was rejected
inline constexpr int kBadInput = 2;  ///< bad usage, bad input, or output that cannot be written
inline constexpr int kPartial = 3;   ///< done as far as the input goes: pairs are missing

/// One run of the program: the command line as typed, and what the chosen command does.
struct Session {
    std::vector<std::string> arguments;
    std::vector<std::string> program;  ///< of `emulate`: the words behind "--", as typed
    std::function<int()> run;
};

// One function a command, each in cmd_<name>.cpp: adds the subcommand to the parser; when it is the
// chosen one, sets session.run.
void add_advise(CLI::App& parent, Session& session);
void add_demo(CLI::App& parent, Session& session);
void add_emulate(CLI::App& parent, Session& session);
void add_evaluate(CLI::App& parent, Session& session);
void add_explain(CLI::App& parent, Session& session);
void add_fabric(CLI::App& parent, Session& session);
void add_flows(CLI::App& parent, Session& session);
void add_launch(CLI::App& parent, Session& session);
void add_measure(CLI::App& parent, Session& session);
void add_place(CLI::App& parent, Session& session);
void add_route(CLI::App& parent, Session& session);
void add_schedule(CLI::App& parent, Session& session);
void add_selftest(CLI::App& parent, Session& session);
void add_simulate(CLI::App& parent, Session& session);
void add_size(CLI::App& parent, Session& session);
void add_validate(CLI::App& parent, Session& session);

/// Prints each problem as "longhaul: file: where: what; fix" on standard error (the first few; a
/// last line says how many more there are) and returns kBadInput.
int report(const core::Diagnostics& problems);

/// "longhaul: warning: ..." on standard error.
void warn(std::string_view text);

/// How messages name an input: "standard input" for "-".
[[nodiscard]] std::string input_name(const std::string& path);

/// Fails when more than one of the inputs is "-": standard input can be read once.
[[nodiscard]] core::Result<void> read_once(std::initializer_list<std::string_view> paths);

/// Whole file; "-" is standard input. Fails on what is missing, unreadable, a folder or a device.
[[nodiscard]] core::Result<std::string> read_file(const std::string& path);

/// Writes to a temporary name beside `path`, syncs and renames, so that a crash or a full disk
/// never leaves half a file; "-" is standard output.
[[nodiscard]] core::Result<void> write_file(const std::string& path, std::string_view text);

/// The file or folder that a path names: symbolic links followed, also to what does not exist yet.
[[nodiscard]] std::string link_target(std::string path);

/// Fails when write_file could not write there, as far as that can be told before: for commands
/// that work long before they write.
[[nodiscard]] core::Result<void> check_writable(const std::string& path);

/// Fails when a file to write is also read, or written twice: "-", standard output, holds one file.
/// Empty paths are no files.
[[nodiscard]] core::Result<void> check_apart(const std::vector<std::string>& written,
                                             const std::vector<std::string>& read);

/// Whether one of the files to write is standard output: what else would be printed is left out.
[[nodiscard]] bool on_stdout(const std::vector<std::string>& written);

/// Fails when --json is given and one of these files, which hold something else, is standard
/// output: one of the two would be lost or neither could be read.
[[nodiscard]] core::Result<void> check_json_alone(bool json,
                                                  const std::vector<std::string>& written);

/// Writes text to standard output, with core::printable_lines; write errors are found at the end of
/// main.
void print(std::string_view text);

/// The same to standard error.
void print_error(std::string_view text);

}  // namespace longhaul::app
