// The queue of Michael and Scott: two threads enqueue, a third dequeues once; all that was enqueued is there in
// the end. Nodes are not reclaimed.
//
// source: M. M. Michael, M. L. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue
//         Algorithms", PODC 1996
// expect: rc11 verified executions=6
#include <atomic>
#include <cassert>
#include <thread>

#ifndef LINK
#define LINK std::memory_order_release
#endif

template <typename T> class Queue {
    struct Node {
        T value;
        std::atomic<Node *> next {nullptr};
    };
    std::atomic<Node *> head, tail;

public:
    Queue()
    {
        auto *dummy = new Node {};
        head.store(dummy, std::memory_order_relaxed);
        tail.store(dummy, std::memory_order_relaxed);
    }

    void enqueue(T value)
    {
        auto *node = new Node {value};
        for (;;) {
            Node *last = tail.load(std::memory_order_acquire);
            Node *next = last->next.load(std::memory_order_acquire);
            if (next) {
                tail.compare_exchange_strong(last, next, std::memory_order_release, std::memory_order_relaxed);
            } else if (last->next.compare_exchange_strong(next, node, LINK, std::memory_order_relaxed)) {
                tail.compare_exchange_strong(last, node, std::memory_order_release, std::memory_order_relaxed);
                return;
            }
        }
    }

    bool dequeue(T &value)
    {
        for (;;) {
            Node *first = head.load(std::memory_order_acquire);
            Node *last = tail.load(std::memory_order_acquire);
            Node *next = first->next.load(std::memory_order_acquire);
            if (!next)
                return false;
            if (first == last) {
                tail.compare_exchange_strong(last, next, std::memory_order_release, std::memory_order_relaxed);
                continue;
            }
            value = next->value;
            if (head.compare_exchange_strong(first, next, std::memory_order_acq_rel, std::memory_order_relaxed))
                return true;
        }
    }
};

int main()
{
    Queue<int> queue;
    int sum = 0;
    std::thread one([&] { queue.enqueue(1); }), two([&] { queue.enqueue(2); });
    std::thread dequeuer([&] { queue.dequeue(sum); });
    one.join();
    two.join();
    dequeuer.join();
    for (int value; queue.dequeue(value);)
        sum += value;
    assert(sum == 3);
}
