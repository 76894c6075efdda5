// The queue with nodes that are linked without an ordering.
//
// expect: rc11 violated unpublished-object
#define LINK std::memory_order_relaxed
#include "ms-queue.cpp"
