// With pointers and longs of 32 bits: sizes, addresses as integers, tables of addresses, further arguments.
// args: -m32
// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char tag;
    long long wide;
};
struct pair { int a; char *b; };

static int twice(int x) { return 2 * x; }
static int minus(int x) { return -x; }
static int (*const table[])(int) = {twice, minus};
static int numbers[3] = {1, 2, 3};
static int *at[] = {&numbers[2], numbers, 0, (int *)-1, (int *)0x12345678};
static unsigned as_number = (unsigned)&numbers[1];
static char large[100000];
static struct pair pairs[2] = {{1, "one"}, {2, large + 99999}};

static int sum(int count, ...) {
    va_list list;
    int result = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        result += va_arg(list, int);
        result += (int)va_arg(list, double);
        result += *va_arg(list, int *);
        result += (int)(va_arg(list, long long) >> 32);
    }
    va_end(list);
    return result;
}

static struct pair moved(struct pair p) {
    p.a++;
    p.b++;
    return p;
}

int main(int argc, char **argv) {
    assert(sizeof(long) == 4 && sizeof(void *) == 4 && sizeof(size_t) == 4 && sizeof(long long) == 8);
    assert(offsetof(struct node, wide) == 8 && sizeof(struct node) == 16);
    unsigned long big = 0xffffffffUL;
    assert(big + 1 == 0);
    assert(table[0](4) == 8 && table[1](4) == -4);
    assert(*at[0] == 3 && at[1] == numbers && !at[2]);
    assert(at[3] == (int *)-1 && (int)at[4] == 0x12345678 && at[4] == (int *)0x12345678);
    assert(*(int *)as_number == 2 && (int *)(as_number + 4) == at[0]);
    assert(at[0] - at[1] == 2 && (char *)at[0] - (char *)at[1] == 8 && at[1] < at[0]);
    assert(pairs[1].b - large == 99999 && (uintptr_t)pairs[1].b - (uintptr_t)large == 99999);
    assert(strcmp(pairs[0].b, "one") == 0);
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        *n = (struct node){list, (char)i, 1LL << (32 + i)};
        list = n;
    }
    // A tag in the lowest bit of an address.
    uintptr_t tagged = (uintptr_t)list | 1;
    assert((struct node *)(tagged & ~(uintptr_t)1) == list);
    struct node copy, *p = &copy;
    memcpy(&copy, list, sizeof copy);
    assert(p->next == list->next && p->next->next->next == 0 && p->wide == 1LL << 34);
    int three = 3;
    assert(sum(2, 1, 2.5, &three, 4LL << 32, 5, 6.0, &numbers[0], 1LL << 33) == 1 + 2 + 3 + 4 + 5 + 6 + 1 + 2);
    struct pair m = moved(pairs[0]);
    assert(m.a == 2 && m.b[0] == 'n');
    assert(argc == 1 && argv[0][0] && argv[1] == 0);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
