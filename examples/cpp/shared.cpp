// The last one destroys what a `shared_ptr` holds.
//
// expect: rc11 verified
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

std::atomic<int> destroyed;

struct Counted {
    int value = 7;
    ~Counted() { destroyed++; }
};

int main()
{
    auto shared = std::make_shared<Counted>();
    std::thread other([copy = shared] { assert(copy->value == 7); });
    shared.reset();
    other.join();
    assert(destroyed == 1);
}
