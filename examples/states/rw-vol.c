// Reads after writes of volatile variables: of two threads that write and then read, one sees the other.
// states: sc verified
// states: dotnet-ecma violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b;
atomic_int seen_a[2], seen_b[2];

static void *first(void *unused)
{
	for (int i = 0; i < 2; i++) {
		atomic_store_explicit(&a, i + 1, memory_order_release);
		int seen = atomic_load_explicit(&b, memory_order_acquire);
		atomic_store_explicit(&seen_b[i], seen, memory_order_relaxed);
	}
	return 0;
}

static void *second(void *unused)
{
	for (int i = 0; i < 2; i++) {
		atomic_store_explicit(&b, i + 1, memory_order_release);
		int seen = atomic_load_explicit(&a, memory_order_acquire);
		atomic_store_explicit(&seen_a[i], seen, memory_order_relaxed);
	}
	return 0;
}

int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, first, 0);
	pthread_create(&y, 0, second, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			assert(seen_b[i] > j || seen_a[j] > i);
	return 0;
}
