// The turn of a cell is looked at without an ordering.
//
// expect: rc11 violated data-race
#define TURN std::memory_order_relaxed
#include "mpmc.cpp"
