// What programs ask of the machine and set without effect.
// expect: rc11 verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static void *t(void *x) { prctl(PR_SET_NAME, "t"); return x; }
int main(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    assert(n == 2 && sysconf(_SC_PAGESIZE) == getpagesize());
    cpu_set_t set;
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(1, &set) && !CPU_ISSET(2, &set));
    int cpu = sched_getcpu();
    assert(cpu >= 0 && cpu < n);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    signal(SIGPIPE, SIG_IGN);
    pthread_attr_t attr;
    size_t size;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 16);
    pthread_attr_setguardsize(&attr, 4096);
    assert(pthread_attr_getstacksize(&attr, &size) == 0);
    pthread_t p;
    pthread_create(&p, &attr, t, 0);
    pthread_setaffinity_np(p, sizeof set, &set);
    pthread_setname_np(p, "t");
    pthread_join(p, 0);
    pthread_attr_destroy(&attr);
    return 0;
}
