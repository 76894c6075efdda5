// Peterson's mutual exclusion with ordinary accesses: right where memory is sequentially consistent.
// states: sc verified
// invariant: counter == 2 @end
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)

atomic_int lock0, lock1, turn, counter;

static void *thread0(void *unused)
{
	SET(lock0, 1);
	SET(turn, 1);
	while (1)
		if (GET(lock1) != 1 || GET(turn) == 0)
			break;
	int old = GET(counter);
	SET(counter, old + 1);
	SET(lock0, 0);
	return 0;
}

static void *thread1(void *unused)
{
	SET(lock1, 1);
	SET(turn, 0);
	while (1)
		if (GET(lock0) != 1 || GET(turn) == 1)
			break;
	int old = GET(counter);
	SET(counter, old + 1);
	SET(lock1, 0);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, thread0, 0);
	pthread_create(&b, 0, thread1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(GET(counter) == 2);
	return 0;
}
