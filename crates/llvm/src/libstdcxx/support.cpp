// What the headers of libstdc++ leave to its library: exceptions, threads, condition variables, trees, strings.
//
// It is compiled along with every program in C++, and only what the program reaches stays. Names and layouts are
// those that the headers declare and the Itanium C++ ABI asks for. What waits does so by POSIX functions, which have
// their own meaning to the machine that runs the program.

#include <bits/stl_tree.h>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>

#include <pthread.h>

// For `make_exception_ptr`.
__cxxabiv1::__cxa_refcounted_exception *__cxxabiv1::__cxa_init_primary_exception(
    void *object, std::type_info *type, void (*destroy)(void *)) noexcept
{
    prepare(object, type, destroy);
    return nullptr;
}

namespace std {

void unexpected() { terminate(); }
bad_function_call::~bad_function_call() noexcept { }
const char *bad_function_call::what() const noexcept { return "std::bad_function_call"; }
void __throw_bad_function_call() { throw bad_function_call(); }

namespace __exception_ptr {
exception_ptr::exception_ptr(void *object) noexcept : _M_exception_object(object) { _M_addref(); }
void exception_ptr::_M_addref() noexcept
{
    if (_M_exception_object)
        keep(_M_exception_object);
}
void exception_ptr::_M_release() noexcept
{
    if (_M_exception_object)
        release(header_of(_M_exception_object));
    _M_exception_object = nullptr;
}
void *exception_ptr::_M_get() const noexcept { return _M_exception_object; }
const type_info *exception_ptr::__cxa_exception_type() const noexcept
{
    return static_cast<const type_info *>(header_of(_M_exception_object)->type);
}
} // namespace __exception_ptr

exception_ptr current_exception() noexcept
{
    exception_ptr result;
    void *object = keep_caught();
    __builtin_memcpy(static_cast<void *>(&result), &object, sizeof object);
    return result;
}

void rethrow_exception(exception_ptr pointer)
{
    void *object;
    __builtin_memcpy(&object, static_cast<void *>(&pointer), sizeof object);
    throw_kept(object);
}

// Messages of exceptions: one word, the address of a text that is counted, as the headers' strings of the old
// kind are.
struct Counted {
    long references;
    char text[1];
};

static Counted *counted(const char *message, size_t length)
{
    auto *made = static_cast<Counted *>(malloc(sizeof(long) + length + 1));
    made->references = 1;
    __builtin_memcpy(made->text, message, length);
    made->text[length] = 0;
    return made;
}

static Counted *counted_of(const char *text)
{
    return reinterpret_cast<Counted *>(const_cast<char *>(text) - offsetof(Counted, text));
}

__cow_string::__cow_string() : _M_p(counted("", 0)->text) { }
__cow_string::__cow_string(const std::string &message) : _M_p(counted(message.data(), message.size())->text) { }
__cow_string::__cow_string(const char *message, size_t length) : _M_p(counted(message, length)->text) { }
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(other._M_p)
{
    __atomic_add_fetch(&counted_of(_M_p)->references, 1, __ATOMIC_RELAXED);
}
__cow_string::__cow_string(__cow_string &&other) noexcept : __cow_string(other) { }
__cow_string &__cow_string::operator=(const __cow_string &other) noexcept
{
    __atomic_add_fetch(&counted_of(other._M_p)->references, 1, __ATOMIC_RELAXED);
    this->~__cow_string();
    _M_p = other._M_p;
    return *this;
}
__cow_string &__cow_string::operator=(__cow_string &&other) noexcept { return *this = other; }
__cow_string::~__cow_string()
{
    if (__atomic_sub_fetch(&counted_of(_M_p)->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(counted_of(_M_p));
}

logic_error::logic_error(const char *message) : _M_msg(message, __builtin_strlen(message)) { }
logic_error::logic_error(const std::string &message) : _M_msg(message) { }
logic_error::logic_error(const logic_error &other) noexcept : exception(other), _M_msg(other._M_msg) { }
logic_error::logic_error(logic_error &&other) noexcept : exception(other), _M_msg(other._M_msg) { }
logic_error &logic_error::operator=(const logic_error &) noexcept = default;
logic_error &logic_error::operator=(logic_error &&) noexcept = default;
logic_error::~logic_error() noexcept { }
const char *logic_error::what() const noexcept { return _M_msg._M_p; }
runtime_error::runtime_error(const char *message) : _M_msg(message, __builtin_strlen(message)) { }
runtime_error::runtime_error(const std::string &message) : _M_msg(message) { }
runtime_error::runtime_error(const runtime_error &other) noexcept : exception(other), _M_msg(other._M_msg) { }
runtime_error::runtime_error(runtime_error &&other) noexcept : exception(other), _M_msg(other._M_msg) { }
runtime_error &runtime_error::operator=(const runtime_error &) noexcept = default;
runtime_error &runtime_error::operator=(runtime_error &&) noexcept = default;
runtime_error::~runtime_error() noexcept { }
const char *runtime_error::what() const noexcept { return _M_msg._M_p; }

#define SELVEDGE_ERROR(type, base)                              \
    type::type(const char *message) : base(message) { }         \
    type::type(const std::string &message) : base(message) { }  \
    type::~type() noexcept { }

SELVEDGE_ERROR(domain_error, logic_error)
SELVEDGE_ERROR(invalid_argument, logic_error)
SELVEDGE_ERROR(length_error, logic_error)
SELVEDGE_ERROR(out_of_range, logic_error)
SELVEDGE_ERROR(range_error, runtime_error)
SELVEDGE_ERROR(overflow_error, runtime_error)
SELVEDGE_ERROR(underflow_error, runtime_error)

void __throw_logic_error(const char *message) { throw logic_error(message); }
void __throw_domain_error(const char *message) { throw domain_error(message); }
void __throw_invalid_argument(const char *message) { throw invalid_argument(message); }
void __throw_length_error(const char *message) { throw length_error(message); }
void __throw_out_of_range(const char *message) { throw out_of_range(message); }
void __throw_out_of_range_fmt(const char *message, ...) { throw out_of_range(message); }
void __throw_runtime_error(const char *message) { throw runtime_error(message); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_system_error(int number) { throw system_error(number, generic_category()); }
void __throw_future_error(int number) { throw future_error(make_error_code(future_errc(number))); }

// ---- errors of the system ----

error_category::~error_category() { }
error_condition error_category::default_error_condition(int number) const noexcept
{
    return error_condition(number, *this);
}
bool error_category::equivalent(int number, const error_condition &condition) const noexcept
{
    return default_error_condition(number) == condition;
}
bool error_category::equivalent(const error_code &code, int number) const noexcept
{
    return *this == code.category() && code.value() == number;
}
#if _GLIBCXX_USE_CXX11_ABI
__cow_string error_category::_M_message(int) const { return __cow_string("error", 5); }
#endif

namespace {
struct Category final : error_category {
    const char *text;
    constexpr Category(const char *text) : text(text) { }
    const char *name() const noexcept override { return text; }
    std::string message(int) const override { return text; }
};
[[clang::no_destroy]] constinit Category generic { "generic" }, system_wide { "system" }, of_futures { "future" };
} // namespace

inline namespace _V2 {
const error_category &generic_category() noexcept { return generic; }
const error_category &system_category() noexcept { return system_wide; }
} // namespace _V2
const error_category &future_category() noexcept { return of_futures; }
system_error::~system_error() noexcept { }
future_error::~future_error() noexcept { }
const char *future_error::what() const noexcept { return "std::future_error"; }

// ---- threads ----

thread::_State::~_State() = default;

static void *run_thread(void *argument)
{
    thread::_State_ptr state { static_cast<thread::_State *>(argument) };
    state->_M_run();
    return nullptr;
}

void thread::_M_start_thread(_State_ptr state, void (*)())
{
    pthread_create(&_M_id._M_thread, nullptr, run_thread, state.release());
}

void thread::join()
{
    if (_M_id == id())
        __throw_system_error(22);
    pthread_join(_M_id._M_thread, nullptr);
    _M_id = id();
}

void thread::detach()
{
    if (_M_id == id())
        __throw_system_error(22);
    pthread_detach(_M_id._M_thread);
    _M_id = id();
}

unsigned thread::hardware_concurrency() noexcept { return 2; }

namespace this_thread {
void __sleep_for(chrono::seconds, chrono::nanoseconds) { }
}

condition_variable::condition_variable() noexcept = default;
condition_variable::~condition_variable() noexcept { }
void condition_variable::wait(unique_lock<mutex> &lock) { _M_cond.wait(*lock.mutex()); }
void condition_variable::notify_one() noexcept { _M_cond.notify_one(); }
void condition_variable::notify_all() noexcept { _M_cond.notify_all(); }

__thread void *__once_callable;
__thread void (*__once_call)();
extern "C" void __once_proxy() { __once_call(); }

// ---- futures ----

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

// ---- smart pointers ----

bool _Sp_make_shared_tag::_S_eq(const type_info &type) noexcept { return type == typeid(_Sp_make_shared_tag); }
bad_weak_ptr::~bad_weak_ptr() noexcept { }
const char *bad_weak_ptr::what() const noexcept { return "std::bad_weak_ptr"; }

// ---- lists and trees ----

namespace __detail {
void _List_node_base::_M_hook(_List_node_base *const position) noexcept
{
    _M_next = position;
    _M_prev = position->_M_prev;
    position->_M_prev->_M_next = this;
    position->_M_prev = this;
}
void _List_node_base::_M_unhook() noexcept
{
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}
void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept
{
    if (this == last)
        return;
    last->_M_prev->_M_next = this;
    first->_M_prev->_M_next = last;
    _M_prev->_M_next = first;
    _List_node_base *const before = _M_prev;
    _M_prev = last->_M_prev;
    last->_M_prev = first->_M_prev;
    first->_M_prev = before;
}
} // namespace __detail

// Trees are not kept balanced: programs that are checked have few nodes, and nothing else depends on it. The header's
// parent is the root, its left and right the first and the last node, and it alone is red.

template <class Node> static Node *next_of(Node *node)
{
    if (node->_M_right) {
        node = node->_M_right;
        while (node->_M_left)
            node = node->_M_left;
        return node;
    }
    Node *above = node->_M_parent;
    while (node == above->_M_right) {
        node = above;
        above = above->_M_parent;
    }
    // If the header is the parent of a root without anything to its right, it was come to once too often.
    return node->_M_right != above ? above : node;
}

template <class Node> static Node *previous_of(Node *node)
{
    if (node->_M_color == _S_red && node->_M_parent && node->_M_parent->_M_parent == node)
        return node->_M_right;
    if (node->_M_left) {
        node = node->_M_left;
        while (node->_M_right)
            node = node->_M_right;
        return node;
    }
    Node *above = node->_M_parent;
    while (node == above->_M_left) {
        node = above;
        above = above->_M_parent;
    }
    return above;
}

_Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *node) throw() { return next_of(node); }
const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *node) throw() { return next_of(node); }
_Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *node) throw() { return previous_of(node); }
const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *node) throw() { return previous_of(node); }

void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base *node, _Rb_tree_node_base *parent,
                                   _Rb_tree_node_base &header) throw()
{
    node->_M_parent = parent;
    node->_M_left = node->_M_right = nullptr;
    node->_M_color = _S_black;
    if (parent == &header) {
        header._M_parent = header._M_left = header._M_right = node;
    } else if (left) {
        parent->_M_left = node;
        if (parent == header._M_left)
            header._M_left = node;
    } else {
        parent->_M_right = node;
        if (parent == header._M_right)
            header._M_right = node;
    }
}

static void put_in_place(_Rb_tree_node_base *node, _Rb_tree_node_base *other, _Rb_tree_node_base &header)
{
    _Rb_tree_node_base *parent = node->_M_parent;
    if (parent == &header)
        header._M_parent = other;
    else if (parent->_M_left == node)
        parent->_M_left = other;
    else
        parent->_M_right = other;
    if (other)
        other->_M_parent = parent;
}

_Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const node, _Rb_tree_node_base &header) throw()
{
    if (header._M_left == node)
        header._M_left = node == header._M_right ? &header : next_of(node);
    if (header._M_right == node)
        header._M_right = header._M_left == &header ? &header : previous_of(node);
    if (!node->_M_left) {
        put_in_place(node, node->_M_right, header);
    } else if (!node->_M_right) {
        put_in_place(node, node->_M_left, header);
    } else {
        _Rb_tree_node_base *next = next_of(node);
        if (next->_M_parent != node) {
            put_in_place(next, next->_M_right, header);
            next->_M_right = node->_M_right;
            next->_M_right->_M_parent = next;
        }
        put_in_place(node, next, header);
        next->_M_left = node->_M_left;
        next->_M_left->_M_parent = next;
    }
    return node;
}

// Strings are instances of a template that the headers leave to the library.
template class basic_string<char>;

} // namespace std
