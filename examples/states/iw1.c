// Independent workers: each computes with an object of its own.
// states: sc verified
// states: dotnet-ecma verified
// invariant: done0 + done1 == 2 @end
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)

struct sums {
	atomic_int odd, even;
};

atomic_int done0, done1;

static void work(void)
{
	struct sums *sums = calloc(1, sizeof *sums);
	for (int i = 1; i <= 4; i++) {
		if (i % 2)
			SET(sums->odd, GET(sums->odd) + i);
		else
			SET(sums->even, GET(sums->even) + i);
	}
	assert(GET(sums->odd) == 4 && GET(sums->even) == 6);
	free(sums);
}

static void *worker0(void *unused)
{
	work();
	SET(done0, 1);
	return 0;
}

static void *worker1(void *unused)
{
	work();
	SET(done1, 1);
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
