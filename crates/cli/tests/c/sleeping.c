// Calls that sleep do nothing else, and nothing comes to wake who waits for a signal.
// expect: rc11 verified
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <sys/select.h>
int main(void) {
    struct timeval tv = {0, 10};
    assert(poll(0, 0, 10) == 0);
    assert(select(0, 0, 0, 0, &tv) == 0);
    return 0;
}
