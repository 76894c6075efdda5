// An undefined divisor.
// expect: sc violated uninitialised-read line=9
// expect: tso violated uninitialised-read line=9
// expect: rc11 violated uninitialised-read line=9

int main(void)
{
    unsigned a = 8, b;
    unsigned c = a / (b | 1);
    (void)c;
    return 0;
}
