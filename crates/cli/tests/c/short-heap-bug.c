// An address that was stored in 4 bytes still leads to its object: freed memory is found through it.
// args: -m32
// expect: sc violated use-after-free line=13
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *look(void *arg) {
    int sum = 0;
    pthread_mutex_lock(&lock);
    for (struct node *n = head; n; n = n->next)
        sum += n->value;
    pthread_mutex_unlock(&lock);
    return (void *)sum;
}
int main(void) {
    pthread_t thread;
    head = calloc(1, sizeof *head);
    head->next = calloc(1, sizeof *head);
    struct node *last = head->next;
    pthread_create(&thread, 0, look, 0);
    pthread_mutex_lock(&lock);
    free(last);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
