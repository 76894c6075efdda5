// Hazard pointers that whoever frees need not see.
//
// expect: rc11 violated use-after-free
#define ANNOUNCED std::memory_order_acq_rel
#include "hazard.cpp"
