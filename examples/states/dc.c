// Double-checked locking with an ordinary field: who finds the object finds it initialised.
// check: --no-race-detection
// states: sc verified
// states: dotnet-ecma violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct helper {
	atomic_int data;
};

_Atomic(struct helper *) helper;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct helper *get(void)
{
	struct helper *found = atomic_load_explicit(&helper, memory_order_relaxed);
	if (!found) {
		pthread_mutex_lock(&mutex);
		found = atomic_load_explicit(&helper, memory_order_relaxed);
		if (!found) {
			found = calloc(1, sizeof *found);
			atomic_store_explicit(&found->data, 42, memory_order_relaxed);
			atomic_store_explicit(&helper, found, memory_order_relaxed);
		}
		pthread_mutex_unlock(&mutex);
	}
	return found;
}

static void *user(void *unused)
{
	assert(atomic_load_explicit(&get()->data, memory_order_relaxed) == 42);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, user, 0);
	pthread_create(&b, 0, user, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
