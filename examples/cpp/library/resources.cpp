// Where memory comes from (`std::pmr`). -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified executions=1 -DPART=buffer
// expect: rc11 verified executions=1 -DPART=counted
// expect: rc11 verified executions=1 -DPART=chosen
// expect: rc11 verified executions=1 -DPART=nothing
// expect: rc11 verified -DPART=pool
// expect: rc11 violated use-after-free -DPART=buffer -DWRONG=1
// expect: rc11 violated data-race -DPART=pool -DWRONG=2
// expect: rc11 violated double-free -DPART=counted -DWRONG=3
// args: -std=c++20
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <vector>
#ifndef WRONG
#define WRONG 0
#endif

/// Counts what is there.
struct Counting : std::pmr::memory_resource {
    int there = 0;
    void *do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        there++;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override
    {
        there--;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

void buffer()
{
    Counting counting;
    {
        std::byte room[64];
        std::pmr::monotonic_buffer_resource memory(room, sizeof room, &counting);
        std::pmr::vector<int> few({ 1, 2, 3 }, &memory);
        assert(counting.there == 0 && few[2] == 3);
        for (long n = 1; n < 40; n++) {
            auto *triple = static_cast<long *>(memory.allocate(3 * sizeof(long), 16));
            triple[0] = triple[2] = n;
            assert(reinterpret_cast<std::uintptr_t>(triple) % 16 == 0);
        }
        assert(counting.there > 0);
        std::pmr::string text("a text that is longer than what fits in the object", &memory);
#if WRONG == 1
        memory.release();
#endif
        assert(text.size() == 50 && text.back() == 't');
    }
    assert(counting.there == 0);
}

void counted()
{
    Counting counting;
    {
        std::pmr::unsynchronized_pool_resource pool(&counting);
        std::pmr::map<int, std::pmr::vector<int>> lists(&pool);
        lists[1].push_back(2);
        lists[3].push_back(4);
        assert(lists.at(1).get_allocator().resource() == &pool);
        void *memory = pool.allocate(24);
        pool.deallocate(memory, 24);
#if WRONG == 3
        pool.deallocate(memory, 24);
#endif
        pool.allocate(8); // given back with the pool
    }
    assert(counting.there == 0);
}

void chosen()
{
    Counting counting;
    auto *before = std::pmr::set_default_resource(&counting);
    assert(before == std::pmr::new_delete_resource());
    {
        std::pmr::vector<int> one(1);
        assert(counting.there == 1);
        std::pmr::polymorphic_allocator<int> allocator;
        int *number = allocator.allocate(1);
        allocator.deallocate(number, 1);
    }
    assert(std::pmr::set_default_resource(nullptr) == &counting && counting.there == 0);
    assert(std::pmr::get_default_resource()->is_equal(*before));
}

void nothing()
{
    std::pmr::vector<int> none(std::pmr::null_memory_resource());
    try {
        none.push_back(1);
        assert(false);
    } catch (const std::bad_alloc &) {
    }
}

/// Two threads have lists in one pool.
void pool()
{
#if WRONG == 2
    static std::pmr::unsynchronized_pool_resource shared;
#else
    static std::pmr::synchronized_pool_resource shared;
#endif
    auto work = [](int n) {
        std::pmr::vector<int> list(&shared);
        list.push_back(n);
        assert(list[0] == n);
    };
    std::thread other(work, 1);
    work(2);
    other.join();
}

int main() { PART(); }
