// An append that begins inside of a block and ends in the next one: may there be zeros at the new end?
//
// expect: ext4-ordered rc11 violated recovery-assertion --block-size 4
// expect: ext4-ordered rc11 verified --block-size 4 --no-delalloc
// expect: ext4-journal rc11 verified --block-size 4

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char end[2] = {0};
    int fd = open("foo", O_RDONLY);
    if (lseek(fd, 0, SEEK_END) == 6) {
        pread(fd, end, 2, 4);
        assert(end[0] == 2 && end[1] == 2);
    }
}

int main(void)
{
    char two[2] = {1, 1}, four[4] = {2, 2, 2, 2};
    int fd = open("foo", O_CREAT | O_WRONLY | O_APPEND, 0600);
    write(fd, two, 2);
    __VERIFIER_pbarrier();
    write(fd, four, 4);
    return 0;
}
