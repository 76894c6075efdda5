// std::barrier: each thread writes its own part, all read all of them after they have met.
//
// expect: rc11 verified
// args: -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

#ifndef MEET
#define MEET barrier.arrive_and_wait()
#endif

static std::barrier<> barrier(2);
static int part[2];

static void work(int me)
{
    part[me] = 1;
    MEET;
    assert(part[0] + part[1] == 2);
}

int main()
{
    std::thread one(work, 0), two(work, 1);
    one.join();
    two.join();
}
