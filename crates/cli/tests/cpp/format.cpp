// What formats and prints.
#include <cassert>
#include <charconv>
#include <format>
#include <limits>
#include <print>
#include <string>
#include <thread>

std::string text(double value) {
    char letters[32];
    auto end = std::to_chars(letters, letters + sizeof letters, value);
    assert(end.ec == std::errc());
    return std::string(letters, end.ptr);
}

int main() {
    std::string other;
    std::thread thread([&] { other = std::format("{:.2f} {:e} {:g}", 1.5, 12345.678, 0.0001); });
    assert(text(0.1) == "0.1" && text(1e22) == "1e+22" && text(-2.5) == "-2.5" && text(100000) == "1e+05");
    assert(text(123456) == "123456" && text(1.0 / 3) == "0.3333333333333333");
    assert(std::format("{} {:>8} {}", 0.1f, 2.5, std::numeric_limits<double>::infinity()) == "0.1      2.5 inf");
    assert(std::format("{:03}-{:x}-{:<3}|", 7, 255, 'c') == "007-ff-c  |");
    char small[2];
    assert(std::to_chars(small, small + 2, 1.5).ec == std::errc::value_too_large);
    thread.join();
    assert(other == "1.50 1.234568e+04 0.0001");
    std::println("{} {}", 1, other);
}
