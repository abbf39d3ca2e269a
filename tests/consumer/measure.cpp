// A sample becomes a line and comes back.
#include "longhaul/measure/raw.hpp"

#include <cstdio>

int main() {
    using namespace longhaul::measure;
    Raw raw;
    raw.runs.push_back({1, "one", "", "", "", longhaul::core::Value::object()});
    Sample sample;
    sample.from = "a";
    sample.to = "b";
    sample.bytes = 4096;
    sample.elapsed_s = 0.25;
    raw.samples.push_back(sample);
    const auto read = read_raw(to_text(raw), "raw");
    const bool right = read && read->samples.size() == 1 && read->samples[0].elapsed_s == 0.25;
    std::puts(right ? "measure: ok" : "measure: wrong sample");
    return right ? 0 : 1;
}
