// A log in a mapped file of persistent memory (libpmem): a record is persisted before the head moves past it.
//
// expect: px86 tso verified

#include <assert.h>
#include <stddef.h>
#include <sys/types.h>

void *pmem_map_file(const char *, size_t, int, mode_t, size_t *, int *);
void pmem_persist(const void *, size_t);

struct log {
    _Alignas(64) long head;
    _Alignas(64) long records[16];
};

static struct log *map(void)
{
    return pmem_map_file("/pmem/log", sizeof(struct log), 1, 0600, NULL, NULL);
}

void __VERIFIER_recovery_routine(void)
{
    struct log *log = map();
    long head = log->head;
    for (long i = 0; i < head; i++)
        assert(log->records[i] == 10 + i);
}

static void append(struct log *log, long value)
{
    long at = log->head;
    log->records[at] = value;
    pmem_persist(&log->records[at], sizeof value);
    log->head = at + 1;
    pmem_persist(&log->head, sizeof log->head);
}

int main(void)
{
    struct log *log = map();
    for (long i = 0; i < 3; i++)
        append(log, 10 + i);
    return 0;
}
