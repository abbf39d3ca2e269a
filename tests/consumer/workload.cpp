// A workload keeps its payload on the way into the file form.
#include <iostream>

#include "longhaul/workload/workload.hpp"

int main() {
    longhaul::workload::Workload workload;
    workload.c_pp = longhaul::core::Gigabytes(0.5);
    const auto value = longhaul::workload::to_value(workload);
    const auto* payload = value.find("c_pp_gb");
    const bool good = payload != nullptr && payload->number == 0.5;
    std::cout << "workload " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
