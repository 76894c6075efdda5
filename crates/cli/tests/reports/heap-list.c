// A list on the heap that is walked while another thread cuts it, without a word to the reader.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct item {
    struct item *next;
    struct { int key, count; } data[2];
} item_t;

static item_t *_Atomic first;

static item_t *append(item_t *next, int key)
{
    item_t *item = malloc(sizeof *item);
    item->next = next;
    item->data[1].key = key;
    return item;
}

static void *reader(void *unused)
{
    item_t *item = atomic_load_explicit(&first, memory_order_acquire);
    return item->next->data[1].key == 1 ? unused : NULL;
}

int main(void)
{
    item_t *last = append(NULL, 1);
    atomic_init(&first, append(last, 2));
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    item_t *item = atomic_load_explicit(&first, memory_order_relaxed);
    item->next = NULL;
    free(last);
    pthread_join(thread, NULL);
    return 0;
}
