// Blocks are appended to N files, of which recovery reads one.
//
// expect: ext4-ordered rc11 verified states=2

#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

#ifndef N
#define N 20
#endif

#define TEN(f) f "0", f "1", f "2", f "3", f "4", f "5", f "6", f "7", f "8", f "9"

static const char *const names[] = {
    TEN("f0"), TEN("f1"), TEN("f2"), TEN("f3"), TEN("f4"), TEN("f5"), TEN("f6"), TEN("f7"), TEN("f8"), TEN("f9"),
    TEN("g0"), TEN("g1"), TEN("g2"), TEN("g3"), TEN("g4"), TEN("g5"), TEN("g6"), TEN("g7"), TEN("g8"), TEN("g9"),
};

void __VERIFIER_recovery_routine(void)
{
    char block[2];
    read(open("f01", O_RDONLY), block, 2);
}

int main(void)
{
    int fds[N];
    for (int i = 0; i < N; i++)
        fds[i] = open(names[i], O_CREAT | O_WRONLY, 0600);
    __VERIFIER_pbarrier();
    for (int i = 0; i < N; i++)
        write(fds[i], "xx", 2);
    return 0;
}
