// Floating-point numbers as text: `to_chars`, by which `format` writes them. What hexadecimal forms and
// `long double` need is not there, and named.

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Not supported: what is called and nowhere defined is named.
void a_number_in_hexadecimal_form();
void a_number_of_hundreds_of_digits();

namespace {

template <class Number> Number read_back(const char *text)
{
    if constexpr (sizeof(Number) == sizeof(float))
        return std::strtof(text, nullptr);
    else
        return std::strtod(text, nullptr);
}

struct Text {
    char letters[512];
    int length;
};

Text printed(double value, std::chars_format format, int digits)
{
    Text text;
    if (format == std::chars_format::hex)
        a_number_in_hexadecimal_form();
    text.length = format == std::chars_format::fixed
        ? snprintf(text.letters, sizeof text.letters, "%.*f", digits, value)
        : format == std::chars_format::scientific
        ? snprintf(text.letters, sizeof text.letters, "%.*e", digits, value)
        : snprintf(text.letters, sizeof text.letters, "%.*g", digits, value);
    if (text.length >= static_cast<int>(sizeof text.letters))
        a_number_of_hundreds_of_digits();
    return text;
}

// With as few digits as tell the number from all others.
template <class Number> Text shortest(Number value, std::chars_format format)
{
    if (!std::isfinite(value))
        return printed(value, std::chars_format::general, 1);
    int digits = 0;
    Text text = printed(value, std::chars_format::scientific, digits);
    while (read_back<Number>(text.letters) != value)
        text = printed(value, std::chars_format::scientific, ++digits);
    if (format == std::chars_format::scientific)
        return text;
    if (format != std::chars_format::fixed)
        return printed(value, format, digits + 1);
    int power = std::atoi(std::strchr(text.letters, 'e') + 1);
    return printed(value, format, digits > power ? digits - power : 0);
}

template <class Number> Text shortest(Number value)
{
    Text fixed = shortest(value, std::chars_format::fixed);
    Text scientific = shortest(value, std::chars_format::scientific);
    return scientific.length < fixed.length ? scientific : fixed;
}

std::to_chars_result put(char *first, char *last, const Text &text)
{
    if (last - first < text.length)
        return {last, std::errc::value_too_large};
    std::memcpy(first, text.letters, static_cast<std::size_t>(text.length));
    return {first + text.length, std::errc()};
}

} // namespace

namespace std {
inline namespace __1 {

to_chars_result to_chars(char *first, char *last, float value) { return put(first, last, shortest(value)); }
to_chars_result to_chars(char *first, char *last, double value) { return put(first, last, shortest(value)); }
to_chars_result to_chars(char *first, char *last, float value, chars_format format)
{
    return put(first, last, shortest(value, format));
}
to_chars_result to_chars(char *first, char *last, double value, chars_format format)
{
    return put(first, last, shortest(value, format));
}
to_chars_result to_chars(char *first, char *last, float value, chars_format format, int digits)
{
    return put(first, last, printed(value, format, digits));
}
to_chars_result to_chars(char *first, char *last, double value, chars_format format, int digits)
{
    return put(first, last, printed(value, format, digits));
}

// Output is no terminal.
bool __is_posix_terminal(FILE *) { return false; }

} // namespace __1
} // namespace std
