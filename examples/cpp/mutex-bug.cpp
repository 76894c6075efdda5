// Three threads that count, one of them without the mutex.
//
// args: -std=c++20
// expect: rc11 violated data-race
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
        threads.emplace_back([i] {
            std::unique_lock guard(lock, std::defer_lock);
            if (i != 0)
                guard.lock();
            count++;
        });
    for (auto &thread : threads)
        thread.join();
    assert(count == 3);
}
