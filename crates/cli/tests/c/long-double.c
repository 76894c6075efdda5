// expect: rc11 unknown
// message: not supported
volatile long double x = 1.0L;
int main(void) {
    x = x + 1.0L;
}
