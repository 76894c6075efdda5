// A channel: a queue, a mutex and a condition variable. Two senders, one receiver that takes both.
//
// expect: rc11 verified
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#ifndef WAIT
#define WAIT filled.wait(lock, [this] { return !items.empty(); })
#endif

template <typename T> class Channel {
    std::deque<T> items;
    std::mutex mutex;
    std::condition_variable filled;

public:
    void send(T item)
    {
        {
            std::lock_guard lock(mutex);
            items.push_back(item);
        }
        filled.notify_one();
    }

    T receive()
    {
        std::unique_lock lock(mutex);
        WAIT;
        T item = items.front();
        items.pop_front();
        return item;
    }
};

static Channel<int> channel;

int main()
{
    std::thread one([] { channel.send(1); }), two([] { channel.send(2); });
    int first = channel.receive();
    int second = channel.receive();
    assert(first + second == 3);
    one.join();
    two.join();
}
