// Independent workers, with lists: each builds one, and adds up what is in it.
// states: sc verified
// invariant: total0 + total1 == 12 @end
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)

struct node {
	atomic_int value;
	_Atomic(struct node *) next;
};

atomic_int total0, total1;

static int work(void)
{
	struct node *list = 0;
	for (int i = 1; i <= 3; i++) {
		struct node *node = calloc(1, sizeof *node);
		SET(node->value, i);
		SET(node->next, list);
		list = node;
	}
	int sum = 0;
	while (list) {
		struct node *next = GET(list->next);
		sum += GET(list->value);
		free(list);
		list = next;
	}
	return sum;
}

static void *worker0(void *unused)
{
	SET(total0, work());
	return 0;
}

static void *worker1(void *unused)
{
	SET(total1, work());
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker0, 0);
	pthread_create(&b, 0, worker1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
