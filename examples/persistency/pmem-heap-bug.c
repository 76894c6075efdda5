// A persistent list whose nodes are of `malloc`: after a crash, the head points to memory that is gone.
//
// expect: px86 tso violated wild-pointer

#include <assert.h>
#include <immintrin.h>
#include <selvedge.h>
#include <stdlib.h>

struct node {
    long value;
    struct node *next;
};

static struct {
    _Alignas(64) struct node *head;
} pool;

void __VERIFIER_recovery_routine(void)
{
    if (pool.head)
        assert(pool.head->value == 1);
}

int main(void)
{
    struct node *node = malloc(sizeof *node);
    selvedge_durable(&pool, sizeof pool);
    node->value = 1;
    node->next = NULL;
    _mm_clflush(node);
    _mm_sfence();
    pool.head = node;
    return 0;
}
