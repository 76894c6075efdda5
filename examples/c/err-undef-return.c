// What main returns is used.
// expect: sc violated uninitialised-read line=9
// expect: tso violated uninitialised-read line=9
// expect: rc11 violated uninitialised-read line=9

int main(void)
{
    int code;
    return code;
}
