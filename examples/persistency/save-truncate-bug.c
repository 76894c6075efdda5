// Replace via truncate: the old text may be lost before the new one is there.
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 violated recovery-assertion

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char now[3] = {0};
    int fd = open("foo", O_RDONLY);
    assert(read(fd, now, 3) == 3);
    assert((now[0] == 'o' && now[2] == 'd') || (now[0] == 'n' && now[2] == 'w'));
}

int main(void)
{
    int fd = open("foo", O_CREAT | O_WRONLY, 0600);
    write(fd, "old", 3);
    close(fd);
    __VERIFIER_pbarrier();
    int new = open("foo", O_WRONLY | O_TRUNC);
    write(new, "new", 3);
    fsync(new);
    close(new);
    return 0;
}
