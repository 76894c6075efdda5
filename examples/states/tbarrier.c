// A tournament barrier of two threads, with ordinary accesses: who is past it sees what the other wrote before it.
// states: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)
#define ROUNDS 2

atomic_int arrived, go;
atomic_int work[2];

// The loser of the tournament says that it is there, and waits for the champion.
static void *loser(void *unused)
{
	for (int round = 1; round <= ROUNDS; round++) {
		SET(work[1], round);
		SET(arrived, round);
		while (GET(go) != round)
			;
		assert(GET(work[0]) >= round);
	}
	return 0;
}

static void *champion(void *unused)
{
	for (int round = 1; round <= ROUNDS; round++) {
		SET(work[0], round);
		while (GET(arrived) != round)
			;
		SET(go, round);
		assert(GET(work[1]) >= round);
	}
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, champion, 0);
	pthread_create(&b, 0, loser, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
