// As app-n, with appends that begin inside of an old block and end in a new one: with delayed allocation, the size may be
// there without the bytes. One state where the file has not grown, and 2 x 2 where it has: how many files there are
// makes no difference.
//
// expect: ext4-ordered rc11 verified states=5
// expect: ext4-ordered rc11 verified states=2 --no-delalloc

#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};

void __VERIFIER_recovery_routine(void)
{
    char bytes[3];
    read(open("f3", O_RDONLY), bytes, 3);
}

int main(void)
{
    int fds[8];
    for (int i = 0; i < 8; i++) {
        fds[i] = open(names[i], O_CREAT | O_WRONLY, 0600);
        write(fds[i], "o", 1);
    }
    __VERIFIER_pbarrier();
    for (int i = 0; i < 8; i++)
        write(fds[i], "nn", 2);
    return 0;
}
