// A thread that arrives does not wait for the others.
//
// expect: rc11 violated data-race
// args: -std=c++20
#define MEET (void)barrier.arrive()
#include "barrier.cpp"
