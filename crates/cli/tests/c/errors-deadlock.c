// That threads wait for ever is all there is to an execution: other errors can be ruled out.
// expect: rc11 verified
// check: --errors assertion,data-race
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }
