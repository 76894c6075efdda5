// What streams do: what is printed is in the file only when the buffer is flushed. The same program runs as it is on Linux.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long size_of(const char *name)
{
    struct stat s;
    assert(stat(name, &s) == 0);
    return s.st_size;
}

int main(void)
{
    char b[16];
    errno = 0;
    assert(!fopen("a", "r") && errno == ENOENT);
    assert(!fopen("a", "q") && errno == EINVAL);
    FILE *f = fopen("a", "w");
    assert(fileno(f) >= 3 && fputs("one\n", f) >= 0 && fprintf(f, "%d %s %c\n", 22, "xy", 'z') == 8);
    /* nothing has come to the file yet */
    assert(size_of("a") == 0 && ftell(f) == 12);
    assert(fflush(f) == 0 && size_of("a") == 12);
    assert(fputc('!', f) == '!' && fwrite("abcd", 2, 2, f) == 2 && size_of("a") == 12);
    assert(fseek(f, 1, SEEK_SET) == 0 && size_of("a") == 17);
    fputc('N', f);
    assert(fclose(f) == 0);
    f = fopen("a", "r");
    assert(fgets(b, sizeof b, f) == b && !strcmp(b, "oNe\n"));
    assert(fgetc(f) == '2' && ungetc('5', f) == '5' && ftell(f) == 4 && fgets(b, 4, f) && !strcmp(b, "52 "));
    assert(fread(b, 1, 16, f) == 10 && !memcmp(b, "xy z\n!abcd", 10) && feof(f) && !ferror(f));
    assert(fgetc(f) == EOF && !fgets(b, 4, f));
    rewind(f);
    assert(!feof(f) && fread(b, 4, 1, f) == 1 && b[1] == 'N');
    errno = 0;
    assert(fputc('x', f) == EOF && errno == EBADF && ferror(f));
    clearerr(f);
    assert(!ferror(f));
    fclose(f);
    /* appending, updating */
    f = fopen("a", "a+");
    assert(fputs("++", f) >= 0 && fseek(f, 0, SEEK_SET) == 0 && fgetc(f) == 'o' && size_of("a") == 19);
    fclose(f);
    f = fopen("a", "r+");
    assert(fgetc(f) == 'o' && fseek(f, 0, SEEK_CUR) == 0 && fputc('M', f) == 'M' && fclose(f) == 0);
    int fd = open("a", O_RDWR);
    assert(pread(fd, b, 3, 0) == 3 && b[0] == 'o' && b[1] == 'M' && b[2] == 'e');
    /* buffers: none, by line, of four bytes */
    f = fdopen(fd, "w");
    setvbuf(f, 0, _IONBF, 0);
    assert(ftruncate(fd, 0) == 0 && fputc('u', f) == 'u' && size_of("a") == 1);
    setvbuf(f, 0, _IOLBF, 0);
    assert(fputs("v", f) >= 0 && size_of("a") == 1 && fputs("w\n", f) >= 0 && size_of("a") == 4);
    assert(dprintf(fd, "%d", 77) == 2 && size_of("a") == 6);
    fclose(f);
    f = fopen("a", "a");
    setvbuf(f, b, _IOFBF, 4);
    for (int i = 0; i < 5; i++)
        fputc('0' + i, f);
    assert(size_of("a") == 10 && fflush(0) == 0 && size_of("a") == 11);
    fclose(f);
    errno = 0;
    assert(close(fd) == -1 && errno == EBADF);
    assert(!fopen("a", "wx") && errno == EEXIST);
    assert(remove("a") == 0 && access("a", F_OK) == -1);
    fprintf(stderr, "the end\n");
    return 0;
}
