// As log.c, but recovery trusts the size of the log: with delayed allocation, records may be zeros.
//
// expect: ext4-writeback rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char log[3];
    int fd = open("log", O_RDONLY), last = 0;
    while (read(fd, log, 3) == 3) {
        assert(log[0] == last + 1 && log[0] + log[1] == log[2]);
        last = log[0];
    }
}

int main(void)
{
    char log[3];
    int fd = open("log", O_CREAT | O_WRONLY | O_APPEND, 0600);
    __VERIFIER_pbarrier();
    for (char i = 1; i <= 2; i++) {
        log[0] = i;
        log[1] = 2 * i;
        log[2] = 3 * i;
        write(fd, log, 3);
    }
    return 0;
}
