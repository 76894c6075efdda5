// What another function than main returns is used if somebody uses it.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified

static int code(void)
{
    int code;
    return code;
}

int main(void)
{
    int unused = code();
    (void)unused;
    return 0;
}
