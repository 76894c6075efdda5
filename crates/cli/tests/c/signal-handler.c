// Handlers are kept, and never called.
// expect: sc verified
#include <assert.h>
#include <signal.h>
#include <sys/epoll.h>
int calls;
static void handler(int number) { calls += number; }
int main(void) {
    assert(signal(SIGINT, handler) == SIG_DFL);
    struct sigaction now = {.sa_handler = SIG_IGN}, was;
    assert(sigaction(SIGINT, &now, &was) == 0 && was.sa_handler == handler);
    assert(signal(SIGINT, SIG_DFL) == SIG_IGN);
    assert(signal(1000, handler) == SIG_ERR);
    struct epoll_event event;
    assert(epoll_wait(epoll_create1(0), &event, 1, 10) == 0);
    assert(calls == 0);
    return 0;
}
