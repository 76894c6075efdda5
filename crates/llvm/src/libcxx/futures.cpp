// What futures share with whoever fulfils them, and what happens where a thread ends.

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace std {

// ---- what happens where a thread ends ----

namespace {
struct AtEnd {
    condition_variable *changed;
    mutex *held;
    __assoc_sub_state *result;
    AtEnd *next;
};
AtEnd *list_of(__thread_struct_imp *first) { return reinterpret_cast<AtEnd *>(first); }
__thread_struct_imp *first_of(AtEnd *list) { return reinterpret_cast<__thread_struct_imp *>(list); }
} // namespace

__thread_struct::__thread_struct() : __p_(nullptr) { }
__thread_struct::~__thread_struct()
{
    // Those that came first are first.
    AtEnd *first = nullptr;
    for (AtEnd *one = list_of(__p_); one;) {
        AtEnd *next = one->next;
        one->next = first;
        first = one;
        one = next;
    }
    while (first) {
        AtEnd *one = first;
        first = one->next;
        if (one->result) {
            one->result->__make_ready();
            one->result->__release_shared();
        } else {
            one->held->unlock();
            one->changed->notify_all();
        }
        delete one;
    }
}
void __thread_struct::notify_all_at_thread_exit(condition_variable *changed, mutex *held)
{
    __p_ = first_of(new AtEnd {changed, held, nullptr, list_of(__p_)});
}
void __thread_struct::__make_ready_at_thread_exit(__assoc_sub_state *result)
{
    result->__add_shared();
    __p_ = first_of(new AtEnd {nullptr, nullptr, result, list_of(__p_)});
}

inline namespace __1 {
__thread_specific_ptr<__thread_struct> &__thread_local_data()
{
    [[clang::no_destroy]] static __thread_specific_ptr<__thread_struct> data;
    return data;
}

void notify_all_at_thread_exit(condition_variable &changed, unique_lock<mutex> lock)
{
    auto &data = __thread_local_data();
    if (!data.get())
        data.set_pointer(new __thread_struct);
    data->notify_all_at_thread_exit(&changed, lock.release());
}
} // namespace __1

// ---- the state ----

future_error::future_error(error_code code) : logic_error("std::future_error"), __ec_(code) { }
future_error::~future_error() noexcept { }

void __assoc_sub_state::__on_zero_shared() noexcept { delete this; }

void __assoc_sub_state::set_value()
{
    unique_lock<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __state_ |= __constructed | ready;
    __cv_.notify_all();
}
void __assoc_sub_state::set_value_at_thread_exit()
{
    unique_lock<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __state_ |= __constructed;
    __thread_local_data()->__make_ready_at_thread_exit(this);
}
void __assoc_sub_state::set_exception(exception_ptr exception)
{
    unique_lock<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __exception_ = exception;
    __state_ |= ready;
    __cv_.notify_all();
}
void __assoc_sub_state::set_exception_at_thread_exit(exception_ptr exception)
{
    unique_lock<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __exception_ = exception;
    __thread_local_data()->__make_ready_at_thread_exit(this);
}
void __assoc_sub_state::__make_ready()
{
    unique_lock<mutex> lock(__mut_);
    __state_ |= ready;
    __cv_.notify_all();
}
void __assoc_sub_state::copy()
{
    unique_lock<mutex> lock(__mut_);
    __sub_wait(lock);
    if (__exception_)
        rethrow_exception(__exception_);
}
void __assoc_sub_state::wait()
{
    unique_lock<mutex> lock(__mut_);
    __sub_wait(lock);
}
// Whoever makes it ready always tells, so nobody waits in vain: a thread that comes too early waits until
// the state is another one, and comes once.
void __assoc_sub_state::__sub_wait(unique_lock<mutex> &lock)
{
    unsigned state = __state_;
    if (state & ready)
        return;
    if (state & deferred) {
        __state_ = state & ~static_cast<unsigned>(deferred);
        lock.unlock();
        __execute();
        return;
    }
    // Nothing may be read in between: that would be taken for what it waits for.
    pthread_mutex_unlock(__mut_.native_handle());
    __selvedge_block(2);
}
void __assoc_sub_state::__execute() { __throw_future_error(future_errc::no_state); }

promise<void>::promise() : __state_(new __assoc_sub_state) { }
promise<void>::~promise()
{
    if (!__state_)
        return;
    if (!__state_->__has_value() && __state_->use_count() > 1)
        __state_->set_exception(
            make_exception_ptr(future_error(make_error_code(future_errc::broken_promise))));
    __state_->__release_shared();
}
future<void> promise<void>::get_future()
{
    if (!__state_)
        __throw_future_error(future_errc::no_state);
    return future<void>(__state_);
}
void promise<void>::set_value()
{
    if (!__state_)
        __throw_future_error(future_errc::no_state);
    __state_->set_value();
}
void promise<void>::set_exception(exception_ptr exception)
{
    if (!__state_)
        __throw_future_error(future_errc::no_state);
    __state_->set_exception(exception);
}
void promise<void>::set_value_at_thread_exit()
{
    if (!__state_)
        __throw_future_error(future_errc::no_state);
    __state_->set_value_at_thread_exit();
}
void promise<void>::set_exception_at_thread_exit(exception_ptr exception)
{
    if (!__state_)
        __throw_future_error(future_errc::no_state);
    __state_->set_exception_at_thread_exit(exception);
}

future<void>::future(__assoc_sub_state *state) : __state_(state) { __state_->__attach_future(); }
future<void>::~future()
{
    if (__state_)
        __state_->__release_shared();
}
void future<void>::get()
{
    unique_ptr<__shared_count, __release_shared_count> keeps(__state_);
    auto *state = __state_;
    __state_ = nullptr;
    state->copy();
}
shared_future<void>::~shared_future()
{
    if (__state_)
        __state_->__release_shared();
}
shared_future<void> &shared_future<void>::operator=(const shared_future &other)
{
    if (other.__state_)
        other.__state_->__add_shared();
    if (__state_)
        __state_->__release_shared();
    __state_ = other.__state_;
    return *this;
}

} // namespace std

// Where `Reduction::Library` holds, the pointer of a thread is a variable of it, which ends after all others.
namespace {
struct Kept {
    std::__thread_struct *thread = nullptr;
    ~Kept() { delete thread; }
};
thread_local Kept kept;
char no_key[sizeof(std::__thread_specific_ptr<std::__thread_struct>)];
} // namespace

extern "C" {
void *__selvedge_libcxx_thread_data() { return no_key; }
void __selvedge_libcxx_set_thread(void *, std::__thread_struct *thread) { kept.thread = thread; }
std::__thread_struct *__selvedge_libcxx_get_thread(void *) { return kept.thread; }
}
