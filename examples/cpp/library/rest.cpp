// What else of the library programs use. -DPART names one.
//
// expect: rc11 verified -DPART=any_of_numbers
// expect: rc11 verified -DPART=joined_twice
// expect: rc11 verified -DPART=steady
// expect: rc11 violated assertion -DPART=random_number
// expect: rc11 verified -DPART=ready_at_the_end
// expect: rc11 verified -DPART=classes_of_floats
// expect: rc11 verified -DPART=stopped_wait
// expect: rc11 verified -DPART=made_by_the_second
// args: -std=c++20
#include <any>
#include <cassert>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <future>
#include <limits>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

// The types of numbers are known by their information, too.
void any_of_numbers()
{
    std::any value = 5;
    assert(std::any_cast<int>(value) == 5 && !std::any_cast<double>(&value));
    value = 2.5;
    assert(std::any_cast<double>(value) == 2.5 && value.type() == typeid(double));
    std::ostringstream text;
    text << static_cast<void *>(nullptr);
    assert(text.str() == "0");
}

void joined_twice()
{
    std::thread other([] { });
    other.join();
    bool thrown = false;
    try {
        other.join();
    } catch (const std::system_error &error) {
        thrown = error.code() == std::errc::invalid_argument;
    }
    assert(thrown);
}

void steady()
{
    auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    assert(std::chrono::steady_clock::now() >= before);
}

void random_number()
{
    std::random_device any;
    assert(any() != 7);
}

void ready_at_the_end()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    static thread_local int last = 0;
    std::thread other([&] {
        promise.set_value_at_thread_exit(3);
        last = 1;
    });
    assert(future.get() == 3);
    other.join();
}

void classes_of_floats()
{
    using Limits = std::numeric_limits<double>;
    const double values[] = { -0.0, -2.5, -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), Limits::max() };
    const int classes[] = { FP_ZERO, FP_NORMAL, FP_INFINITE, FP_NAN, FP_SUBNORMAL, FP_NORMAL };
    for (int at = 0; at < 6; at++) {
        volatile double value = values[at];
        double same = value;
        assert(std::isnan(same) == (classes[at] == FP_NAN) && std::isinf(same) == (classes[at] == FP_INFINITE));
        assert(std::isnormal(same) == (classes[at] == FP_NORMAL) && std::fpclassify(same) == classes[at]);
        assert(!!__builtin_issubnormal(same) == (classes[at] == FP_SUBNORMAL));
    }
    assert(__builtin_powi(2.0, -2) == 0.25);
}

// A wait that ends because its thread is asked to stop.
void stopped_wait()
{
    static std::mutex mutex;
    static std::condition_variable_any changed;
    static bool ready = false;
    bool came = true;
    {
        std::jthread other([&](std::stop_token token) {
            std::unique_lock lock(mutex);
            came = changed.wait(lock, token, [] { return ready; });
        });
        other.request_stop();
    }
    assert(!came);
}

// Who throws while an object of a function is made leaves it to the next one.
int tries = 0;
struct Made {
    int value;
    Made()
    {
        if (tries++ == 0)
            throw 1;
        value = 3;
    }
};
void get()
{
    for (;;) {
        try {
            static Made made;
            assert(made.value == 3);
            return;
        } catch (int) {
        }
    }
}
void made_by_the_second()
{
    std::thread other(get);
    get();
    other.join();
    assert(tries == 2);
}

int main() { PART(); }
