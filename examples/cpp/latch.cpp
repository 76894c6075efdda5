// What two threads wrote before they counted down is seen by whoever waits.
//
// args: -std=c++20
// expect: rc11 verified
#include <cassert>
#include <latch>
#include <thread>

static std::latch done(2);
static int one, two;

int main()
{
    std::thread first([] {
        one = 1;
        done.count_down();
    });
    std::thread second([] {
        two = 1;
        done.count_down();
    });
    done.wait();
    assert(one + two == 2);
    first.join();
    second.join();
}
