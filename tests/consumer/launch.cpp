// A hosts file of two machines with two devices each has four devices; a host without a name is
// refused.
#include <iostream>

#include "longhaul/launch/hosts.hpp"

int main() {
    const auto hosts = longhaul::launch::read_hosts(
        "[[host]]\nname = \"one\"\ndevices = 2\n[[host]]\nname = \"two\"\ndevices = 2\n",
        "hosts.toml");
    const bool good = hosts && hosts->devices() == 4 &&
                      !longhaul::launch::read_hosts("[[host]]\ndevices = 2\n", "hosts.toml");
    std::cout << "launch " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
