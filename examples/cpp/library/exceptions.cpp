// Exceptions: what catches them, what they pass, what they may not pass. -DWRONG=N has a mistake.
//
// expect: rc11 verified executions=1
// expect: rc11 violated abort -DWRONG=1
// expect: rc11 violated assertion -DWRONG=2
// expect: rc11 violated -DWRONG=3
// expect: rc11 violated -DWRONG=4
// args: -std=c++20
#include <cassert>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>
#ifndef WRONG
#define WRONG 0
#endif

struct Base {
    virtual ~Base() = default;
    virtual int number() const { return 1; }
};
struct Other {
    int other = 9;
    virtual ~Other() = default;
};
struct Derived : Other, Base {
    int number() const override { return 2; }
};

static int destroyed = 0;
struct Noisy {
    ~Noisy() { destroyed++; }
};

int which(int n)
{
    try {
        Noisy noisy;
        switch (n) {
        case 0: throw 5;
        case 1: throw Derived();
        case 2: throw std::string("text");
        case 3: throw std::invalid_argument("argument");
        case 4: throw nullptr;
        case 5: throw new Derived;
        default: return 100;
        }
    } catch (int number) {
        return number;
    } catch (const Base &base) {
        return base.number();
    } catch (const std::string &text) {
        return static_cast<int>(text.size());
    } catch (const std::exception &error) {
        return error.what()[0];
    } catch (Base *pointer) {
        std::unique_ptr<Base> base(pointer);
        return base ? base->number() + 20 : 30;
    } catch (...) {
        return 50;
    }
}

int again()
{
    try {
        try {
            throw Derived();
        } catch (Base &base) {
            throw;
        }
    } catch (const Derived &derived) {
        return derived.number() + derived.other;
    }
}

struct Thrower {
    std::vector<Noisy> parts { 2 };
    Thrower() { throw std::runtime_error("in the constructor"); }
};

int nested()
{
    try {
        try {
            throw std::runtime_error("inner");
        } catch (...) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (const std::exception &outer) {
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::runtime_error &inner) {
            return std::string(inner.what()) == "inner";
        }
    }
    return 0;
}

void promises() noexcept
{
#if WRONG == 2
    throw 1;
#endif
}

int main()
{
    int wanted[] = { 5, 2, 4, 'a', 30, 22, 100 };
    for (int n = 0; n < 7; n++)
        assert(which(n) == wanted[n]);
    assert(destroyed == 7);
    assert(again() == 11);
    destroyed = 0;
    try {
        Thrower thrower;
    } catch (const std::runtime_error &) {
    }
    assert(destroyed == 2);
    assert(nested());
    promises();

    std::exception_ptr passed;
    std::thread other([&passed] {
        try {
            throw std::length_error("long");
        } catch (...) {
            passed = std::current_exception();
        }
    });
    other.join();
    try {
        std::rethrow_exception(passed);
    } catch (const std::logic_error &error) {
        assert(std::string(error.what()) == "long");
        assert(typeid(error) == typeid(std::length_error));
    }
    try {
        std::vector<int>(2).at(5);
        assert(false);
    } catch (const std::out_of_range &) {
    }
    assert(std::uncaught_exceptions() == 0);
#if WRONG == 1
    throw std::runtime_error("nobody");
#elif WRONG == 3
    std::thread([] { throw 3; }).join();
#elif WRONG == 4
    struct Bad {
        ~Bad() noexcept(false) { throw 1; }
    };
    try {
        Bad bad;
        throw 2;
    } catch (...) {
    }
#endif
}
