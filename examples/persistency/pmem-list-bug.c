// As pmem-list.c, but the head is written back first.
//
// expect: px86 tso violated recovery-assertion

#include <assert.h>
#include <immintrin.h>
#include <selvedge.h>

struct node {
    _Alignas(64) long value;
    struct node *next;
};

static struct {
    _Alignas(64) struct node *head;
    struct node nodes[3];
} pool;

void __VERIFIER_recovery_routine(void)
{
    long before = 100;
    for (struct node *node = pool.head; node; node = node->next) {
        assert(node->value > 0 && node->value < before);
        before = node->value;
    }
}

static void push(int at, long value)
{
    struct node *node = &pool.nodes[at];
    node->value = value;
    node->next = pool.head;
    _mm_sfence();
    pool.head = node;
    _mm_clflush(&pool.head);
    _mm_clflush(node);
    _mm_sfence();
}

int main(void)
{
    selvedge_durable(&pool, sizeof pool);
    for (int i = 0; i < 3; i++)
        push(i, 1 + i);
    return 0;
}
