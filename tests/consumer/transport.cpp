// The digest is test case 2 of RFC 4231, section 4.3.
#include <iostream>

#include "longhaul/transport/auth.hpp"

int main() {
    namespace transport = longhaul::transport;
    const std::string digest =
        transport::to_hex(transport::hmac_sha256("Jefe", "what do ya want for nothing?"));
    const bool good = digest == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    std::cout << "transport " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
