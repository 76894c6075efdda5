// Accesses in atomic sections, functions of the program's own for errors and assumptions, loops that wait.
// check: --errors assertion
// expect: sc verified
#include <pthread.h>

extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) {}
void assume_abort_if_not(int cond) {
    if (!cond) abort();
}

int wants[2], turn, inside;

static int read_of(int *x) {
    __VERIFIER_atomic_begin();
    int value = *x;
    __VERIFIER_atomic_end();
    return value;
}

static void write_to(int *x, int value) {
    __VERIFIER_atomic_begin();
    *x = value;
    __VERIFIER_atomic_end();
}

static void enter(int me) {
    write_to(&wants[me], 1);
    while (read_of(&wants[1 - me])) {
        if (read_of(&turn) != me) {
#ifndef BUG
            write_to(&wants[me], 0);
            while (read_of(&turn) != me);
            write_to(&wants[me], 1);
#else
            break; // it is the other one's turn
#endif
        }
    }
}

static void leave(int me) {
    write_to(&turn, 1 - me);
    write_to(&wants[me], 0);
}

void *thread(void *arg) {
    int me = (int)(long)arg;
    enter(me);
    write_to(&inside, me + 1);
    if (read_of(&inside) != me + 1) reach_error();
    leave(me);
    return 0;
}

int main(void) {
    pthread_t one, other;
    turn = __VERIFIER_nondet_int();
    assume_abort_if_not(turn == 0 || turn == 1);
    pthread_create(&one, 0, thread, (void *)0);
    pthread_create(&other, 0, thread, (void *)1);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
