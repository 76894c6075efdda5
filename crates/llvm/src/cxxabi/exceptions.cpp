// What the Itanium C++ ABI asks of a library, whichever headers a program has: memory, exceptions, objects
// that functions keep, and classes of exceptions that compilers know.

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

#include <pthread.h>

extern "C" {
// Throws; the exception has this type.
[[noreturn]] void __selvedge_throw(void *object, void *type);
[[noreturn]] void _Unwind_Resume(void *object);
// Of what landing pads are given: its address as the type that it was caught as.
char *__selvedge_adjusted(void *exception);
// Of a pointer that was caught: 1, and twice how far what it was caught as is from what it points to; else 0.
long __selvedge_caught_pointer(void *exception);
// The class that it was caught as, or a pointer to it, if that is a virtual base.
const Class *__selvedge_caught_virtually(void *exception);
// It is caught.
void __selvedge_taken(void *exception);
// Ends with an error of this text.
[[noreturn]] void selvedge_error(const char *message);
void __selvedge_block(int);
}

// ---- memory ----

void *operator new(std::size_t size) { return std::malloc(size ? size : 1); }
void *operator new[](std::size_t size) { return operator new(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return std::malloc(size ? size : 1); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return std::malloc(size ? size : 1); }
void *operator new(std::size_t size, std::align_val_t align) { return std::aligned_alloc((std::size_t)align, size); }
void *operator new[](std::size_t size, std::align_val_t align) { return operator new(size, align); }
void operator delete(void *object) noexcept { std::free(object); }
void operator delete[](void *object) noexcept { std::free(object); }
void operator delete(void *object, std::size_t) noexcept { std::free(object); }
void operator delete[](void *object, std::size_t) noexcept { std::free(object); }
void operator delete(void *object, std::align_val_t) noexcept { std::free(object); }
void operator delete[](void *object, std::align_val_t) noexcept { std::free(object); }
void operator delete(void *object, std::size_t, std::align_val_t) noexcept { std::free(object); }
void operator delete[](void *object, std::size_t, std::align_val_t) noexcept { std::free(object); }
void operator delete(void *object, const std::nothrow_t &) noexcept { std::free(object); }

// ---- exceptions ----

namespace {

// Stands before what is thrown.
struct Header {
    Header *next; // among those that are caught
    void *type;
    void (*destroy)(void *);
    int handlers;  // that have it; negative while it is thrown again
    int references; // by `exception_ptr`
    // What is thrown, if it was thrown before and kept in an `exception_ptr`: threads share only that.
    void *other;
};

constexpr std::size_t HEADER = (sizeof(Header) + 15) / 16 * 16;

// What landing pads are given is so far before what is thrown: some know that (pointers that are caught by
// reference).
constexpr std::size_t UNWINDING = 32;
static_assert(UNWINDING <= HEADER);

void *exception_of(void *object) { return static_cast<char *>(object) - UNWINDING; }

Header *header_of(void *object) { return reinterpret_cast<Header *>(static_cast<char *>(object) - HEADER); }
void *object_of(Header *header) { return reinterpret_cast<char *>(header) + HEADER; }

thread_local Header *caught = nullptr;
thread_local int uncaught = 0;

// What a handler is given.
void *thrown(Header *header) { return header->other ? header->other : object_of(header); }

void release(Header *header)
{
    if (header->other) {
        release(header_of(header->other));
        std::free(header);
        return;
    }
    if (__atomic_sub_fetch(&header->references, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (header->destroy)
        header->destroy(object_of(header));
    std::free(header);
}

// What is thrown is to be destroyed by this.
void prepare(void *object, void *type, void (*destroy)(void *))
{
    Header *header = header_of(object);
    header->type = type;
    header->destroy = destroy;
}

// Somebody else keeps it.
void keep(void *object) { __atomic_add_fetch(&header_of(object)->references, 1, __ATOMIC_ACQ_REL); }

// What an `exception_ptr` to the exception that was caught last has; nothing if there is none.
void *keep_caught()
{
    if (!caught)
        return nullptr;
    keep(thrown(caught));
    return thrown(caught);
}

// Throws what an `exception_ptr` has.
[[noreturn]] void throw_kept(void *object)
{
    keep(object);
    auto *header = static_cast<Header *>(std::malloc(HEADER));
    *header = Header {};
    header->type = header_of(object)->type;
    header->other = object;
    ++uncaught;
    __selvedge_throw(exception_of(object_of(header)), header->type);
}

} // namespace

extern "C" {

void *__cxa_allocate_exception(std::size_t size) noexcept
{
    auto *header = static_cast<Header *>(std::malloc(HEADER + size));
    *header = Header {};
    return object_of(header);
}

void __cxa_free_exception(void *object) noexcept { std::free(header_of(object)); }

[[noreturn]] void __cxa_throw(void *object, void *type, void (*destroy)(void *))
{
    Header *header = header_of(object);
    prepare(object, type, destroy);
    header->references = 1;
    ++uncaught;
    __selvedge_throw(exception_of(object), type);
}

void *__cxa_get_exception_ptr(void *exception) noexcept
{
    Header *header = header_of(static_cast<char *>(exception) + UNWINDING);
    auto *object = static_cast<char *>(thrown(header));
    auto *type = static_cast<const Class *>(header->type);
    const Class *base = __selvedge_caught_virtually(exception);
    if (long pointer = __selvedge_caught_pointer(exception)) {
        // Pointers are caught by their values.
        char *value;
        __builtin_memcpy(&value, object, sizeof value);
        if (!value)
            return nullptr;
        auto *class_of = reinterpret_cast<const Pointer *>(type)->to;
        return base ? part_of(value, class_of, base) : value + (pointer >> 1);
    }
    auto offset = __selvedge_adjusted(exception) - static_cast<char *>(exception);
    return base ? part_of(object, type, base) : object + offset;
}

void *__cxa_begin_catch(void *exception) noexcept
{
    Header *header = header_of(static_cast<char *>(exception) + UNWINDING);
    void *adjusted = __cxa_get_exception_ptr(exception);
    __selvedge_taken(exception);
    header->handlers = (header->handlers < 0 ? -header->handlers : header->handlers) + 1;
    if (caught != header) {
        header->next = caught;
        caught = header;
    }
    --uncaught;
    return adjusted;
}

void __cxa_end_catch()
{
    Header *header = caught;
    if (!header)
        return;
    if (header->handlers < 0) {
        // It is thrown again: whoever catches it next takes it over.
        if (++header->handlers == 0)
            caught = header->next;
    } else if (--header->handlers == 0) {
        caught = header->next;
        release(header);
    }
}

[[noreturn]] void __cxa_rethrow()
{
    Header *header = caught;
    if (!header)
        std::terminate();
    header->handlers = -header->handlers;
    ++uncaught;
    __selvedge_throw(exception_of(object_of(header)), header->type);
}

int __cxa_uncaught_exceptions_count() { return uncaught; }

[[noreturn]] void __cxa_pure_virtual() { selvedge_error("a pure virtual function is called"); }
[[noreturn]] void __cxa_deleted_virtual() { selvedge_error("a deleted virtual function is called"); }
[[noreturn]] void __cxa_bad_cast() { throw std::bad_cast(); }
[[noreturn]] void __cxa_bad_typeid() { throw std::bad_typeid(); }
[[noreturn]] void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

// Functions that run at the end are given to `atexit` one by one; those of local objects of functions, too.
struct AtExit {
    void (*run)(void *);
    void *object;
    AtExit *next;
};
static AtExit *at_exit = nullptr;
static pthread_mutex_t at_exit_lock = PTHREAD_MUTEX_INITIALIZER;

static void run_at_exit()
{
    for (;;) {
        pthread_mutex_lock(&at_exit_lock);
        AtExit *first = at_exit;
        if (first)
            at_exit = first->next;
        pthread_mutex_unlock(&at_exit_lock);
        if (!first)
            return;
        first->run(first->object);
        std::free(first);
    }
}

int __cxa_atexit(void (*run)(void *), void *object, void *)
{
    auto *entry = static_cast<AtExit *>(std::malloc(sizeof(AtExit)));
    entry->run = run;
    entry->object = object;
    pthread_mutex_lock(&at_exit_lock);
    bool first = !at_exit;
    entry->next = at_exit;
    at_exit = entry;
    pthread_mutex_unlock(&at_exit_lock);
    if (first)
        std::atexit(run_at_exit);
    return 0;
}

// Objects that a function keeps: the first byte is 1 when one is there, the second while it is made.
int __cxa_guard_acquire(unsigned char *guard)
{
    unsigned char expected = 0;
    if (__atomic_load_n(guard, __ATOMIC_ACQUIRE))
        return 0;
    if (__atomic_compare_exchange_n(guard + 1, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return 1;
    // Whoever makes it is not done, or was done since this one looked: then it could have looked later.
    __selvedge_block(expected == 2 ? 0 : 1);
    __builtin_unreachable();
}

void __cxa_guard_release(unsigned char *guard)
{
    __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
    __atomic_store_n(guard + 1, 2, __ATOMIC_RELAXED);
}

void __cxa_guard_abort(unsigned char *guard) { __atomic_store_n(guard + 1, 0, __ATOMIC_RELEASE); }

} // extern "C"

namespace std {

void terminate() noexcept { selvedge_error("std::terminate is called"); }
int uncaught_exceptions() noexcept { return uncaught; }
bool uncaught_exception() noexcept { return uncaught != 0; }

exception::~exception() noexcept { }
const char *exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() noexcept { }
const char *bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() noexcept { }
const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() noexcept { }
const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
bad_cast::~bad_cast() noexcept { }
const char *bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() noexcept { }
const char *bad_typeid::what() const noexcept { return "std::bad_typeid"; }
type_info::~type_info() { }
nested_exception::~nested_exception() noexcept { }

} // namespace std
