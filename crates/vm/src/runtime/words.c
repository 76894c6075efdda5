/* Numbers and words in texts, and a few functions beside: lowered to `words.ir` by `scripts/runtime-files.sh`.
 *
 * A number that does not fit is the largest or the smallest one, and `errno` says so.
 */
#include <stdarg.h>
#include <stddef.h>

#define EINVAL 22
#define ERANGE 34
#define LONGEST 63
#define LARGEST 0x7fffffffffffffffL

int *__selvedge_errno(void);
double strtod(const char *text, char **end);
size_t strlen(const char *text);
int strncasecmp(const char *a, const char *b, size_t size);
void *memcpy(void *to, const void *from, size_t size);

static int __selvedge_words_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int __selvedge_words_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* The amount, whether it is negative, and whether it does not fit. */
static unsigned long __selvedge_words_number(const char *text, char **end, int base, int *negative, int *large)
{
    const char *at = text, *after = text;
    unsigned long value = 0;
    *negative = 0;
    *large = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__selvedge_errno() = EINVAL;
        if (end)
            *end = (char *)text;
        return 0;
    }
    while (__selvedge_words_blank(*at))
        at++;
    if (*at == '-' || *at == '+')
        *negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && __selvedge_words_digit(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0)
        base = at[0] == '0' ? 8 : 10;
    for (int digit; (digit = __selvedge_words_digit(*at)) < base; after = ++at) {
        if (value > (~0ul - digit) / base)
            *large = 1;
        else
            value = value * base + digit;
    }
    if (end)
        *end = (char *)after;
    return value;
}

long strtol(const char *text, char **end, int base)
{
    int negative, large;
    unsigned long value = __selvedge_words_number(text, end, base, &negative, &large);
    if (large || value > (unsigned long)LARGEST + negative) {
        *__selvedge_errno() = ERANGE;
        return negative ? -LARGEST - 1 : LARGEST;
    }
    return negative ? (long)(0 - value) : (long)value;
}

unsigned long strtoul(const char *text, char **end, int base)
{
    int negative, large;
    unsigned long value = __selvedge_words_number(text, end, base, &negative, &large);
    if (large) {
        *__selvedge_errno() = ERANGE;
        return ~0ul;
    }
    return negative ? 0 - value : value;
}

long strtoll(const char *text, char **end, int base) { return strtol(text, end, base); }
long strtoimax(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long strtoull(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long strtoumax(const char *text, char **end, int base) { return strtoul(text, end, base); }
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long __isoc23_strtoll(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long __isoc23_strtoull(const char *text, char **end, int base) { return strtoul(text, end, base); }

static void __selvedge_words_store(void *to, unsigned long value, int size)
{
    switch (size) {
    case 1: *(char *)to = (char)value; break;
    case 2: *(short *)to = (short)value; break;
    case 4: *(int *)to = (int)value; break;
    default: *(long *)to = (long)value;
    }
}

/* Whether a character is in a set such as `[^a-z]`, from behind its bracket. */
static int __selvedge_words_in_set(const char *set, char c)
{
    int inverted = *set == '^', found = 0;
    const char *at = set + inverted;
    for (int first = 1; *at && (*at != ']' || first); at++, first = 0) {
        if (at[1] == '-' && at[2] && at[2] != ']') {
            found |= c >= at[0] && c <= at[2];
            at += 2;
        } else
            found |= c == *at;
    }
    return found != inverted;
}

static const char *__selvedge_words_after_set(const char *set)
{
    set += *set == '^';
    for (set += *set == ']'; *set && *set != ']'; set++)
        ;
    return set;
}

int vsscanf(const char *text, const char *format, va_list list)
{
    const char *at = text;
    int stored = 0;
    for (; *format; format++) {
        if (__selvedge_words_blank(*format)) {
            while (__selvedge_words_blank(*at))
                at++;
            continue;
        }
        if (*format != '%') {
            if (*at != *format)
                return *at || stored ? stored : -1;
            at++;
            continue;
        }
        int skip = 0, size = 4, base = 10, negative, large;
        long width = 0;
        format++;
        if (*format == '*') {
            skip = 1;
            format++;
        }
        for (; *format >= '0' && *format <= '9'; format++)
            width = width * 10 + *format - '0';
        for (;; format++) {
            if (*format == 'h')
                size /= 2;
            else if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't' || *format == 'q')
                size = 8;
            else
                break;
        }
        const char what = *format;
        if (what == 'n') {
            if (!skip)
                __selvedge_words_store(va_arg(list, void *), at - text, size);
            continue;
        }
        if (what != 'c' && what != '[')
            while (__selvedge_words_blank(*at))
                at++;
        if (what == '%') {
            if (*at != '%')
                return *at || stored ? stored : -1;
            at++;
            continue;
        }
        if (!*at)
            return stored ? stored : -1;
        char part[LONGEST + 1], *end;
        const char *from = at;
        if (what == 's' || what == 'c' || what == '[') {
            char *to = skip ? 0 : va_arg(list, char *);
            long most = width ? width : what == 'c' ? 1 : LARGEST, n = 0;
            for (; n < most && *at; n++, at++) {
                if (what == 's' && __selvedge_words_blank(*at))
                    break;
                if (what == '[' && !__selvedge_words_in_set(format + 1, *at))
                    break;
                if (to)
                    to[n] = *at;
            }
            if (n == 0 || (what == 'c' && n < most))
                return stored;
            if (to && what != 'c')
                to[n] = 0;
            if (what == '[')
                format = __selvedge_words_after_set(format + 1);
            stored += !skip;
            continue;
        }
        if (width) {
            long n = 0;
            for (; n < width && n < LONGEST && from[n]; n++)
                part[n] = from[n];
            part[n] = 0;
            from = part;
        }
        switch (what) {
        case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': {
            double value = strtod(from, &end);
            if (end == from)
                return stored;
            if (!skip && size == 8)
                *va_arg(list, double *) = value;
            else if (!skip)
                *va_arg(list, float *) = (float)value;
            break;
        }
        case 'i': base = 0; goto number;
        case 'x': case 'X': case 'p': base = 16; goto number;
        case 'o': base = 8; goto number;
        case 'd': case 'u': number: {
            unsigned long value = __selvedge_words_number(from, &end, base, &negative, &large);
            if (end == from)
                return stored;
            if (!skip)
                __selvedge_words_store(va_arg(list, void *), negative ? 0 - value : value, what == 'p' ? 8 : size);
            break;
        }
        default:
            return stored;
        }
        stored += !skip;
        at += end - from;
    }
    return stored;
}

int sscanf(const char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = vsscanf(text, format, list);
    va_end(list);
    return stored;
}

int __isoc99_sscanf(const char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = vsscanf(text, format, list);
    va_end(list);
    return stored;
}

int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = vsscanf(text, format, list);
    va_end(list);
    return stored;
}

int __isoc99_vsscanf(const char *text, const char *format, va_list list) { return vsscanf(text, format, list); }
int __isoc23_vsscanf(const char *text, const char *format, va_list list) { return vsscanf(text, format, list); }

void *rawmemchr(const void *in, int c)
{
    const char *at = in;
    while (*at != (char)c)
        at++;
    return (void *)at;
}

char *strchrnul(const char *in, int c)
{
    while (*in && *in != (char)c)
        in++;
    return (char *)in;
}

char *strcasestr(const char *in, const char *what)
{
    size_t size = strlen(what);
    for (;; in++) {
        if (!strncasecmp(in, what, size))
            return (char *)in;
        if (!*in)
            return 0;
    }
}

void *memccpy(void *to, const void *from, int c, size_t size)
{
    for (size_t n = 0; n < size; n++)
        if ((((char *)to)[n] = ((const char *)from)[n]) == (char)c)
            return (char *)to + n + 1;
    return 0;
}

size_t strlcpy(char *to, const char *from, size_t size)
{
    size_t length = strlen(from);
    if (size) {
        size_t n = length < size ? length : size - 1;
        memcpy(to, from, n);
        to[n] = 0;
    }
    return length;
}

size_t strlcat(char *to, const char *from, size_t size)
{
    size_t before = 0;
    while (before < size && to[before])
        before++;
    return before + strlcpy(to + before, from, size - before);
}

int strcoll(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

struct __selvedge_words_int { int quot, rem; };
struct __selvedge_words_long { long quot, rem; };
struct __selvedge_words_int div(int a, int b) { return (struct __selvedge_words_int){a / b, a % b}; }
struct __selvedge_words_long ldiv(long a, long b) { return (struct __selvedge_words_long){a / b, a % b}; }
struct __selvedge_words_long lldiv(long a, long b) { return (struct __selvedge_words_long){a / b, a % b}; }

double round(double x);
long lround(double x) { return (long)round(x); }
long llround(double x) { return (long)round(x); }
long lroundf(float x) { return (long)round(x); }
long llroundf(float x) { return (long)round(x); }

static double __selvedge_words_even(double x)
{
    double floor(double), whole = floor(x), rest = x - whole;
    long even = (long)whole % 2 == 0;
    return rest < 0.5 || (rest == 0.5 && even) ? whole : whole + 1;
}

long lrint(double x) { return (long)__selvedge_words_even(x); }
long llrint(double x) { return (long)__selvedge_words_even(x); }
long lrintf(float x) { return (long)__selvedge_words_even(x); }
long llrintf(float x) { return (long)__selvedge_words_even(x); }

double modf(double x, double *whole)
{
    double floor(double), ceil(double), copysign(double, double);
    *whole = x < 0 ? ceil(x) : floor(x);
    return copysign(x == *whole ? 0 : x - *whole, x);
}

double frexp(double x, int *power)
{
    *power = 0;
    if (x == 0 || x != x || x - x != 0)
        return x;
    for (; x >= 1 || x <= -1; ++*power)
        x /= 2;
    for (; x < 0.5 && x > -0.5; --*power)
        x *= 2;
    return x;
}

double ldexp(double x, int power)
{
    double least = 1;
    if (x == 0 || x - x != 0)
        return x;
    for (; power > 0 && x - x == 0; power--)
        x *= 2;
    for (; power < 0 && (x >= 0x1p-1021 || x <= -0x1p-1021); power++)
        x /= 2;
    /* What is left makes it so small that it is rounded: once. */
    for (; power < 0 && least != 0; power++)
        least /= 2;
    return x * least;
}

float ldexpf(float x, int power) { return (float)ldexp(x, power); }
double scalbn(double x, int power) { return ldexp(x, power); }

/* What glibc says of the errors that functions of this library end in, and that programs make. */
char *strerror(int error)
{
    switch (error) {
    case 0: return "Success";
    case 1: return "Operation not permitted";
    case 2: return "No such file or directory";
    case 3: return "No such process";
    case 4: return "Interrupted system call";
    case 5: return "Input/output error";
    case 9: return "Bad file descriptor";
    case 11: return "Resource temporarily unavailable";
    case 12: return "Cannot allocate memory";
    case 13: return "Permission denied";
    case 16: return "Device or resource busy";
    case 17: return "File exists";
    case 20: return "Not a directory";
    case 21: return "Is a directory";
    case EINVAL: return "Invalid argument";
    case 28: return "No space left on device";
    case 33: return "Numerical argument out of domain";
    case ERANGE: return "Numerical result out of range";
    case 35: return "Resource deadlock avoided";
    case 38: return "Function not implemented";
    case 75: return "Value too large for defined data type";
    case 110: return "Connection timed out";
    case 125: return "Operation canceled";
    }
    return "Unknown error";
}

/* The one of GNU; the one of POSIX copies. */
char *strerror_r(int error, char *to, size_t size)
{
    (void)to;
    (void)size;
    return strerror(error);
}

int __xpg_strerror_r(int error, char *to, size_t size)
{
    const char *text = strerror(error);
    size_t length = strlen(text);
    if (size == 0)
        return ERANGE;
    memcpy(to, text, length < size ? length : size - 1);
    to[length < size ? length : size - 1] = 0;
    return length < size ? 0 : ERANGE;
}
