// A table under one lock: sections on the same bucket are ordered (2 by 2 threads, twice each: 6 * 6), others are not.
// expect: rc11 verified executions=36
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct entry { struct entry *next; int key; };
static struct entry *table[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void insert(int key) {
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    pthread_mutex_lock(&m);
    e->next = table[key % 2];
    table[key % 2] = e;
    pthread_mutex_unlock(&m);
}
static void *worker(void *arg) {
    insert((int)(long)arg);
    insert((int)(long)arg + 4);
    return NULL;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    int found = 0;
    for (int b = 0; b < 2; b++)
        for (struct entry *e = table[b]; e; e = e->next) found += e->key % 2 == b;
    assert(found == 8);
}
