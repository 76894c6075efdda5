// The order of reads and the order of writes (ARCHTEST ROWO): what is written first is seen first.
// states: sc verified
// states: dotnet-ecma violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)

atomic_int a, b;
int u1, u2, v1, v2;

static void *writer(void *unused)
{
	SET(a, 1);
	SET(b, 1);
	SET(a, 2);
	SET(b, 2);
	return 0;
}

static void *reader(void *unused)
{
	int u = GET(b), v = GET(a), w = GET(b), x = GET(a);
	u1 = u, v1 = v, u2 = w, v2 = x;
	return 0;
}

int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, writer, 0);
	pthread_create(&y, 0, reader, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	assert(v1 >= u1 && v2 >= u2);
	return 0;
}
