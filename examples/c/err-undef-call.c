// A call of a function that was not chosen.
// expect: sc violated uninitialised-read line=18
// expect: tso violated uninitialised-read line=18
// expect: rc11 violated uninitialised-read line=18

static int one(void)
{
    return 1;
}

static int choose;

int main(void)
{
    int (*f)(void);
    if (choose)
        f = one;
    return f() - 1;
}
