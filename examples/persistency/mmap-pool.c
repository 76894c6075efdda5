// A pool of persistent memory is a file that is mapped: its size and its name have to persist before what is in it
// is of any use, so both are synchronised first.
//
// expect: px86-ext4 tso verified

#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <sys/mman.h>
#include <unistd.h>

struct pool {
    long value, valid;
};

void __VERIFIER_recovery_routine(void)
{
    char told = 0;
    if (read(open("told", O_RDONLY), &told, 1) == 0 || !told)
        return;
    int fd = open("pool", O_RDWR);
    assert(lseek(fd, 0, SEEK_END) == sizeof(struct pool));
    struct pool *pool = mmap(0, sizeof *pool, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
    assert(pool->valid == 0 || pool->value == 42);
}

int main(void)
{
    int told = open("told", O_CREAT | O_WRONLY, 0600);
    __VERIFIER_pbarrier();
    int fd = open("pool", O_CREAT | O_RDWR, 0600);
    ftruncate(fd, sizeof(struct pool));
    fsync(fd);
    fsync(open("/", O_RDONLY | O_DIRECTORY));
    struct pool *pool = mmap(0, sizeof *pool, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
    pool->value = 42;
    msync(pool, sizeof *pool, MS_SYNC);
    pool->valid = 1;
    msync(pool, sizeof *pool, MS_SYNC);
    write(told, "y", 1);
    return 0;
}
