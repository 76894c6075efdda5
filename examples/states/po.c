// All of program order (ARCHTEST PO): writes and reads of both threads fit one interleaving.
// states: sc verified
// states: dotnet-ecma violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)

atomic_int a, b;
int u[2], v[2];

static void *first(void *unused)
{
	SET(a, 1);
	int one = GET(b);
	SET(a, 2);
	int two = GET(b);
	u[0] = one, u[1] = two;
	return 0;
}

static void *second(void *unused)
{
	SET(b, 1);
	int one = GET(a);
	SET(b, 2);
	int two = GET(a);
	v[0] = one, v[1] = two;
	return 0;
}

int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, first, 0);
	pthread_create(&y, 0, second, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	// Who reads `j` read before the other's next write, so the read after that sees what it had written.
	for (int i = 0; i < 2; i++) {
		assert(u[i] == 2 || v[u[i]] > i);
		assert(v[i] == 2 || u[v[i]] > i);
		assert(i == 0 || u[1] >= u[0] && v[1] >= v[0]);
	}
	return 0;
}
