#include "queue.h"
#include <pthread.h>
#include <stdlib.h>

static void *producer(void *argument)
{
    push(argument, 7);
    return NULL;
}

int main(void)
{
    struct queue *queue = calloc(1, sizeof *queue);
    pthread_t thread;
    pthread_create(&thread, NULL, producer, queue);
    int value = front(queue);
    pthread_join(thread, NULL);
    return value == 0;
}
