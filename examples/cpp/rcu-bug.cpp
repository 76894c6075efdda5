// The updater does not wait for readers.
//
// expect: rc11 violated use-after-free
#define WAIT false
#include "rcu.cpp"
