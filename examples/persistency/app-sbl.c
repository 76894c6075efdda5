// A block is appended to a file: may the file have grown and the block not be there?
//
// expect: ext4-ordered rc11 verified states=2
// expect: ext4-journal rc11 verified states=2
// expect: ext4-writeback rc11 violated recovery-assertion

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char block[2] = {0};
    int fd = open("foo", O_RDONLY);
    if (lseek(fd, 0, SEEK_END) == 4) {
        pread(fd, block, 2, 2);
        assert(block[0] == 2 && block[1] == 2);
    }
}

int main(void)
{
    char one[2] = {1, 1}, two[2] = {2, 2};
    int fd = open("foo", O_CREAT | O_WRONLY | O_APPEND, 0600);
    write(fd, one, 2);
    __VERIFIER_pbarrier();
    write(fd, two, 2);
    return 0;
}
