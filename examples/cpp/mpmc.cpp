// A bounded ring for many producers and consumers. Each cell has a sequence number that says whose turn it is.
// Two threads enqueue an item each and dequeue one: they do not get the same.
//
// source: D. Vyukov, "Bounded MPMC queue", 1024cores.net, 2010
// expect: rc11 verified
#include <atomic>
#include <cassert>
#include <thread>

#ifndef TURN
#define TURN std::memory_order_acquire
#endif

constexpr auto relaxed = std::memory_order_relaxed;

template <typename T, unsigned size> class Queue {
    struct Cell {
        std::atomic<unsigned> sequence;
        T item;
    };
    Cell cells[size] {};
    std::atomic<unsigned> enqueue_pos {0}, dequeue_pos {0};

public:
    Queue()
    {
        for (unsigned i = 0; i < size; i++)
            cells[i].sequence.store(i, relaxed);
    }

    bool enqueue(T item)
    {
        unsigned pos = enqueue_pos.load(relaxed);
        for (;;) {
            Cell &cell = cells[pos % size];
            int turn = int(cell.sequence.load(std::memory_order_acquire) - pos);
            if (turn < 0)
                return false;
            if (turn > 0) {
                pos = enqueue_pos.load(relaxed);
            } else if (enqueue_pos.compare_exchange_strong(pos, pos + 1, relaxed, relaxed)) {
                cell.item = item;
                cell.sequence.store(pos + 1, std::memory_order_release);
                return true;
            }
        }
    }

    bool dequeue(T &item)
    {
        unsigned pos = dequeue_pos.load(relaxed);
        for (;;) {
            Cell &cell = cells[pos % size];
            int turn = int(cell.sequence.load(TURN) - (pos + 1));
            if (turn < 0)
                return false;
            if (turn > 0) {
                pos = dequeue_pos.load(relaxed);
            } else if (dequeue_pos.compare_exchange_strong(pos, pos + 1, relaxed, relaxed)) {
                item = cell.item;
                cell.sequence.store(pos + size, std::memory_order_release);
                return true;
            }
        }
    }
};

static Queue<int, 2> queue;

int main()
{
    int got[2] = {0, 0};
    auto work = [&](int me) {
        if (queue.enqueue(me + 1))
            queue.dequeue(got[me]);
    };
    std::thread one(work, 0), two(work, 1);
    one.join();
    two.join();
    assert(got[0] == 0 || got[0] != got[1]);
}
