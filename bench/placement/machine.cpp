// describe_machine: what /proc, the clock and git say.
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <unistd.h>

#include "report.hpp"

namespace longhaul::bench {
namespace {

/// First "key : value" of a file of /proc.
std::string proc_value(const char* file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(key)) {
            const std::size_t from = line.find_first_not_of(" \t", line.find(':') + 1);
            return from == std::string::npos ? "unknown" : line.substr(from);
        }
    }
    return "unknown";
}

std::string output_of(const std::string& command) {
    std::string text;
    if (FILE* pipe = ::popen(command.c_str(), "r")) {
        std::array<char, 256> buffer{};
        while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
            text += buffer.data();
        }
        ::pclose(pipe);
    }
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

std::string commit_of(const std::string& folder) {
    const std::string git = "git -C '" + folder + "' ";
    const std::string hash = output_of(git + "rev-parse --short HEAD 2>/dev/null");
    if (hash.empty()) {
        return "unknown";
    }
    const std::string changes = output_of(git + "status --porcelain --untracked-files=no");
    return changes.empty() ? hash : hash + "+changes";
}

/// Lower case, everything else one dash.
std::string slug(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!result.empty() && result.back() != '-') {
            result += '-';
        }
    }
    while (!result.empty() && result.back() == '-') {
        result.pop_back();
    }
    return result;
}

}  // namespace

Machine describe_machine(const std::string& source_folder) {
    Machine machine;
    machine.processor = proc_value("/proc/cpuinfo", "model name");
    machine.name = slug(machine.processor);
    machine.cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    machine.memory_gb = std::atof(proc_value("/proc/meminfo", "MemTotal").c_str()) * 1.024e-6;
#ifdef __clang__
    machine.compiler = "clang " __clang_version__;
#else
    machine.compiler = "g++ " __VERSION__;
#endif
    machine.compiler += " " LONGHAUL_BUILD_TYPE;
    machine.commit = commit_of(source_folder);
    const std::time_t now = std::time(nullptr);
    std::array<char, 16> date{};
    std::tm utc{};
    std::strftime(date.data(), date.size(), "%Y-%m-%d", ::gmtime_r(&now, &utc));
    machine.date = date.data();
    ::getloadavg(&machine.load, 1);
    return machine;
}

core::Value to_value(const Machine& machine) {
    return core::Value::object()
        .set("processor", machine.processor)
        .set("cores", static_cast<double>(machine.cores))
        .set("memory_gb", machine.memory_gb)
        .set("compiler", machine.compiler)
        .set("commit", machine.commit)
        .set("date", machine.date)
        .set("load", machine.load);
}

}  // namespace longhaul::bench
