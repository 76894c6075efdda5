/* Streams on files, for programs that open any: lowered to `stdio.ir` by `scripts/runtime-files.sh`.
 *
 * What is written is kept in the buffer of its stream until that is full, or is flushed, or the stream is closed, or the
 * program exits; until then, nothing of it is in the file. What is read ahead is not read again. The standard
 * streams are the numbers 1 to 3: what goes to them is printed at once, and anything comes from the first (`input.c`).
 *
 * In programs that open files, the library's functions of these names stand for those without `__selvedge_stdio_`.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

ssize_t __selvedge_print(const void *text, size_t size);
_Bool __VERIFIER_nondet_bool(void);
int __selvedge_input_byte(void);
ssize_t __selvedge_input_bytes(char *to, size_t n);
char *__selvedge_input_line(char *to, int size);
long __selvedge_call_failed(const char *call, long error);
void __selvedge_text_list(const char *format, va_list arguments);
long __selvedge_text_length(void);
long __selvedge_text_print(void);
long __selvedge_text_copy(char *to, size_t size);
int pthread_mutex_lock(void *lock);
int pthread_mutex_unlock(void *lock);
int atexit(void (*handler)(void));
int open(const char *name, int flags, ...);
int close(int fd);
ssize_t read(int fd, void *to, size_t n);
ssize_t write(int fd, const void *from, size_t n);
off_t lseek(int fd, off_t offset, int whence);
int fcntl(int fd, int command, ...);
int unlink(const char *name);

#define STREAMS 16
#define BUFFER 4096
#define END (-1)

enum buffering { FULLY, BY_LINE, NOT };
enum last { NOTHING, READ, WRITTEN };

struct stream {
    long words[5]; /* a lock */
    int fd;
    int flags;
    int in_use;
    int at_end;
    int failed;
    int pushed; /* 1 + a character that was put back */
    int last;
    int buffering;
    long most;  /* bytes of the buffer that are used */
    long from;  /* of what was read ahead: up to where it was read */
    long size;  /* bytes in the buffer */
    char buffer[BUFFER];
};

struct stream __selvedge_stdio_streams[STREAMS];
long __selvedge_stdio_lock[5];
int __selvedge_stdio_registered;
int __selvedge_stdio_exiting;

static int __selvedge_stdio_is_standard(const struct stream *stream)
{
    return (unsigned long)stream - 1 < 3;
}

static int __selvedge_stdio_is_input(const struct stream *stream)
{
    return (unsigned long)stream == 1;
}

/* What is in the buffer goes to the file, or, of what was read ahead, back. With the lock held. */
static int __selvedge_stdio_drain(struct stream *stream)
{
    long done = 0;
    if (stream->last == WRITTEN)
        while (done < stream->size) {
            ssize_t n = write(stream->fd, stream->buffer + done, stream->size - done);
            if (n <= 0) {
                stream->failed = 1;
                stream->size = 0;
                return END;
            }
            done += n;
        }
    else if (stream->last == READ && (stream->from < stream->size || stream->pushed))
        lseek(stream->fd, stream->from - stream->size - (stream->pushed != 0), 1);
    stream->from = 0;
    stream->size = 0;
    stream->pushed = 0;
    stream->last = NOTHING;
    return 0;
}

static int __selvedge_stdio_fflush_one(struct stream *stream)
{
    pthread_mutex_lock(stream->words);
    int result = __selvedge_stdio_drain(stream);
    pthread_mutex_unlock(stream->words);
    return result;
}

/* What streams were opened, after the lock of all of them was taken. */
static int __selvedge_stdio_flush_all(void)
{
    int result = 0;
    pthread_mutex_lock(__selvedge_stdio_lock);
    for (int i = 0; i < STREAMS && __selvedge_stdio_streams[i].in_use; i++)
        if (__selvedge_stdio_streams[i].in_use > 0 && __selvedge_stdio_fflush_one(&__selvedge_stdio_streams[i]))
            result = END;
    pthread_mutex_unlock(__selvedge_stdio_lock);
    return result;
}

/* Handlers that run after this one may write as well: then at once. */
void __selvedge_stdio_at_exit(void)
{
    __atomic_store_n(&__selvedge_stdio_exiting, 1, __ATOMIC_RELAXED);
    __selvedge_stdio_flush_all();
}

static struct stream *__selvedge_stdio_new(const char *call, int fd, int flags)
{
    int at = 0, first = 0;
    pthread_mutex_lock(__selvedge_stdio_lock);
    first = !__selvedge_stdio_registered;
    __selvedge_stdio_registered = 1;
    while (at < STREAMS && __selvedge_stdio_streams[at].in_use > 0)
        at++;
    if (at < STREAMS) {
        struct stream *stream = &__selvedge_stdio_streams[at];
        stream->in_use = 1;
        stream->fd = fd;
        stream->flags = flags;
        stream->at_end = 0;
        stream->failed = 0;
        stream->pushed = 0;
        stream->last = NOTHING;
        stream->buffering = FULLY;
        stream->most = BUFFER;
        stream->from = 0;
        stream->size = 0;
    }
    pthread_mutex_unlock(__selvedge_stdio_lock);
    if (at == STREAMS) {
        __selvedge_call_failed(call, EMFILE);
        return NULL;
    }
    if (first)
        atexit(__selvedge_stdio_at_exit);
    return &__selvedge_stdio_streams[at];
}

/* The flags of a mode, or -1. */
static int __selvedge_stdio_mode(const char *mode)
{
    int flags;
    if (mode[0] == 'r')
        flags = O_RDONLY;
    else if (mode[0] == 'w')
        flags = O_WRONLY | O_CREAT | O_TRUNC;
    else if (mode[0] == 'a')
        flags = O_WRONLY | O_CREAT | O_APPEND;
    else
        return -1;
    for (int i = 1; mode[i]; i++)
        if (mode[i] == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        else if (mode[i] == 'x')
            flags |= O_EXCL;
        else if (mode[i] == 'e')
            flags |= O_CLOEXEC;
        else if (mode[i] != 'b')
            return -1;
    return flags;
}

void *fopen(const char *name, const char *mode)
{
    int flags = __selvedge_stdio_mode(mode);
    if (flags < 0) {
        __selvedge_call_failed("fopen", EINVAL);
        return NULL;
    }
    int fd = open(name, flags, 0666);
    return fd < 0 ? NULL : __selvedge_stdio_new("fopen", fd, flags);
}

void *fopen64(const char *name, const char *mode)
{
    return fopen(name, mode);
}

void *fdopen(int fd, const char *mode)
{
    int flags = __selvedge_stdio_mode(mode);
    if (flags < 0) {
        __selvedge_call_failed("fdopen", EINVAL);
        return NULL;
    }
    return fcntl(fd, F_GETFL) < 0 ? NULL : __selvedge_stdio_new("fdopen", fd, flags);
}

int __selvedge_stdio_fflush(struct stream *stream)
{
    if (!stream)
        return __selvedge_stdio_flush_all();
    return __selvedge_stdio_is_standard(stream) ? 0 : __selvedge_stdio_fflush_one(stream);
}

int fclose(struct stream *stream)
{
    if (__selvedge_stdio_is_standard(stream))
        return 0;
    pthread_mutex_lock(__selvedge_stdio_lock);
    int open = stream->in_use > 0, fd = stream->fd;
    int result = open ? __selvedge_stdio_fflush_one(stream) : END;
    stream->in_use = -1;
    pthread_mutex_unlock(__selvedge_stdio_lock);
    if (!open)
        return (int)__selvedge_call_failed("fclose", EBADF);
    return close(fd) ? END : result;
}

/* The lock, if the stream can be used so. */
static int __selvedge_stdio_begin(const char *call, struct stream *stream, int use)
{
    int wrong = use == WRITTEN ? O_RDONLY : O_WRONLY;
    pthread_mutex_lock(stream->words);
    if (stream->in_use > 0 && (stream->flags & O_ACCMODE) != wrong) {
        if (stream->last != use && stream->last != NOTHING)
            __selvedge_stdio_drain(stream);
        stream->last = use;
        return 1;
    }
    stream->failed = 1;
    pthread_mutex_unlock(stream->words);
    __selvedge_call_failed(call, EBADF);
    return 0;
}

/* How many of the bytes were taken. */
static size_t __selvedge_stdio_put(const char *call, struct stream *stream, const char *from, size_t n)
{
    size_t i = 0;
    if (!__selvedge_stdio_begin(call, stream, WRITTEN))
        return 0;
    int at_once = stream->buffering == NOT || __atomic_load_n(&__selvedge_stdio_exiting, __ATOMIC_RELAXED);
    int ends = 0;
    for (; i < n; i++) {
        if (stream->size == stream->most && __selvedge_stdio_drain(stream))
            break;
        stream->last = WRITTEN;
        stream->buffer[stream->size++] = from[i];
        ends |= from[i] == '\n';
    }
    if ((at_once || (ends && stream->buffering == BY_LINE)) && __selvedge_stdio_drain(stream))
        i = 0;
    pthread_mutex_unlock(stream->words);
    return i;
}

size_t __selvedge_stdio_fwrite(const void *from, size_t size, size_t count, struct stream *stream)
{
    if (size == 0 || count == 0)
        return 0;
    if (__selvedge_stdio_is_standard(stream)) {
        __selvedge_print(from, size * count);
        return count;
    }
    return __selvedge_stdio_put("fwrite", stream, from, size * count) / size;
}

int __selvedge_stdio_fputs(const char *text, struct stream *stream)
{
    size_t n = 0;
    while (text[n])
        n++;
    if (__selvedge_stdio_is_standard(stream)) {
        __selvedge_print(text, n);
        return 1;
    }
    return __selvedge_stdio_put("fputs", stream, text, n) == n ? 1 : END;
}

int __selvedge_stdio_fputc(int c, struct stream *stream)
{
    char byte = (char)c;
    if (__selvedge_stdio_is_standard(stream)) {
        __selvedge_print(&byte, 1);
        return c & 255;
    }
    return __selvedge_stdio_put("fputc", stream, &byte, 1) == 1 ? c & 255 : END;
}

int __selvedge_stdio_putc(int c, struct stream *stream)
{
    return __selvedge_stdio_fputc(c, stream);
}

/* The text that was made. */
static int __selvedge_stdio_text(struct stream *stream)
{
    if (__selvedge_stdio_is_standard(stream))
        return (int)__selvedge_text_print();
    long n = __selvedge_text_length();
    char text[n + 1];
    __selvedge_text_copy(text, n + 1);
    return __selvedge_stdio_put("fprintf", stream, text, n) == (size_t)n ? (int)n : END;
}

int __selvedge_stdio_vfprintf(struct stream *stream, const char *format, va_list arguments)
{
    __selvedge_text_list(format, arguments);
    return __selvedge_stdio_text(stream);
}

int __selvedge_stdio_fprintf(struct stream *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    __selvedge_text_list(format, arguments);
    va_end(arguments);
    return __selvedge_stdio_text(stream);
}

int __selvedge_stdio___fprintf_chk(struct stream *stream, int flag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    __selvedge_text_list(format, arguments);
    va_end(arguments);
    return __selvedge_stdio_text(stream);
}

int __selvedge_stdio_dprintf(int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    __selvedge_text_list(format, arguments);
    va_end(arguments);
    if (fd == 1 || fd == 2)
        return (int)__selvedge_text_print();
    long n = __selvedge_text_length();
    char text[n + 1];
    __selvedge_text_copy(text, n + 1);
    return (int)write(fd, text, n);
}

/* With the lock held: the next byte, or the end. */
static int __selvedge_stdio_next(struct stream *stream)
{
    if (stream->pushed) {
        int c = stream->pushed - 1;
        stream->pushed = 0;
        return c;
    }
    if (stream->from == stream->size) {
        if (stream->at_end)
            return END;
        ssize_t n = read(stream->fd, stream->buffer, stream->buffering == NOT ? 1 : stream->most);
        stream->from = 0;
        stream->size = n > 0 ? n : 0;
        if (n <= 0) {
            stream->at_end = n == 0;
            stream->failed |= n < 0;
            return END;
        }
    }
    return (unsigned char)stream->buffer[stream->from++];
}

size_t fread(void *to, size_t size, size_t count, struct stream *stream)
{
    size_t done = 0;
    char *bytes = to;
    if (size && __selvedge_stdio_is_input(stream))
        return __selvedge_input_bytes(to, size * count) / size;
    if (size == 0 || count == 0 || __selvedge_stdio_is_standard(stream) ||
        !__selvedge_stdio_begin("fread", stream, READ))
        return 0;
    for (int c; done < size * count && (c = __selvedge_stdio_next(stream)) != END; done++)
        bytes[done] = (char)c;
    pthread_mutex_unlock(stream->words);
    return done / size;
}

int fgetc(struct stream *stream)
{
    if (__selvedge_stdio_is_input(stream))
        return __selvedge_input_byte();
    if (__selvedge_stdio_is_standard(stream) || !__selvedge_stdio_begin("fgetc", stream, READ))
        return END;
    int c = __selvedge_stdio_next(stream);
    pthread_mutex_unlock(stream->words);
    return c;
}

int getc(struct stream *stream)
{
    return fgetc(stream);
}

int ungetc(int c, struct stream *stream)
{
    /* What comes next from there is anything in any case. */
    if (c != END && __selvedge_stdio_is_input(stream))
        return c & 255;
    if (c == END || __selvedge_stdio_is_standard(stream) || !__selvedge_stdio_begin("ungetc", stream, READ))
        return END;
    int full = stream->pushed;
    if (!full) {
        stream->pushed = 1 + (c & 255);
        stream->at_end = 0;
    }
    pthread_mutex_unlock(stream->words);
    return full ? END : c & 255;
}

char *fgets(char *to, int size, struct stream *stream)
{
    int done = 0;
    if (__selvedge_stdio_is_input(stream))
        return __selvedge_input_line(to, size);
    if (size <= 0 || __selvedge_stdio_is_standard(stream) || !__selvedge_stdio_begin("fgets", stream, READ))
        return NULL;
    for (int c; done < size - 1 && (c = __selvedge_stdio_next(stream)) != END;) {
        to[done++] = (char)c;
        if (c == '\n')
            break;
    }
    pthread_mutex_unlock(stream->words);
    if (done == 0 && size > 1)
        return NULL;
    to[done] = 0;
    return to;
}

int fseek(struct stream *stream, long offset, int whence)
{
    if (__selvedge_stdio_is_standard(stream))
        return (int)__selvedge_call_failed("fseek", ESPIPE);
    pthread_mutex_lock(stream->words);
    int result = __selvedge_stdio_drain(stream);
    if (!result && lseek(stream->fd, offset, whence) < 0)
        result = END;
    stream->at_end = 0;
    pthread_mutex_unlock(stream->words);
    return result;
}

int fseeko(struct stream *stream, off_t offset, int whence)
{
    return fseek(stream, offset, whence);
}

long ftell(struct stream *stream)
{
    if (__selvedge_stdio_is_standard(stream))
        return __selvedge_call_failed("ftell", ESPIPE);
    pthread_mutex_lock(stream->words);
    int appends = stream->last == WRITTEN && stream->size && stream->flags & O_APPEND;
    long at = lseek(stream->fd, 0, appends ? 2 : 1);
    if (at >= 0 && stream->last == WRITTEN)
        at += stream->size;
    else if (at >= 0 && stream->last == READ)
        at -= stream->size - stream->from + (stream->pushed != 0);
    pthread_mutex_unlock(stream->words);
    return at;
}

off_t ftello(struct stream *stream)
{
    return ftell(stream);
}

void rewind(struct stream *stream)
{
    fseek(stream, 0, 0);
    if (!__selvedge_stdio_is_standard(stream))
        stream->failed = 0;
}

int fileno(struct stream *stream)
{
    return __selvedge_stdio_is_standard(stream) ? (int)(unsigned long)stream - 1 : stream->fd;
}

int feof(struct stream *stream)
{
    if (__selvedge_stdio_is_input(stream))
        return __VERIFIER_nondet_bool();
    return __selvedge_stdio_is_standard(stream) ? 0 : stream->at_end;
}

int ferror(struct stream *stream)
{
    return __selvedge_stdio_is_standard(stream) ? 0 : stream->failed;
}

void clearerr(struct stream *stream)
{
    if (!__selvedge_stdio_is_standard(stream)) {
        stream->at_end = 0;
        stream->failed = 0;
    }
}

int __selvedge_stdio_setvbuf(struct stream *stream, char *buffer, int how, size_t size)
{
    if (__selvedge_stdio_is_standard(stream))
        return 0;
    pthread_mutex_lock(stream->words);
    int result = __selvedge_stdio_drain(stream);
    stream->buffering = how == 2 ? NOT : how == 1 ? BY_LINE : FULLY;
    stream->most = how != 2 && size > 0 && size < BUFFER ? (long)size : BUFFER;
    pthread_mutex_unlock(stream->words);
    return result;
}

void __selvedge_stdio_setbuf(struct stream *stream, char *buffer)
{
    __selvedge_stdio_setvbuf(stream, buffer, buffer ? 0 : 2, 0);
}

int remove(const char *name)
{
    return unlink(name);
}
