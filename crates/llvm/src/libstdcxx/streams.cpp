// Streams that are written to: standard output and error, and strings. There are no locales, and nothing is read.
//
// A stream that several threads write to is only read where nothing of it is set, so that this is no race.

// The headers are not to leave the templates to the library: this is the library.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#include <cstdio>
#include <ios>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <unistd.h>

// Not supported: what is called and nowhere defined is named.
void reading_from_a_stream();

namespace std {

// ---- what is below all streams ----

locale::locale() noexcept : _M_impl(nullptr) { }
locale::locale(const locale &other) noexcept : _M_impl(other._M_impl) { }
locale::~locale() noexcept { }
const locale &locale::operator=(const locale &other) noexcept
{
    _M_impl = other._M_impl;
    return *this;
}

ios_base::ios_base() noexcept
    : _M_precision(), _M_width(), _M_flags(), _M_exception(), _M_streambuf_state(), _M_callbacks(nullptr),
      _M_word_zero(), _M_word_size(_S_local_word_size), _M_word(_M_local_word)
{
}
ios_base::~ios_base() { }
void ios_base::_M_init() noexcept
{
    _M_precision = 6;
    _M_width = 0;
    _M_flags = skipws | dec;
}
bool ios_base::sync_with_stdio(bool) { return true; }
ios_base::failure::~failure() throw() { }

template <> void basic_ios<char>::_M_cache_locale(const locale &) { }
template <> char basic_ios<char>::widen(char c) const { return c; }
template <> char basic_ios<char>::narrow(char c, char) const { return c; }

template <> basic_istream<char>::sentry::sentry(istream &, bool) { reading_from_a_stream(); }

// ---- what is written ----

static ostream &put_padded(ostream &stream, const char *text, streamsize length, streamsize sign = 0)
{
    streambuf *buffer = stream.rdbuf();
    if (!stream.good() || !buffer) {
        stream.setstate(ios_base::failbit);
        return stream;
    }
    streamsize width = stream.width();
    if (width != 0)
        stream.width(0);
    auto adjust = stream.flags() & ios_base::adjustfield;
    auto fill = [&] {
        for (; width > length; width--)
            buffer->sputc(stream.fill());
    };
    bool done = true;
    if (adjust == ios_base::internal) {
        done = buffer->sputn(text, sign) == sign;
        text += sign;
        fill();
        done = buffer->sputn(text, length - sign) == length - sign && done;
    } else {
        if (adjust != ios_base::left)
            fill();
        done = buffer->sputn(text, length) == length;
        fill();
    }
    if (!done)
        stream.setstate(ios_base::badbit);
    else if (stream.flags() & ios_base::unitbuf)
        buffer->pubsync();
    return stream;
}

static ostream &put_number(ostream &stream, unsigned long long number, bool is_negative, bool is_signed)
{
    auto flags = stream.flags();
    bool upper = flags & ios_base::uppercase;
    unsigned base = flags & ios_base::oct ? 8 : flags & ios_base::hex ? 16 : 10;
    char text[32];
    char *end = text + sizeof text, *at = end;
    auto rest = number;
    do
        *--at = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[rest % base];
    while (rest /= base);
    char *digits = at;
    if (flags & ios_base::showbase && number != 0 && base != 10) {
        if (base == 16)
            *--at = upper ? 'X' : 'x';
        *--at = '0';
    }
    if (is_negative)
        *--at = '-';
    else if (is_signed && base == 10 && flags & ios_base::showpos)
        *--at = '+';
    return put_padded(stream, at, end - at, digits - at);
}

template <class Number> static ostream &put_signed(ostream &stream, Number number)
{
    bool decimal = !(stream.flags() & (ios_base::oct | ios_base::hex));
    auto bits = static_cast<unsigned long long>(number);
    return decimal && number < 0 ? put_number(stream, -bits, true, true) : put_number(stream, bits, false, true);
}

static ostream &put_float(ostream &stream, double number)
{
    char text[512];
    int precision = static_cast<int>(stream.precision());
    auto format = stream.flags() & ios_base::floatfield;
    int length = format == ios_base::fixed ? snprintf(text, sizeof text, "%.*f", precision, number)
        : format == ios_base::scientific   ? snprintf(text, sizeof text, "%.*e", precision, number)
                                           : snprintf(text, sizeof text, "%.*g", precision, number);
    return put_padded(stream, text, length, text[0] == '-' ? 1 : 0);
}

template <> ostream &__ostream_insert(ostream &stream, const char *text, streamsize length)
{
    return put_padded(stream, text, length);
}
template <> template <> ostream &ostream::_M_insert(long number) { return put_signed(*this, number); }
template <> template <> ostream &ostream::_M_insert(long long number) { return put_signed(*this, number); }
template <> template <> ostream &ostream::_M_insert(unsigned long number)
{
    return put_number(*this, number, false, false);
}
template <> template <> ostream &ostream::_M_insert(unsigned long long number)
{
    return put_number(*this, number, false, false);
}
template <> template <> ostream &ostream::_M_insert(bool value)
{
    if (!(flags() & ios_base::boolalpha))
        return put_number(*this, value, false, false);
    return value ? put_padded(*this, "true", 4) : put_padded(*this, "false", 5);
}
template <> template <> ostream &ostream::_M_insert(double number) { return put_float(*this, number); }
template <> template <> ostream &ostream::_M_insert(long double number)
{
    return put_float(*this, static_cast<double>(number));
}
template <> template <> ostream &ostream::_M_insert(const void *address)
{
    char text[32];
    int length = snprintf(text, sizeof text, address ? "%p" : "0", address);
    return put_padded(*this, text, length);
}

template class basic_streambuf<char>;
template class basic_ios<char>;
template class basic_ostream<char>;
template class basic_istream<char>;
template class basic_iostream<char>;
template class basic_stringbuf<char>;
template class basic_ostringstream<char>;
template class basic_istringstream<char>;
template class basic_stringstream<char>;
template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);

// ---- standard output and error ----

namespace {
// What is written goes out at once.
struct Console final : streambuf {
    int file;
    explicit Console(int file) : file(file) { }
    int_type overflow(int_type c) override
    {
        char byte = traits_type::to_char_type(c);
        return traits_type::eq_int_type(c, traits_type::eof()) || write(file, &byte, 1) == 1
            ? traits_type::not_eof(c)
            : traits_type::eof();
    }
    streamsize xsputn(const char *text, streamsize length) override
    {
        return length > 0 ? write(file, text, static_cast<size_t>(length)) : 0;
    }
};

alignas(Console) char out_buffer[sizeof(Console)];
alignas(Console) char err_buffer[sizeof(Console)];
} // namespace

alignas(ostream) char the_output[sizeof(ostream)] asm("_ZSt4cout");
alignas(ostream) char the_errors[sizeof(ostream)] asm("_ZSt4cerr");
alignas(ostream) char the_log[sizeof(ostream)] asm("_ZSt4clog");

int ios_base::Init::_S_refcount;

// Every file that knows these streams makes them, before anything else of it: the first one does.
ios_base::Init::Init()
{
    if (_S_refcount++ != 0)
        return;
    auto *output = ::new (static_cast<void *>(out_buffer)) Console(1);
    auto *errors = ::new (static_cast<void *>(err_buffer)) Console(2);
    // The first look at what is filled in sets it.
    (::new (static_cast<void *>(the_output)) ostream(output))->fill();
    (::new (static_cast<void *>(the_errors)) ostream(errors))->fill();
    (::new (static_cast<void *>(the_log)) ostream(errors))->fill();
}
ios_base::Init::~Init() { }

} // namespace std
