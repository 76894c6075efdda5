// How often these loops go round is in memory that others see, but that nobody changes meanwhile: they are run, not
// cut. A count in a variable, one in an object, and a list.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

struct table {
    int size;
    int entries[24];
};

static int n = 20, squares[20];
static struct node *list;
static struct table *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    for (int i = 0; i < n; i++)
        squares[i] = i * i;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = list;
        list = node;
    }
    for (int i = 0; i != table->size; i++)
        table->entries[i]++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    table = calloc(1, sizeof *table);
    table->size = 24;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    int length = 0;
    for (struct node *node = list; node; node = node->next)
        length++;
    pthread_mutex_unlock(&lock);
    assert(length == 0 || length == 20);
    pthread_join(thread, 0);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += squares[i];
    assert(sum == 2470);
    return 0;
}
