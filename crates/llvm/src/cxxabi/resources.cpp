// `std::pmr`: where memory comes from, whichever headers a program has.

#include <memory_resource>
#include <new>

namespace {

class OfNew final : public std::pmr::memory_resource {
    void *do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        return alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
            ? ::operator new(bytes, std::align_val_t(alignment))
            : ::operator new(bytes);
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override
    {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
            ::operator delete(memory, bytes, std::align_val_t(alignment));
        else
            ::operator delete(memory, bytes);
    }
    bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

class None final : public std::pmr::memory_resource {
    void *do_allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
    void do_deallocate(void *, std::size_t, std::size_t) override { }
    bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

// An object that is there before the program begins, and stays.
template <class T> union Lasting {
    T object;
    constexpr Lasting() : object() { }
    ~Lasting() { }
};
constinit Lasting<OfNew> of_new;
constinit Lasting<None> none;

std::pmr::memory_resource *chosen;

// What a pool has handed out, until it is given back, or all of it is. A pool that asks for each object by itself can be
// told from others only by whoever it asks, who may find it too many or too few.
struct HandedOut {
    HandedOut *next;
    void *memory;
    std::size_t bytes, alignment;
};

[[maybe_unused]] void *hand_out(
    HandedOut *&all, std::pmr::memory_resource *from, std::size_t bytes, std::size_t alignment)
{
    void *memory = from->allocate(bytes, alignment);
    all = new HandedOut { all, memory, bytes, alignment };
    return memory;
}

[[maybe_unused]] void take_back(HandedOut *&all, std::pmr::memory_resource *from, void *memory)
{
    for (HandedOut **at = &all; *at; at = &(*at)->next) {
        HandedOut *found = *at;
        if (found->memory != memory)
            continue;
        *at = found->next;
        from->deallocate(memory, found->bytes, found->alignment);
        delete found;
        return;
    }
    // It is not from here, or was given back before: an error, which this is found as.
    ::operator delete(memory);
    ::operator delete(memory);
}

[[maybe_unused]] void take_all_back(HandedOut *&all, std::pmr::memory_resource *from)
{
    while (HandedOut *found = all) {
        all = found->next;
        from->deallocate(found->memory, found->bytes, found->alignment);
        delete found;
    }
}

} // namespace

// The library's are in an inline namespace.
std::pmr::memory_resource::~memory_resource() = default;
std::pmr::memory_resource *std::pmr::new_delete_resource() noexcept { return &of_new.object; }
std::pmr::memory_resource *std::pmr::null_memory_resource() noexcept { return &none.object; }
std::pmr::memory_resource *std::pmr::get_default_resource() noexcept
{
    memory_resource *found = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    return found ? found : new_delete_resource();
}
std::pmr::memory_resource *std::pmr::set_default_resource(memory_resource *resource) noexcept
{
    memory_resource *before = __atomic_exchange_n(&chosen, resource, __ATOMIC_ACQ_REL);
    return before ? before : new_delete_resource();
}
