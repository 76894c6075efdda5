// Two threads that count, one at a time.
//
// args: -std=c++20
// expect: rc11 verified executions=2
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> room(1);
static int count;

int main()
{
    auto add = [] {
        room.acquire();
        count++;
        room.release();
    };
    std::thread one(add), other(add);
    one.join();
    other.join();
    assert(count == 2);
}
