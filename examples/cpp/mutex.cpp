// Three threads that count under a mutex: one execution for each order of taking the lock.
//
// args: -std=c++20
// expect: rc11 verified executions=6
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;
int count;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            std::lock_guard guard(lock);
            count++;
        });
    for (auto &thread : threads)
        thread.join();
    assert(count == 3);
}
