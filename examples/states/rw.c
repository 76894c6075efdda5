// A lock for two readers and a writer: readers see both halves of what is written, or none.
// states: sc verified
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int readers;
int first, second;

static void *reader(void *unused)
{
	pthread_mutex_lock(&mutex);
	readers++;
	pthread_mutex_unlock(&mutex);
	int a = first, b = second;
	pthread_mutex_lock(&mutex);
	readers--;
	pthread_mutex_unlock(&mutex);
	assert(a == b);
	return 0;
}

static void *writer(void *unused)
{
	while (1) {
		pthread_mutex_lock(&mutex);
		if (readers == 0)
			break;
		pthread_mutex_unlock(&mutex);
	}
	first++;
	second++;
	pthread_mutex_unlock(&mutex);
	return 0;
}

int main(void)
{
	pthread_t a, b, c;
	pthread_create(&a, 0, reader, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_create(&c, 0, writer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, 0);
	return 0;
}
