// A bounded buffer: a producer and two consumers, which wait in loops.
// invariant: count >= 0 && count <= 2
// invariant: eaten == 3 @end
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int buffer[2], count, in, out;
int eaten;

static void put(int item)
{
	while (1) {
		pthread_mutex_lock(&mutex);
		if (count < 2)
			break;
		pthread_mutex_unlock(&mutex);
	}
	buffer[in] = item;
	in = (in + 1) % 2;
	count++;
	pthread_mutex_unlock(&mutex);
}

static void *producer(void *unused)
{
	put(1);
	put(2);
	return 0;
}

static void *consumer(void *unused)
{
	while (1) {
		pthread_mutex_lock(&mutex);
		if (count > 0)
			break;
		pthread_mutex_unlock(&mutex);
	}
	int item = buffer[out];
	assert(item == 1 || item == 2);
	out = (out + 1) % 2;
	count--;
	eaten += item;
	pthread_mutex_unlock(&mutex);
	return 0;
}

int main(void)
{
	pthread_t a, b, c;
	pthread_create(&a, 0, producer, 0);
	pthread_create(&b, 0, consumer, 0);
	pthread_create(&c, 0, consumer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, 0);
	return 0;
}
