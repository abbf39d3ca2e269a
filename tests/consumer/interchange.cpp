// The output of a ping becomes a raw sample.
#include "longhaul/interchange/import.hpp"

#include <cstdio>

int main() {
    using namespace longhaul::interchange;
    const SourceText file{"ping.txt",
                          "PING b (10.0.0.2) 56(84) bytes of data.\n"
                          "64 bytes from b: icmp_seq=1 ttl=64 time=20.0 ms\n"};
    const auto imported = import_files(*find_import_format("ping"), {&file, 1}, {});
    const bool right =
        imported && imported->raw.samples.size() == 1 && imported->raw.samples[0].elapsed_s == 0.02;
    std::puts(right ? "interchange: ok" : "interchange: wrong sample");
    return right ? 0 : 1;
}
