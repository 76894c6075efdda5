// Numbers as streams read them: what of a text belongs to one, and what it is. A `Source` is where
// characters come from: `peek` gives the next one, or -1 at the end, and `next` takes it and gives the one
// after it.
//
// Standard input is not read for numbers: whatever can stand there is a number from outside.

#pragma once
#include <cstdlib>
#include <limits>
#include <type_traits>

extern "C" {
void selvedge_assume(int);
bool __VERIFIER_nondet_bool();
unsigned long __VERIFIER_nondet_ulong();
float __VERIFIER_nondet_float();
double __VERIFIER_nondet_double();
}

// Not supported: what is called and nowhere defined is named.
void reading_a_long_double_from_a_stream();
void reading_a_number_of_many_digits_from_a_stream();

namespace selvedge {

inline bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

enum class Read { Number, Nothing, TooLarge };

struct Digits {
    unsigned long long size;
    bool negative, any, too_large;
};

// Base 0 is what the text says: `0x1f`, `017`.
template <class Source> Digits read_digits(Source &from, unsigned base)
{
    Digits number = {};
    int c = from.peek();
    if (c == '+' || c == '-') {
        number.negative = c == '-';
        c = from.next();
    }
    if (c == '0' && (base == 0 || base == 16)) {
        number.any = true;
        c = from.next();
        if (c == 'x' || c == 'X') {
            base = 16;
            number.any = false;
            c = from.next();
        } else if (base == 0)
            base = 8;
    }
    if (base == 0)
        base = 10;
    for (;; c = from.next()) {
        unsigned digit = c >= '0' && c <= '9' ? c - '0'
            : c >= 'a' && c <= 'f'            ? c - 'a' + 10
            : c >= 'A' && c <= 'F'            ? c - 'A' + 10
                                              : 99;
        if (digit >= base)
            return number;
        number.any = true;
        number.too_large |= __builtin_mul_overflow(number.size, base, &number.size);
        number.too_large |= __builtin_add_overflow(number.size, digit, &number.size);
    }
}

// Numbers without a sign wrap around if the text has one.
template <class Source, class Number> Read read_integer(Source &from, unsigned base, Number &value)
{
    using Limits = std::numeric_limits<Number>;
    Digits digits = read_digits(from, base);
    value = 0;
    if (!digits.any)
        return Read::Nothing;
    bool below = std::is_signed_v<Number> && digits.negative;
    auto most = static_cast<unsigned long long>(Limits::max()) + below;
    if (digits.too_large || digits.size > most) {
        value = below ? Limits::min() : Limits::max();
        return Read::TooLarge;
    }
    value = static_cast<Number>(digits.negative ? -digits.size : digits.size);
    return Read::Number;
}

template <class Source, class Number> Read read_float(Source &from, Number &value)
{
    char text[128];
    unsigned length = 0;
    int c = from.peek();
    auto take = [&] {
        if (length == sizeof text - 1)
            reading_a_number_of_many_digits_from_a_stream();
        text[length++] = static_cast<char>(c);
        c = from.next();
    };
    auto digits = [&] {
        while (c >= '0' && c <= '9')
            take();
    };
    auto sign = [&] {
        if (c == '+' || c == '-')
            take();
    };
    sign();
    unsigned begin = length, points = 0;
    digits();
    if (c == '.') {
        points = 1;
        take();
        digits();
    }
    if (length > begin + points && (c == 'e' || c == 'E')) {
        take();
        sign();
        digits();
    }
    text[length] = 0;
    char *end = text;
    if constexpr (std::is_same_v<Number, float>)
        value = std::strtof(text, &end);
    else
        value = std::strtod(text, &end);
    if (end != text + length || length == 0) {
        value = 0;
        return Read::Nothing;
    }
    using Limits = std::numeric_limits<Number>;
    if (value <= Limits::max() && value >= -Limits::max())
        return Read::Number;
    value = value > 0 ? Limits::max() : -Limits::max();
    return Read::TooLarge;
}

template <class Source, class Number> Read read_number(Source &from, unsigned base, Number &value)
{
    if constexpr (std::is_same_v<Number, long double>)
        reading_a_long_double_from_a_stream();
    else if constexpr (std::is_floating_point_v<Number>)
        return read_float(from, value);
    else
        return read_integer(from, base, value);
    return Read::Nothing;
}

// A number of standard input, whose next character is one that a number may begin with, or not.
template <class Source, class Number> Read any_number(Source &from, Number &value)
{
    int c = from.peek();
    value = 0;
    if (!((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.'))
        return Read::Nothing;
    from.next();
    if (__VERIFIER_nondet_bool())
        return Read::Nothing;
    if (__VERIFIER_nondet_bool()) {
        bool below = std::is_signed_v<Number> && __VERIFIER_nondet_bool();
        value = below ? std::numeric_limits<Number>::lowest() : std::numeric_limits<Number>::max();
        return Read::TooLarge;
    }
    if constexpr (std::is_same_v<Number, long double>)
        reading_a_long_double_from_a_stream();
    else if constexpr (std::is_same_v<Number, float>)
        value = __VERIFIER_nondet_float();
    else if constexpr (std::is_same_v<Number, double>)
        value = __VERIFIER_nondet_double();
    else
        value = static_cast<Number>(__VERIFIER_nondet_ulong());
    return Read::Number;
}

// Passes blanks, and says what comes then. Whatever blanks standard input has, something else comes after
// them, or its end.
template <class Source> int after_blanks(Source &from, bool is_outside)
{
    int c = from.peek();
    if (is_outside) {
        if (is_blank(c)) {
            c = from.next();
            selvedge_assume(!is_blank(c));
        }
        return c;
    }
    while (is_blank(c))
        c = from.next();
    return c;
}

} // namespace selvedge
