// A slot is given back without an ordering.
//
// expect: rc11 violated data-race
#define GIVE_BACK std::memory_order_relaxed
#include "spsc.cpp"
