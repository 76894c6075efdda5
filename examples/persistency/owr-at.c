// A record of four bytes in two blocks is overwritten at once: may a byte be there without the one before it? With
// everything in the journal, the four bytes persist one after the other: five states.
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified states=5

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char now[4];
    pread(open("foo", O_RDONLY), now, 4, 0);
    for (int i = 1; i < 4; i++)
        assert(now[i - 1] >= now[i]);
}

int main(void)
{
    int fd = open("foo", O_CREAT | O_RDWR, 0600);
    write(fd, "0000", 4);
    __VERIFIER_pbarrier();
    pwrite(fd, "1111", 4, 0);
    return 0;
}
