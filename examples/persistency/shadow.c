// Shadow paging: the new page is written beside the old one, then the root is switched to it.
//
// expect: ext4-ordered rc11 verified
// expect: ext4-writeback rc11 verified

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char root, page[4];
    int fd = open("db", O_RDONLY);
    pread(fd, &root, 1, 0);
    pread(fd, page, 4, root == '1' ? 6 : 2);
    assert(page[0] == page[1] && page[1] == page[2] && page[2] == page[3] && page[0] != 'b');
}

int main(void)
{
    int fd = open("db", O_CREAT | O_RDWR, 0600);
    write(fd, "0.aaaabbbb", 10);
    __VERIFIER_pbarrier();
    pwrite(fd, "cccc", 4, 6);
    fsync(fd);
    pwrite(fd, "1", 1, 0);
    return 0;
}
