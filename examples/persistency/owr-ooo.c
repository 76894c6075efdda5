// Two far overwrites of one file: may they persist out of order?
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified states=3

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char first, second;
    int fd = open("foo", O_RDONLY);
    pread(fd, &second, 1, 6);
    pread(fd, &first, 1, 0);
    assert(!(second == '1' && first == '0'));
}

int main(void)
{
    int fd = open("foo", O_CREAT | O_RDWR, 0600);
    write(fd, "00000000", 8);
    __VERIFIER_pbarrier();
    pwrite(fd, "1", 1, 0);
    pwrite(fd, "1", 1, 6);
    return 0;
}
