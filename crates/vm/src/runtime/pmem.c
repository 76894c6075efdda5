/* libpmem, as programs call it. Lowered to `pmem.ir` by `scripts/runtime-files.sh`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

long __selvedge_path(const char *path);
void *__selvedge_map(long path, size_t size);
long __selvedge_disk(long what);
long __selvedge_call_failed(const char *call, long error);
void __selvedge_clwb(const void *address);
void __selvedge_sfence(void);
size_t __selvedge_line(const void *address);

void *pmem_map_file(const char *path, size_t size, int flags, mode_t mode, size_t *mapped, int *is_pmem)
{
    long number = __selvedge_path(path);
    void *memory = __selvedge_map(number, size);
    if (!memory) {
        __selvedge_call_failed("pmem_map_file", ENOENT);
        return NULL;
    }
    if (mapped)
        *mapped = __selvedge_disk((1L << 40) + number);
    if (is_pmem)
        *is_pmem = 1;
    return memory;
}

int pmem_unmap(void *memory, size_t size)
{
    return 0;
}

int pmem_is_pmem(const void *memory, size_t size)
{
    return 1;
}

void pmem_flush(const void *memory, size_t size)
{
    const char *from = memory;
    size_t line = __selvedge_line(memory);
    if (size == 0)
        return;
    for (size_t at = 0; at < size; at += line)
        __selvedge_clwb(from + at);
    /* What does not begin with a line may end in one more. */
    __selvedge_clwb(from + size - 1);
}

void pmem_drain(void)
{
    __selvedge_sfence();
}

int pmem_has_auto_flush(void)
{
    return 0;
}

int pmem_has_hw_drain(void)
{
    return 0;
}

void pmem_persist(const void *memory, size_t size)
{
    pmem_flush(memory, size);
    pmem_drain();
}

int pmem_msync(const void *memory, size_t size)
{
    pmem_persist(memory, size);
    return 0;
}

int pmem_deep_persist(const void *memory, size_t size)
{
    pmem_persist(memory, size);
    return 0;
}

void *pmem_memcpy_nodrain(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    pmem_flush(to, size);
    return to;
}

void *pmem_memcpy_persist(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    pmem_persist(to, size);
    return to;
}

void *pmem_memmove_nodrain(void *to, const void *from, size_t size)
{
    memmove(to, from, size);
    pmem_flush(to, size);
    return to;
}

void *pmem_memmove_persist(void *to, const void *from, size_t size)
{
    memmove(to, from, size);
    pmem_persist(to, size);
    return to;
}

void *pmem_memset_nodrain(void *to, int value, size_t size)
{
    memset(to, value, size);
    pmem_flush(to, size);
    return to;
}

void *pmem_memset_persist(void *to, int value, size_t size)
{
    memset(to, value, size);
    pmem_persist(to, size);
    return to;
}

int munmap(void *memory, size_t size)
{
    return 0;
}

int msync(void *memory, size_t size, int flags)
{
    pmem_persist(memory, size);
    return 0;
}
