// `std::pmr`: buffers that only grow, and pools.

namespace std {
inline namespace __1 {
namespace pmr {

// ---- buffers that only grow: from the end of each piece of memory to its beginning ----

static void *take_from(char *start, char *&end, size_t bytes, size_t alignment)
{
    size_t room = end - start;
    if (!start || room < bytes)
        return nullptr;
    size_t over = (reinterpret_cast<uintptr_t>(end) - bytes) & (alignment - 1);
    if (room - bytes < over)
        return nullptr;
    return end -= bytes + over;
}
void *monotonic_buffer_resource::do_allocate(size_t bytes, size_t alignment)
{
    if (void *found = take_from(__initial_.__start_, __initial_.__cur_, bytes, alignment))
        return found;
    if (__chunks_)
        if (void *found = take_from(__chunks_->__start_, __chunks_->__cur_, bytes, alignment))
            return found;
    size_t before = __chunks_ ? __chunks_->__allocation_size()
        : __initial_.__start_ ? __initial_.__end_ - __initial_.__start_
                              : __initial_.__size_;
    size_t room = before * 2 > bytes ? before * 2 : bytes;
    constexpr size_t aligned = alignof(__chunk_footer);
    if (alignment < aligned)
        alignment = aligned;
    room = (room + alignment - 1) & ~(alignment - 1);
    auto *start = static_cast<char *>(__res_->allocate(room + sizeof(__chunk_footer), alignment));
    auto *footer = reinterpret_cast<__chunk_footer *>(start + room);
    footer->__next_ = __chunks_;
    footer->__start_ = start;
    footer->__cur_ = start + room;
    footer->__align_ = alignment;
    __chunks_ = footer;
    return take_from(start, footer->__cur_, bytes, alignment);
}

// ---- pools ----

// What is handed out is kept where the library has its fixed pools.
static HandedOut *&kept_in(void *place) { return *static_cast<HandedOut **>(place); }

unsynchronized_pool_resource::unsynchronized_pool_resource(const pool_options &options, memory_resource *upstream)
    : __res_(upstream), __fixed_pools_(nullptr),
      __num_fixed_pools_(static_cast<int>(options.largest_required_pool_block)),
      __options_max_blocks_per_chunk_(static_cast<uint32_t>(options.max_blocks_per_chunk))
{
}
void unsynchronized_pool_resource::release() { take_all_back(kept_in(&__fixed_pools_), __res_); }
pool_options unsynchronized_pool_resource::options() const
{
    return { __options_max_blocks_per_chunk_, static_cast<size_t>(__num_fixed_pools_) };
}
void *unsynchronized_pool_resource::do_allocate(size_t bytes, size_t alignment)
{
    return hand_out(kept_in(&__fixed_pools_), __res_, bytes, alignment);
}
void unsynchronized_pool_resource::do_deallocate(void *memory, size_t, size_t)
{
    take_back(kept_in(&__fixed_pools_), __res_, memory);
}

bool synchronized_pool_resource::do_is_equal(const memory_resource &other) const noexcept { return this == &other; }

} // namespace pmr
} // namespace __1
} // namespace std
