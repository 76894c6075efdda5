// A binary tree with N leaves, one for each thread: inner nodes 0 to N-2, leaves N-1 to 2N-2. With -DCHAIN there is a
// node of one child above each leaf.
#ifdef CHAIN
#define INNER (2 * N - 1)
#define NODES (3 * N - 1)
#else
#define INNER (N - 1)
#define NODES (2 * N - 1)
#endif

static int leaf(int id)
{
    return INNER + id;
}

static int parent(int node)
{
#ifdef CHAIN
    if (node >= INNER)
        return node - N;
#endif
    return (node - 1) / 2;
}

static int left(int node)
{
#ifdef CHAIN
    if (node >= N - 1)
        return node + N;
#endif
    return 2 * node + 1;
}

static int right(int node)
{
    return 2 * node + 2;
}

// How many children a node has.
static int children(int node)
{
    return node >= INNER ? 0 : node >= N - 1 ? 1 : 2;
}
