// What is read may be read after the second look at the counter.
//
// expect: rc11 violated assertion
#define LOOKED (void)0
#include "seqlock.cpp"
