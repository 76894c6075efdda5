// The receiver waits although something is there: the notification may have come before.
//
// expect: rc11 violated deadlock
#define WAIT filled.wait(lock)
#include "channel.cpp"
