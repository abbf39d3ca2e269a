#include "longhaul/core/assert.hpp"

#include <stdexcept>
#include <string>

namespace longhaul::core::detail {

void assertion_failed(const char* condition, const char* file, int line) {
    // Thrown, not aborted: a library never ends the process of its user (architecture rule 4).
    throw std::logic_error(std::string("broken invariant: ") + condition + " at " + file + ":" +
                           std::to_string(line));
}

}  // namespace longhaul::core::detail
