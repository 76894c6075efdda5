// N blocks of one file are overwritten, of which recovery reads one.
//
// expect: ext4-ordered rc11 verified states=2

#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

#ifndef N
#define N 20
#endif

void __VERIFIER_recovery_routine(void)
{
    char byte;
    pread(open("f", O_RDONLY), &byte, 1, 2);
}

int main(void)
{
    int fd = open("f", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < N; i++)
        write(fd, "00", 2);
    __VERIFIER_pbarrier();
    for (int i = 0; i < N; i++)
        pwrite(fd, "1", 1, 2 * i);
    return 0;
}
