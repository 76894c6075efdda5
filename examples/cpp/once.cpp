// A function's own object is made once, and so is what `call_once` does.
//
// expect: rc11 verified
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::atomic<int> made, called;
std::once_flag flag;

struct Object {
    int value;
    Object() : value(7) { made++; }
};

static void use()
{
    static Object object;
    assert(object.value == 7);
    std::call_once(flag, [] { called++; });
    assert(called == 1);
}

int main()
{
    std::thread other(use);
    use();
    other.join();
    assert(made == 1);
}
