// Hazard pointers: a reader writes down which object it is about to use and looks again whether the object is
// still current; a writer frees an object only if nobody has written it down.
//
// source: M. M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", IEEE TPDS 15(6), 2004
// expect: rc11 verified executions=9
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

#ifndef ANNOUNCED
#define ANNOUNCED std::memory_order_seq_cst
#endif

static std::atomic<int *> current, hazard;

static int read()
{
    int *object = current.load(std::memory_order_acquire);
    for (;;) {
        hazard.store(object, std::memory_order_relaxed);
        std::atomic_thread_fence(ANNOUNCED);
        int *again = current.load(std::memory_order_acquire);
        if (again == object)
            break;
        object = again;
    }
    int value = *object;
    hazard.store(nullptr, std::memory_order_release);
    return value;
}

// The old object, if it is in use.
static std::unique_ptr<int> replace(int value)
{
    std::unique_ptr<int> old(current.exchange(new int(value), std::memory_order_acq_rel));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (hazard.load(std::memory_order_acquire) != old.get())
        old.reset();
    return old;
}

int main()
{
    current.store(new int(1), std::memory_order_relaxed);
    std::thread reader([] {
        int value = read();
        assert(value == 1 || value == 2);
    });
    auto in_use = replace(2);
    reader.join();
    delete current.load(std::memory_order_relaxed);
}
