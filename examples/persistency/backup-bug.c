// As backup.c, but the copy is not synchronised.
//
// expect: ext4-ordered rc11 violated recovery-assertion --syscall-errors

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char now[3] = {0};
    int fd = open("foo~", O_RDONLY);
    if (fd < 0 || lseek(fd, 0, SEEK_END) != 3)
        fd = open("foo", O_RDONLY);
    pread(fd, now, 3, 0);
    assert((now[0] == 'o' && now[2] == 'd') || (now[0] == 'n' && now[2] == 'w'));
}

int main(void)
{
    int fd = open("foo", O_CREAT | O_WRONLY, 0600);
    write(fd, "old", 3);
    close(fd);
    __VERIFIER_pbarrier();
    int copy = open("foo~", O_CREAT | O_WRONLY, 0600), now = open("foo", O_RDWR);
    write(copy, "old", 3);
    pwrite(now, "new", 3, 0);
    fsync(now);
    unlink("foo~");
    return 0;
}
