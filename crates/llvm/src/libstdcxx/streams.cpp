// Streams: standard input, output and error, and strings. There are no locales.
//
// A stream that several threads write to is only read where nothing of it is set, so that this is no race.

// The headers are not to leave the templates to the library: this is the library.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#include "../cxxabi/reading.h"
#include <cstdio>
#include <ios>
#include <istream>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <unistd.h>

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

namespace {
struct OfStreams final : error_category {
    const char *name() const noexcept override { return "iostream"; }
    string message(int) const override { return "iostream error"; }
};
[[clang::no_destroy]] constinit OfStreams of_streams;
} // namespace
const error_category &iostream_category() noexcept { return of_streams; }

ios_base::failure::failure(const string &text) : system_error(io_errc::stream, text) { }
ios_base::failure::failure(const string &text, const error_code &code) : system_error(code, text) { }
ios_base::failure::failure(const char *text, const error_code &code) : system_error(code, text) { }
ios_base::failure::~failure() throw() { }
const char *ios_base::failure::what() const throw() { return system_error::what(); }
void __throw_ios_failure(const char *text) { throw ios_base::failure(text); }

template <> void basic_ios<char>::_M_cache_locale(const locale &) { }
template <> char basic_ios<char>::widen(char c) const { return c; }
template <> char basic_ios<char>::narrow(char c, char) const { return c; }

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

// ---- what is read ----

namespace {
// What a stream reads from.
struct Buffer {
    streambuf *buffer;
    int peek() const { return buffer ? buffer->sgetc() : -1; }
    int next() const { return buffer->snextc(); }
    bool is_outside() const;
};
} // namespace

static void finish(istream &stream, Buffer from, bool good)
{
    auto state = good ? ios_base::goodbit : ios_base::failbit;
    if (from.peek() == -1)
        state |= ios_base::eofbit;
    if (state != ios_base::goodbit)
        stream.setstate(state);
}

template <> basic_istream<char>::sentry::sentry(istream &stream, bool keeps_blanks) : _M_ok(false)
{
    auto state = ios_base::goodbit;
    if (stream.good()) {
        if (stream.tie())
            stream.tie()->flush();
        Buffer from { stream.rdbuf() };
        if (!keeps_blanks && stream.flags() & ios_base::skipws
            && selvedge::after_blanks(from, from.is_outside()) == -1)
            state |= ios_base::eofbit;
    }
    if (stream.good() && state == ios_base::goodbit)
        _M_ok = true;
    else
        stream.setstate(state | ios_base::failbit);
}

template <class Number> static bool is_read(istream &stream, Buffer from, Number &value)
{
    auto field = stream.flags() & ios_base::basefield;
    unsigned base = field == ios_base::oct ? 8
        : field == ios_base::hex           ? 16
        : field == ios_base::dec           ? 10
                                           : 0;
    auto read
        = from.is_outside() ? selvedge::any_number(from, value) : selvedge::read_number(from, base, value);
    return read == selvedge::Read::Number;
}

template <class Number> static istream &get_number(istream &stream, Number &value)
{
    if (istream::sentry good(stream); good) {
        Buffer from { stream.rdbuf() };
        bool known = is_read(stream, from, value);
        finish(stream, from, known);
    }
    return stream;
}

static bool get_word(Buffer from, bool &value)
{
    const char *words[] = { "false", "true" };
    bool fits[] = { true, true };
    int at = 0;
    for (int c = from.peek(); c != -1; c = from.next(), at++) {
        bool more = false;
        for (int which : { 0, 1 }) {
            fits[which] = fits[which] && words[which][at] == c;
            more |= fits[which];
        }
        if (!more)
            break;
        // Neither begins as the other.
        value = fits[1];
        if (words[value][at + 1] == 0) {
            from.next();
            return true;
        }
    }
    value = false;
    return false;
}

template <> istream &istream::operator>>(short &value) { return get_number(*this, value); }
template <> istream &istream::operator>>(int &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(unsigned short &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(unsigned &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(long &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(unsigned long &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(long long &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(unsigned long long &value)
{
    return get_number(*this, value);
}
template <> template <> istream &istream::_M_extract(float &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(double &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(long double &value) { return get_number(*this, value); }
template <> template <> istream &istream::_M_extract(bool &value)
{
    if (sentry good(*this); good) {
        Buffer from { rdbuf() };
        bool known = false;
        if (flags() & ios_base::boolalpha)
            known = get_word(from, value);
        else {
            long number = 0;
            known = is_read(*this, from, number) && (number == 0 || number == 1);
            value = number != 0;
        }
        finish(*this, from, known);
    }
    return *this;
}
template <> template <> istream &istream::_M_extract(void *&value)
{
    auto before = flags();
    unsigned long number = 0;
    setf(hex, basefield);
    get_number(*this, number);
    flags(before);
    value = reinterpret_cast<void *>(number);
    return *this;
}

template <> istream &operator>>(istream &stream, string &text)
{
    if (istream::sentry good(stream); good) {
        Buffer from { stream.rdbuf() };
        text.erase();
        auto left = stream.width() > 0 ? stream.width() : numeric_limits<streamsize>::max();
        int c = from.peek();
        for (; left > 0 && c != -1 && !selvedge::is_blank(c); left--, c = from.next())
            text += static_cast<char>(c);
        stream.width(0);
        auto state = c == -1 && left > 0 ? ios_base::eofbit : ios_base::goodbit;
        if (text.empty())
            state |= ios_base::failbit;
        stream.setstate(state);
    }
    return stream;
}

void __istream_extract(istream &stream, char *text, streamsize size)
{
    streamsize count = 0;
    if (istream::sentry good(stream); good) {
        Buffer from { stream.rdbuf() };
        if (stream.width() > 0 && stream.width() < size)
            size = stream.width();
        int c = from.peek();
        for (; count < size - 1 && c != -1 && !selvedge::is_blank(c); c = from.next())
            text[count++] = static_cast<char>(c);
        stream.width(0);
        auto state = c == -1 && count < size - 1 ? ios_base::eofbit : ios_base::goodbit;
        if (count == 0)
            state |= ios_base::failbit;
        text[count] = 0;
        stream.setstate(state);
    }
}

template <> istream &getline(istream &stream, string &line, char end)
{
    auto state = ios_base::failbit;
    if (istream::sentry good(stream, true); good) {
        Buffer from { stream.rdbuf() };
        line.erase();
        int c = from.peek();
        for (; c != -1; c = from.next()) {
            state = ios_base::goodbit;
            if (c == static_cast<unsigned char>(end)) {
                from.buffer->sbumpc();
                break;
            }
            line += static_cast<char>(c);
        }
        if (c == -1)
            state |= ios_base::eofbit;
    }
    if (state != ios_base::goodbit)
        stream.setstate(state);
    return stream;
}

template <> istream &istream::getline(char *text, streamsize size, char end)
{
    _M_gcount = 0;
    auto state = ios_base::goodbit;
    if (sentry good(*this, true); good) {
        Buffer from { rdbuf() };
        streamsize count = 0;
        int c = from.peek();
        for (; c != -1 && c != static_cast<unsigned char>(end) && count < size - 1; c = from.next())
            text[count++] = static_cast<char>(c);
        _M_gcount = count;
        if (c == -1)
            state |= eofbit;
        else if (c == static_cast<unsigned char>(end)) {
            from.buffer->sbumpc();
            _M_gcount++;
        } else
            state |= failbit;
        if (size > 0)
            text[count] = 0;
    } else if (size > 0)
        text[0] = 0;
    if (_M_gcount == 0)
        state |= failbit;
    if (state != goodbit)
        setstate(state);
    return *this;
}

static istream &ignore_up_to(istream &stream, streamsize &count, streamsize most, int end)
{
    count = 0;
    if (istream::sentry good(stream, true); good) {
        Buffer from { stream.rdbuf() };
        while (most == numeric_limits<streamsize>::max() || count < most) {
            int c = from.buffer->sbumpc();
            if (c == -1) {
                stream.setstate(ios_base::eofbit);
                break;
            }
            count++;
            if (c == end)
                break;
        }
    }
    return stream;
}
template <> istream &istream::ignore(streamsize most, int_type end) { return ignore_up_to(*this, _M_gcount, most, end); }
template <> istream &istream::ignore(streamsize most) { return ignore_up_to(*this, _M_gcount, most, -2); }

template <> streamsize __copy_streambufs_eof(streambuf *from, streambuf *to, bool &at_end)
{
    streamsize count = 0;
    at_end = true;
    for (int c = from->sgetc(); c != -1; c = from->snextc(), count++) {
        if (to->sputc(static_cast<char>(c)) == -1) {
            at_end = false;
            break;
        }
    }
    return count;
}

template <> istream &ws(istream &stream)
{
    Buffer from { stream.rdbuf() };
    if (istream::sentry good(stream, true); good && selvedge::after_blanks(from, from.is_outside()) == -1)
        stream.setstate(ios_base::eofbit);
    return stream;
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
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);
template istream &getline(istream &, string &);

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

// Standard input: the character that was looked at, or -1 at the end, or -2 where none was.
struct Input final : streambuf {
    int ahead = -2;
    int_type underflow() override
    {
        if (ahead == -2) {
            unsigned char byte;
            ahead = read(0, &byte, 1) == 1 ? byte : -1;
        }
        return ahead;
    }
    int_type uflow() override
    {
        int c = underflow();
        if (c != -1)
            ahead = -2;
        return c;
    }
    streamsize showmanyc() override { return 0; }
};

alignas(Input) char in_buffer[sizeof(Input)];
bool Buffer::is_outside() const { return buffer == reinterpret_cast<streambuf *>(in_buffer); }

alignas(Console) char out_buffer[sizeof(Console)];
alignas(Console) char err_buffer[sizeof(Console)];
} // namespace

alignas(istream) char the_input[sizeof(istream)] asm("_ZSt3cin");
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
    auto *input = ::new (static_cast<void *>(in_buffer)) Input();
    auto *in = ::new (static_cast<void *>(the_input)) istream(input);
    // The first look at what is filled in sets it.
    (::new (static_cast<void *>(the_output)) ostream(output))->fill();
    (::new (static_cast<void *>(the_errors)) ostream(errors))->fill();
    (::new (static_cast<void *>(the_log)) ostream(errors))->fill();
    in->tie(reinterpret_cast<ostream *>(the_output));
}
ios_base::Init::~Init() { }

} // namespace std
