// The deque with fences that do not order what one announces and what it looks at.
//
// expect: rc11 violated assertion
#define BETWEEN std::memory_order_acq_rel
#include "chase-lev.cpp"
