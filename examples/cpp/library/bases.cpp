// Exceptions that are caught as a base, by reference, while others are on their way, and by several threads.
// -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified executions=1 -DPART=virtual_bases
// expect: rc11 verified executions=1 -DPART=ambiguous
// expect: rc11 verified executions=1 -DPART=pointers
// expect: rc11 verified executions=1 -DPART=on_the_way
// expect: rc11 verified -DPART=shared
// expect: rc11 violated abort -DPART=ambiguous -DWRONG=1
// expect: rc11 violated assertion -DPART=on_the_way -DWRONG=2
// args: -std=c++20
#include <cassert>
#include <exception>
#include <stdexcept>
#include <thread>
#ifndef WRONG
#define WRONG 0
#endif

struct Top {
    int top = 3;
    virtual ~Top() = default;
};
struct Left : virtual Top { int left = 1; };
struct Right : virtual Top { int right = 2; };
struct Both : Left, Right { };

void virtual_bases()
{
    int caught = 0;
    try {
        throw Both();
    } catch (Top &top) {
        caught += top.top;
    }
    try {
        throw Both();
    } catch (Top top) {
        caught += top.top;
    }
    static Both both;
    try {
        throw &both;
    } catch (Top *top) {
        caught += top->top;
    }
    assert(caught == 9);
}

struct Plain { int number = 1; };
struct One : Plain { };
struct Two : Plain { };
struct Twice : One, Two { };
struct Hidden : private Plain { };

void ambiguous()
{
    int caught = 0;
    try {
        throw Twice();
    } catch (Plain &) {
        caught = 100;
#if WRONG != 1
    } catch (One &) {
        caught += 1;
#endif
    }
    try {
        throw Hidden();
    } catch (Plain &) {
        caught = 100;
    } catch (...) {
        caught += 2;
    }
    assert(caught == 3);
}

void pointers()
{
    static int number = 4;
    static Twice twice;
    int caught = 0;
    try {
        throw &number;
    } catch (int *&pointer) {
        caught += *pointer;
    }
    try {
        throw &twice;
    } catch (Two *const &two) {
        caught += two->number;
    }
    try {
        throw pointers;
    } catch (void *) {
        caught = 100;
    } catch (void (*function)()) {
        caught += function == pointers;
    }
    assert(caught == 6);
}

struct Careful {
    ~Careful()
    {
        try {
            throw std::runtime_error("on the way");
        } catch (const std::exception &) {
        }
    }
};

void on_the_way()
{
    auto fails = [] {
        Careful careful;
        throw 7;
    };
    int caught = 0;
    try {
        Careful careful;
        fails();
    } catch (int number) {
        caught = number;
    }
    assert(caught == (WRONG == 2 ? 8 : 7));
}

void shared()
{
    static const std::exception_ptr kept = std::make_exception_ptr(7);
    auto ask = [] {
        try {
            std::rethrow_exception(kept);
        } catch (int number) {
            assert(number == 7);
        }
    };
    std::thread other(ask);
    ask();
    other.join();
}

int main() { PART(); }
