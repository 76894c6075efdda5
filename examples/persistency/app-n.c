// Blocks are appended to N files, of which recovery reads one: how many there are makes no difference.
//
// expect: ext4-ordered rc11 verified states=2
// expect: ext4-writeback rc11 verified states=4

#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};

void __VERIFIER_recovery_routine(void)
{
    char block[2];
    read(open("f3", O_RDONLY), block, 2);
}

int main(void)
{
    int fds[8];
    for (int i = 0; i < 8; i++)
        fds[i] = open(names[i], O_CREAT | O_WRONLY, 0600);
    __VERIFIER_pbarrier();
    for (int i = 0; i < 8; i++)
        write(fds[i], "xx", 2);
    return 0;
}
