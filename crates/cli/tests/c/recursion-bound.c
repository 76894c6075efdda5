// Too deep a recursion is a bound, not a verdict.
// expect: rc11 bounded
volatile int n = 100000;
int down(int k) { return k == 0 ? 0 : 1 + down(k - 1); }
int main(void) { return down(n) != n; }
