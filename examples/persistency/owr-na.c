// Two bytes of two blocks are overwritten at once: may the second be there without the first?
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified states=3

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char now[4];
    pread(open("foo", O_RDONLY), now, 4, 0);
    assert(!(now[2] == '1' && now[1] == '0'));
}

int main(void)
{
    int fd = open("foo", O_CREAT | O_RDWR, 0600);
    write(fd, "0000", 4);
    __VERIFIER_pbarrier();
    pwrite(fd, "11", 2, 1);
    return 0;
}
