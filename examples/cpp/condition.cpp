// A consumer that waits for a queue to be filled.
//
// expect: rc11 verified
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

std::mutex lock;
std::condition_variable filled;
std::queue<int> items;

int main()
{
    std::thread consumer([] {
        std::unique_lock<std::mutex> guard(lock);
        filled.wait(guard, [] { return !items.empty(); });
        assert(items.front() == 7);
        items.pop();
    });
    {
        std::lock_guard<std::mutex> guard(lock);
        items.push(7);
    }
    filled.notify_one();
    consumer.join();
}
