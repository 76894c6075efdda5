// A pointer to a function moves along before it is set.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified

static int one(void)
{
    return 1;
}

int main(void)
{
    int (*f)(void), (*g)(void);
    g = f;
    f = one;
    g = f;
    return g() - 1;
}
