// What the program defines is used in place of the library's.
// expect: rc11 verified
#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>
static int called;
int sem_post(sem_t *s) { (void)s; called = 1; return 0; }
int atoi(const char *s) { (void)s; return 77; }
void __VERIFIER_loop_bound(int n) { called += n; }
int main(void) {
    sem_t s;
    sem_post(&s);
    __VERIFIER_loop_bound(2);
    assert(called == 3 && atoi("1") == 77);
    return 0;
}
