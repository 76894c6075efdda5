// `std::pmr`: buffers that only grow, and pools.

namespace std::pmr {

// ---- buffers that only grow ----

// At the end of each piece of memory: the one before, and how large it is.
class monotonic_buffer_resource::_Chunk {
public:
    _Chunk *before;
    size_t bytes, alignment;
};

void monotonic_buffer_resource::_M_new_buffer(size_t bytes, size_t alignment)
{
    if (alignment < alignof(_Chunk))
        alignment = alignof(_Chunk);
    size_t room = bytes > _M_next_bufsiz ? bytes : _M_next_bufsiz;
    room = (room + alignof(_Chunk) - 1) / alignof(_Chunk) * alignof(_Chunk);
    void *memory = _M_upstream->allocate(room + sizeof(_Chunk), alignment);
    auto *chunk = reinterpret_cast<_Chunk *>(static_cast<char *>(memory) + room);
    chunk->before = _M_head;
    chunk->bytes = room + sizeof(_Chunk);
    chunk->alignment = alignment;
    _M_head = chunk;
    _M_current_buf = memory;
    _M_avail = room;
    // Half as much again.
    _M_next_bufsiz += _M_next_bufsiz / 2;
}
void monotonic_buffer_resource::_M_release_buffers() noexcept
{
    while (_Chunk *chunk = _M_head) {
        _M_head = chunk->before;
        char *end = reinterpret_cast<char *>(chunk + 1);
        _M_upstream->deallocate(end - chunk->bytes, chunk->bytes, chunk->alignment);
    }
}
monotonic_buffer_resource::~monotonic_buffer_resource() { release(); }

// ---- pools ----

struct __pool_resource::_BigBlock {
    void *memory;
    size_t bytes, alignment;
};

__pool_resource::__pool_resource(const pool_options &options, memory_resource *upstream)
    : _M_opts(options), _M_unpooled(upstream), _M_npools(0)
{
}
__pool_resource::~__pool_resource() { release(); }
void *__pool_resource::allocate(size_t bytes, size_t alignment)
{
    void *memory = resource()->allocate(bytes, alignment);
    _M_unpooled.push_back({ memory, bytes, alignment });
    return memory;
}
void __pool_resource::deallocate(void *memory, size_t, size_t)
{
    for (_BigBlock &block : _M_unpooled) {
        if (block.memory != memory)
            continue;
        resource()->deallocate(memory, block.bytes, block.alignment);
        block = _M_unpooled.back();
        _M_unpooled.pop_back();
        return;
    }
    // It is not from here, or was given back before: an error, which this is found as.
    ::operator delete(memory);
    ::operator delete(memory);
}
void __pool_resource::release() noexcept
{
    for (_BigBlock &block : _M_unpooled)
        resource()->deallocate(block.memory, block.bytes, block.alignment);
    _M_unpooled.clear();
}

unsynchronized_pool_resource::unsynchronized_pool_resource(
    const pool_options &options, memory_resource *upstream)
    : _M_impl(options, upstream)
{
}
unsynchronized_pool_resource::~unsynchronized_pool_resource() { release(); }
void unsynchronized_pool_resource::release() { _M_impl.release(); }
void *unsynchronized_pool_resource::do_allocate(size_t bytes, size_t alignment)
{
    return _M_impl.allocate(bytes, alignment);
}
void unsynchronized_pool_resource::do_deallocate(void *memory, size_t bytes, size_t alignment)
{
    _M_impl.deallocate(memory, bytes, alignment);
}

synchronized_pool_resource::synchronized_pool_resource(const pool_options &options, memory_resource *upstream)
    : _M_impl(options, upstream)
{
}
synchronized_pool_resource::~synchronized_pool_resource() { release(); }
void synchronized_pool_resource::release()
{
    lock_guard<shared_mutex> held(_M_mx);
    _M_impl.release();
}
void *synchronized_pool_resource::do_allocate(size_t bytes, size_t alignment)
{
    lock_guard<shared_mutex> held(_M_mx);
    return _M_impl.allocate(bytes, alignment);
}
void synchronized_pool_resource::do_deallocate(void *memory, size_t bytes, size_t alignment)
{
    lock_guard<shared_mutex> held(_M_mx);
    _M_impl.deallocate(memory, bytes, alignment);
}

} // namespace std::pmr
