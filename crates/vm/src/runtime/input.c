/* What comes from standard input: anything, and its end at any time. Lowered to `input.ir` by
 * `scripts/runtime-files.sh`.
 *
 * Numbers that are read are any numbers, without a look at how they are written.
 */
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#define END (-1)
#define LARGEST 0x7fffffffffffffffL

_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
unsigned long __VERIFIER_nondet_ulong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);

int __selvedge_input_byte(void)
{
    return __VERIFIER_nondet_bool() ? END : __VERIFIER_nondet_uchar();
}

ssize_t __selvedge_input_bytes(char *to, size_t n)
{
    size_t done = 0;
    for (int c; done < n && (c = __selvedge_input_byte()) != END; done++)
        to[done] = (char)c;
    return done;
}

char *__selvedge_input_line(char *to, int size)
{
    int done = 0;
    if (size <= 0)
        return NULL;
    for (int c; done < size - 1 && (c = __selvedge_input_byte()) != END;) {
        to[done++] = (char)c;
        if (c == '\n')
            break;
    }
    if (done == 0 && size > 1)
        return NULL;
    to[done] = 0;
    return to;
}

int getchar(void) { return __selvedge_input_byte(); }
int getchar_unlocked(void) { return __selvedge_input_byte(); }

/* A word of up to so many bytes, if there is one; what it is made of is not looked at, but that it has no blanks. */
static int __selvedge_input_word(char *to, long most, int blanks)
{
    long n = 0;
    for (; n < most; n++) {
        if (!blanks && n > 0 && __VERIFIER_nondet_bool())
            break;
        char c = (char)__VERIFIER_nondet_uchar();
        if (!blanks && (c == ' ' || (c >= '\t' && c <= '\r')))
            return 0;
        if (to)
            to[n] = c;
    }
    if (to && !blanks)
        to[n] = 0;
    return 1;
}

int vscanf(const char *format, va_list list)
{
    int stored = 0;
    for (; *format; format++) {
        if (*format == ' ' || (*format >= '\t' && *format <= '\r'))
            continue;
        /* The end, or what does not fit. */
        if (!stored && __VERIFIER_nondet_bool())
            return END;
        if (*format != '%') {
            if (__VERIFIER_nondet_bool())
                return stored;
            continue;
        }
        int skip = 0, size = 4;
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
        if (what != 'n' && __VERIFIER_nondet_bool())
            return stored;
        if (what == '%')
            continue;
        void *to = skip ? NULL : va_arg(list, void *);
        if (what == 's' || what == 'c' || what == '[') {
            if (!__selvedge_input_word(to, width ? width : what == 'c' ? 1 : LARGEST, what == 'c'))
                return stored;
            if (what == '[') {
                format += format[1] == '^' ? 2 : 1;
                for (format++; *format != ']'; format++)
                    ;
            }
            stored += !skip;
            continue;
        }
        if (to) {
            const int is_float = what == 'f' || what == 'e' || what == 'g' || what == 'a' || what == 'E' || what == 'G';
            if (is_float && size == 8)
                *(double *)to = __VERIFIER_nondet_double();
            else if (is_float)
                *(float *)to = __VERIFIER_nondet_float();
            else if (size == 1)
                *(unsigned char *)to = (unsigned char)__VERIFIER_nondet_ulong();
            else if (size == 2)
                *(unsigned short *)to = (unsigned short)__VERIFIER_nondet_ulong();
            else if (size == 4 && what != 'p')
                *(unsigned *)to = (unsigned)__VERIFIER_nondet_ulong();
            else
                *(unsigned long *)to = __VERIFIER_nondet_ulong();
        }
        stored += !skip && what != 'n';
    }
    return stored;
}

int scanf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = vscanf(format, list);
    va_end(list);
    return stored;
}

int __isoc99_scanf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = vscanf(format, list);
    va_end(list);
    return stored;
}

int __isoc23_scanf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = vscanf(format, list);
    va_end(list);
    return stored;
}
