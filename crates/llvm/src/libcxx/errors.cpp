// Exceptions and errors of the system, as the headers of libc++ declare them.

#include <any>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <variant>

// For `make_exception_ptr`.
__cxxabiv1::__cxa_exception *__cxxabiv1::__cxa_init_primary_exception(
    void *object, std::type_info *type, void (*destroy)(void *)) throw()
{
    prepare(object, type, destroy);
    return nullptr;
}

namespace std {

// ---- what keeps an exception ----

exception_ptr::exception_ptr(const exception_ptr &other) noexcept : __ptr_(other.__ptr_)
{
    if (__ptr_)
        keep(__ptr_);
}
exception_ptr &exception_ptr::operator=(const exception_ptr &other) noexcept
{
    exception_ptr copy(other);
    swap(copy, *this);
    return *this;
}
exception_ptr::~exception_ptr() noexcept
{
    if (__ptr_)
        release(header_of(__ptr_));
}
exception_ptr exception_ptr::__from_native_exception_pointer(void *object) noexcept
{
    exception_ptr result;
    keep(object);
    result.__ptr_ = object;
    return result;
}
exception_ptr current_exception() noexcept
{
    exception_ptr result;
    result.__ptr_ = keep_caught();
    return result;
}
void rethrow_exception(exception_ptr pointer)
{
    if (!pointer.__ptr_)
        terminate();
    throw_kept(pointer.__ptr_);
}

nested_exception::nested_exception() noexcept : __ptr_(current_exception()) { }
void nested_exception::rethrow_nested() const
{
    if (!__ptr_)
        terminate();
    rethrow_exception(__ptr_);
}

bad_alloc::bad_alloc() noexcept { }
bad_array_new_length::bad_array_new_length() noexcept { }
bad_cast::bad_cast() noexcept { }
bad_typeid::bad_typeid() noexcept { }
void __throw_bad_alloc() { throw bad_alloc(); }

inline namespace __1 {
void __throw_runtime_error(const char *message) { throw runtime_error(message); }
void __libcpp_verbose_abort(const char *message, ...) noexcept { selvedge_error(message); }
} // namespace __1

// ---- messages: one word, the address of a text that is counted ----

namespace {
struct Counted {
    long references;
    char text[1];
};

const char *counted(const char *message, size_t length)
{
    auto *made = static_cast<Counted *>(malloc(sizeof(long) + length + 1));
    made->references = 1;
    __builtin_memcpy(made->text, message, length);
    made->text[length] = 0;
    return made->text;
}

Counted *counted_of(const char *text)
{
    return reinterpret_cast<Counted *>(const_cast<char *>(text) - offsetof(Counted, text));
}
} // namespace

__libcpp_refstring::__libcpp_refstring(const char *message)
    : __imp_(counted(message, __builtin_strlen(message)))
{
}
__libcpp_refstring::__libcpp_refstring(const __libcpp_refstring &other) noexcept : __imp_(other.__imp_)
{
    __atomic_add_fetch(&counted_of(__imp_)->references, 1, __ATOMIC_RELAXED);
}
__libcpp_refstring &__libcpp_refstring::operator=(const __libcpp_refstring &other) noexcept
{
    __atomic_add_fetch(&counted_of(other.__imp_)->references, 1, __ATOMIC_RELAXED);
    this->~__libcpp_refstring();
    __imp_ = other.__imp_;
    return *this;
}
__libcpp_refstring::~__libcpp_refstring()
{
    if (__atomic_sub_fetch(&counted_of(__imp_)->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(counted_of(__imp_));
}

#define SELVEDGE_ROOT(type)                                                                  \
    type::type(const char *message) : __imp_(message) { }                                    \
    type::type(const string &message) : __imp_(message.c_str()) { }                          \
    type::type(const type &other) noexcept : exception(other), __imp_(other.__imp_) { }      \
    type &type::operator=(const type &other) noexcept                                        \
    {                                                                                        \
        __imp_ = other.__imp_;                                                               \
        return *this;                                                                        \
    }                                                                                        \
    type::~type() noexcept { }                                                               \
    const char *type::what() const noexcept { return __imp_.c_str(); }

SELVEDGE_ROOT(logic_error)
SELVEDGE_ROOT(runtime_error)

domain_error::~domain_error() noexcept { }
invalid_argument::~invalid_argument() noexcept { }
length_error::~length_error() noexcept { }
out_of_range::~out_of_range() noexcept { }
range_error::~range_error() noexcept { }
overflow_error::~overflow_error() noexcept { }
underflow_error::~underflow_error() noexcept { }

#define SELVEDGE_NAMED(type)                   \
    type::~type() noexcept { }                 \
    const char *type::what() const noexcept { return "std::" #type; }

SELVEDGE_NAMED(bad_weak_ptr)
SELVEDGE_NAMED(bad_function_call)
SELVEDGE_NAMED(bad_optional_access)
const char *bad_any_cast::what() const noexcept { return "std::bad_any_cast"; }
const char *bad_variant_access::what() const noexcept { return "std::bad_variant_access"; }

// ---- errors of the system ----

error_category::~error_category() noexcept { }
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

namespace {
struct Category final : error_category {
    const char *text;
    constexpr Category(const char *text) : text(text) { }
    const char *name() const noexcept override { return text; }
    string message(int) const override { return text; }
};
[[clang::no_destroy]] constinit Category generic { "generic" }, system_wide { "system" },
    of_futures { "future" }, of_streams { "iostream" };
} // namespace

inline namespace __1 {
const error_category &generic_category() noexcept { return generic; }
const error_category &system_category() noexcept { return system_wide; }
const error_category &future_category() noexcept { return of_futures; }
const error_category &iostream_category() noexcept { return of_streams; }
void __throw_system_error(int number, const char *message) { throw system_error(number, generic, message); }
} // namespace __1

string error_code::message() const { return __cat_->message(__val_); }
string error_condition::message() const { return __cat_->message(__val_); }

system_error::system_error(error_code code, const string &message) : runtime_error(message), __ec_(code) { }
system_error::system_error(error_code code, const char *message) : runtime_error(message), __ec_(code) { }
system_error::system_error(error_code code) : runtime_error("std::system_error"), __ec_(code) { }
system_error::system_error(int number, const error_category &category, const string &message)
    : runtime_error(message), __ec_(number, category)
{
}
system_error::system_error(int number, const error_category &category, const char *message)
    : runtime_error(message), __ec_(number, category)
{
}
system_error::system_error(int number, const error_category &category)
    : runtime_error("std::system_error"), __ec_(number, category)
{
}
system_error::~system_error() noexcept { }

} // namespace std
