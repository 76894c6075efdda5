// Streams: standard input, output and error, and strings. There are no locales but one, which knows letters
// and numbers.
//
// A stream that several threads write to is only read where nothing of it is set, so that this is no race.

#include "../cxxabi/reading.h"
#include <cstdio>
#include <ios>
#include <iostream>
#include <istream>
#include <locale>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <unistd.h>

// Not supported: what is called and nowhere defined is named.
const std::locale::facet *a_facet_of_a_locale();

namespace selvedge {

// How the only locale writes numbers.
struct Numbers final : std::num_put<char> {
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, bool value) const override;
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, long number) const override;
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, long long number) const override;
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, unsigned long number) const override;
    iter_type do_put(
        iter_type to, std::ios_base &stream, char fill, unsigned long long number) const override;
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, double number) const override;
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, long double number) const override;
    iter_type do_put(iter_type to, std::ios_base &stream, char fill, const void *address) const override;
};

// How it reads them.
struct NumbersRead final : std::num_get<char> {
    using base = std::ios_base;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, bool &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, long &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, long long &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, unsigned short &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, unsigned &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, unsigned long &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, unsigned long long &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, float &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, double &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, long double &) const override;
    iter_type do_get(iter_type, iter_type, base &, base::iostate &, void *&) const override;
};

// Standard input: the character that was looked at, or -1 at the end, or -2 where none was.
struct Input final : std::streambuf {
    int ahead;
    int_type underflow() override;
    int_type uflow() override;
};

// What is written goes out at once.
struct Console final : std::streambuf {
    int file;
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char *text, std::streamsize length) override;
};

} // namespace selvedge

// All streams are there before anything runs, word by word: tables of functions begin after two words.
extern "C" {
// How many words they have does not matter.
extern const char letters_table[10 * 8] asm("_ZTVNSt3__15ctypeIcEE");
extern const char numbers_table[13 * 8] asm("_ZTVN8selvedge7NumbersE");
extern const char reading_table[16 * 8] asm("_ZTVN8selvedge11NumbersReadE");
extern const char input_table[16 * 8] asm("_ZTVN8selvedge5InputE");
extern const char in_table[10 * 8] asm("_ZTVNSt3__113basic_istreamIcNS_11char_traitsIcEEEE");
extern const char console_table[16 * 8] asm("_ZTVN8selvedge7ConsoleE");
// After three words, those of the stream; after eight, those of its virtual base.
extern const char stream_table[10 * 8] asm("_ZTVNSt3__113basic_ostreamIcNS_11char_traitsIcEEEE");
}

namespace selvedge {

using Mask = std::ctype_base::mask;
struct Kinds {
    Mask of[256];
};
constexpr Kinds kinds = [] {
    Kinds kinds = {};
    auto set = [&](int from, int to, int mask) {
        for (int c = from; c <= to; c++)
            kinds.of[c] |= static_cast<Mask>(mask);
    };
    using base = std::ctype_base;
    set(0, 31, base::cntrl);
    set(127, 127, base::cntrl);
    set('\t', '\r', base::space);
    set(' ', ' ', base::space | base::blank | base::print);
    set('\t', '\t', base::blank);
    set('!', '~', base::print);
    set('!', '/', base::punct);
    set(':', '@', base::punct);
    set('[', '`', base::punct);
    set('{', '~', base::punct);
    set('0', '9', base::digit | base::xdigit);
    set('A', 'Z', base::upper | base::alpha);
    set('a', 'z', base::lower | base::alpha);
    set('A', 'F', base::xdigit);
    set('a', 'f', base::xdigit);
    return kinds;
}();

struct FacetWords {
    const char *functions;
    long owners;
    const Mask *table;
    long is_own;
};
static constinit FacetWords letters = {letters_table + 16, 0, kinds.of, 0};
static constinit FacetWords numbers = {numbers_table + 16, 0, nullptr, 0};
static constinit FacetWords numbers_read = {reading_table + 16, 0, nullptr, 0};
static_assert(sizeof(NumbersRead) <= sizeof numbers_read);
static_assert(sizeof(std::ctype<char>) == sizeof letters && sizeof(Numbers) <= sizeof numbers);

struct ConsoleWords {
    const char *functions;
    void *locale, *read[3], *written[3];
    int file;
};
static constinit ConsoleWords output_buffer = {console_table + 16, nullptr, {}, {}, 1};
static constinit ConsoleWords error_buffer = {console_table + 16, nullptr, {}, {}, 2};
static_assert(sizeof(Console) == sizeof output_buffer);
static constinit ConsoleWords input_buffer = {input_table + 16, nullptr, {}, {}, -2};
static_assert(sizeof(Input) == sizeof input_buffer);

struct StreamWords {
    const char *functions, *functions_of_base;
    unsigned flags;
    long precision, width;
    unsigned state, exceptions;
    void *buffer, *locale;
    void *callbacks[4], *words[3], *pointers[3];
    std::ostream *tied;
    int fill;
};
static_assert(sizeof(StreamWords) == sizeof(std::ostream));
constexpr StreamWords stream_to(ConsoleWords *buffer)
{
    auto flags = std::ios_base::skipws | std::ios_base::dec;
    return {stream_table + 24, stream_table + 64, flags, 6, 0, 0, 0, buffer, nullptr, {}, {}, {}, nullptr,
        ' '};
}

// The same, with the number of characters of the last read.
struct ReadingWords {
    const char *functions;
    long count;
    const char *functions_of_base;
    unsigned flags;
    long precision, width;
    unsigned state, exceptions;
    void *buffer, *locale;
    void *callbacks[4], *words[3], *pointers[3];
    void *tied;
    int fill;
};
static_assert(sizeof(ReadingWords) == sizeof(std::istream));

} // namespace selvedge

constinit std::locale::id std::numpunct<char>::id;

using namespace selvedge;
extern constinit StreamWords the_output asm("_ZNSt3__14coutE");
constinit ReadingWords the_input asm("_ZNSt3__13cinE") = {in_table + 24, 0, in_table + 64,
    std::ios_base::skipws | std::ios_base::dec, 6, 0, 0, 0, &input_buffer, nullptr, {}, {}, {}, &the_output,
    ' '};
constinit StreamWords the_output asm("_ZNSt3__14coutE") = stream_to(&output_buffer);
constinit StreamWords the_errors asm("_ZNSt3__14cerrE") = stream_to(&error_buffer);
constinit StreamWords the_log asm("_ZNSt3__14clogE") = stream_to(&error_buffer);

// Before C++20, `str` has another name.
std::string text_of(const std::stringbuf *buffer)
    asm("_ZNKSt3__115basic_stringbufIcNS_11char_traitsIcEENS_9allocatorIcEEE3strEv");
std::string text_of(const std::stringbuf *buffer) { return std::string(buffer->view()); }

namespace std {

// ---- locales ----

locale::locale() noexcept : __locale_(nullptr) { }
locale::locale(const locale &) noexcept : __locale_(nullptr) { }
locale::~locale() { }
const locale &locale::operator=(const locale &) noexcept { return *this; }
const locale &locale::classic()
{
    alignas(locale) static const char none[sizeof(locale)] = {};
    return *reinterpret_cast<const locale *>(none);
}
bool locale::operator==(const locale &) const { return true; }
bool locale::has_facet(id &which) const
{
    return &which == &std::ctype<char>::id || &which == &num_put<char>::id || &which == &num_get<char>::id;
}
const locale::facet *locale::use_facet(id &which) const
{
    if (&which == &std::ctype<char>::id)
        return reinterpret_cast<const facet *>(&selvedge::letters);
    if (&which == &num_put<char>::id)
        return reinterpret_cast<const facet *>(&selvedge::numbers);
    if (&which == &num_get<char>::id)
        return reinterpret_cast<const facet *>(&selvedge::numbers_read);
    return a_facet_of_a_locale();
}
locale::facet::~facet() { }
void locale::facet::__on_zero_shared() noexcept { delete this; }

constinit locale::id ctype<char>::id;
ctype<char>::ctype(const mask *table, bool, size_t references)
    : locale::facet(references), __tab_(table), __del_(false)
{
}
ctype<char>::~ctype() { }
char ctype<char>::do_toupper(char c) const { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }
const char *ctype<char>::do_toupper(char *low, const char *high) const
{
    for (; low != high; low++)
        *low = do_toupper(*low);
    return low;
}
char ctype<char>::do_tolower(char c) const { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
const char *ctype<char>::do_tolower(char *low, const char *high) const
{
    for (; low != high; low++)
        *low = do_tolower(*low);
    return low;
}
char ctype<char>::do_widen(char c) const { return c; }
const char *ctype<char>::do_widen(const char *low, const char *high, char *to) const
{
    while (low != high)
        *to++ = *low++;
    return low;
}
char ctype<char>::do_narrow(char c, char) const { return c; }
const char *ctype<char>::do_narrow(const char *low, const char *high, char, char *to) const
{
    while (low != high)
        *to++ = *low++;
    return low;
}

// ---- what is below all streams ----

ios_base::~ios_base() { }
void ios_base::init(void *buffer)
{
    __rdbuf_ = buffer;
    __rdstate_ = buffer ? goodbit : badbit;
    __exceptions_ = goodbit;
    __fmtflags_ = skipws | dec;
    __width_ = 0;
    __precision_ = 6;
    __fn_ = nullptr;
    __index_ = nullptr;
    __event_size_ = __event_cap_ = 0;
    __iarray_ = nullptr;
    __iarray_size_ = __iarray_cap_ = 0;
    __parray_ = nullptr;
    __parray_size_ = __parray_cap_ = 0;
    __loc_ = nullptr;
}
void ios_base::clear(iostate state)
{
    __rdstate_ = __rdbuf_ ? state : state | badbit;
    if (__rdstate_ & __exceptions_)
        throw failure("ios_base::clear");
}
locale ios_base::getloc() const { return locale(); }
locale ios_base::imbue(const locale &) { return locale(); }
bool ios_base::sync_with_stdio(bool) { return true; }
void ios_base::__call_callbacks(event) { }
void ios_base::__set_badbit_and_consider_rethrow()
{
    __rdstate_ |= badbit;
    if (__exceptions_ & badbit)
        throw;
}
void ios_base::__set_failbit_and_consider_rethrow()
{
    __rdstate_ |= failbit;
    if (__exceptions_ & failbit)
        throw;
}
void ios_base::copyfmt(const ios_base &other)
{
    __fmtflags_ = other.__fmtflags_;
    __precision_ = other.__precision_;
    __width_ = other.__width_;
}
void ios_base::move(ios_base &other)
{
    copyfmt(other);
    __rdstate_ = other.__rdstate_;
    __exceptions_ = other.__exceptions_;
    __rdbuf_ = nullptr;
    __loc_ = nullptr;
    __fn_ = nullptr;
    __index_ = nullptr;
    __event_size_ = __event_cap_ = 0;
    __iarray_ = nullptr;
    __iarray_size_ = __iarray_cap_ = 0;
    __parray_ = nullptr;
    __parray_size_ = __parray_cap_ = 0;
}
void ios_base::swap(ios_base &other) noexcept
{
    std::swap(__fmtflags_, other.__fmtflags_);
    std::swap(__precision_, other.__precision_);
    std::swap(__width_, other.__width_);
    std::swap(__rdstate_, other.__rdstate_);
    std::swap(__exceptions_, other.__exceptions_);
}
ios_base::failure::failure(const string &message, const error_code &code) : system_error(code, message) { }
ios_base::failure::failure(const char *message, const error_code &code) : system_error(code, message) { }
ios_base::failure::~failure() noexcept { }

// ---- what is written ----

using To = ostreambuf_iterator<char>;

// The buffer that an iterator writes to, its only word.
static streambuf *&buffer_of(To &to) { return reinterpret_cast<streambuf *&>(to); }
static_assert(sizeof(To) == sizeof(streambuf *));

// As headers pad: what they are told to begin with, then what is filled in, then the rest. The width is only
// set where it was not 0.
extern "C" To __selvedge_libcxx_pad(
    To to, const char *begin, const char *middle, const char *end, ios_base &stream, char fill)
{
    streambuf *&buffer = buffer_of(to);
    if (!buffer)
        return to;
    streamsize width = stream.width();
    if (width != 0)
        stream.width(0);
    bool done = buffer->sputn(begin, middle - begin) == middle - begin;
    for (; width > end - begin; width--)
        buffer->sputc(fill);
    done = buffer->sputn(middle, end - middle) == end - middle && done;
    if (!done)
        buffer = nullptr;
    return to;
}

static To put_padded(To to, ios_base &stream, char fill, const char *text, streamsize length, streamsize sign)
{
    auto adjust = stream.flags() & ios_base::adjustfield;
    auto before = adjust == ios_base::internal ? sign : adjust == ios_base::left ? length : 0;
    return __selvedge_libcxx_pad(to, text, text + before, text + length, stream, fill);
}

static To put_number(
    To to, ios_base &stream, char fill, unsigned long long number, bool is_negative, bool is_signed)
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
    return put_padded(to, stream, fill, at, end - at, digits - at);
}

template <class Number> static To put_signed(To to, ios_base &stream, char fill, Number number)
{
    bool decimal = !(stream.flags() & (ios_base::oct | ios_base::hex));
    auto bits = static_cast<unsigned long long>(number);
    bool is_negative = decimal && number < 0;
    return put_number(to, stream, fill, is_negative ? -bits : bits, is_negative, true);
}

// ---- what is read ----

// What a stream reads from.
struct Buffer {
    streambuf *buffer;
    int peek() const { return buffer ? buffer->sgetc() : -1; }
    int next() const { return buffer->snextc(); }
    bool is_outside() const { return static_cast<void *>(buffer) == &selvedge::input_buffer; }
};

// What a stream does before it is read. Its result is the only member of `sentry`.
static_assert(sizeof(istream::sentry) == sizeof(bool));
extern "C" void __selvedge_libcxx_sentry(bool &good, istream &stream, bool keeps_blanks)
{
    good = false;
    if (!stream.good()) {
        stream.setstate(ios_base::failbit);
        return;
    }
    if (stream.tie())
        stream.tie()->flush();
    Buffer from {stream.rdbuf()};
    if (!keeps_blanks && stream.flags() & ios_base::skipws
        && selvedge::after_blanks(from, from.is_outside()) == -1)
        stream.setstate(ios_base::failbit | ios_base::eofbit);
    good = stream.good();
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
template class num_put<char>;
template class num_get<char>;

} // namespace std

namespace selvedge {

using std::ios_base;
using To = std::ostreambuf_iterator<char>;

To Numbers::do_put(To to, ios_base &stream, char fill, bool value) const
{
    if (!(stream.flags() & ios_base::boolalpha))
        return std::put_number(to, stream, fill, value, false, false);
    return std::put_padded(to, stream, fill, value ? "true" : "false", value ? 4 : 5, 0);
}
To Numbers::do_put(To to, ios_base &stream, char fill, long number) const
{
    return std::put_signed(to, stream, fill, number);
}
To Numbers::do_put(To to, ios_base &stream, char fill, long long number) const
{
    return std::put_signed(to, stream, fill, number);
}
To Numbers::do_put(To to, ios_base &stream, char fill, unsigned long number) const
{
    return std::put_number(to, stream, fill, number, false, false);
}
To Numbers::do_put(To to, ios_base &stream, char fill, unsigned long long number) const
{
    return std::put_number(to, stream, fill, number, false, false);
}
To Numbers::do_put(To to, ios_base &stream, char fill, double number) const
{
    char text[512];
    int places = static_cast<int>(stream.precision());
    auto format = stream.flags() & ios_base::floatfield;
    int length = format == ios_base::fixed ? snprintf(text, sizeof text, "%.*f", places, number)
        : format == ios_base::scientific   ? snprintf(text, sizeof text, "%.*e", places, number)
                                           : snprintf(text, sizeof text, "%.*g", places, number);
    return std::put_padded(to, stream, fill, text, length, text[0] == '-' ? 1 : 0);
}
To Numbers::do_put(To to, ios_base &stream, char fill, long double number) const
{
    return do_put(to, stream, fill, static_cast<double>(number));
}
To Numbers::do_put(To to, ios_base &stream, char fill, const void *address) const
{
    char text[32];
    int length = snprintf(text, sizeof text, address ? "%p" : "(nil)", address);
    return std::put_padded(to, stream, fill, text, length, 0);
}

using From = std::istreambuf_iterator<char>;

// The buffer that an iterator reads from, its only word.
static std::streambuf *&buffer_of(From &from) { return reinterpret_cast<std::streambuf *&>(from); }
static_assert(sizeof(From) == sizeof(std::streambuf *));

template <class Number> static Read read_of(std::Buffer from, ios_base &stream, Number &value)
{
    auto field = stream.flags() & ios_base::basefield;
    unsigned base = field == ios_base::oct ? 8 : field == ios_base::hex ? 16 : field == ios_base::dec ? 10 : 0;
    return from.is_outside() ? any_number(from, value) : read_number(from, base, value);
}

static From finish(From at, std::Buffer from, ios_base::iostate &state, bool good)
{
    if (!good)
        state |= ios_base::failbit;
    if (from.peek() == -1)
        state |= ios_base::eofbit;
    return at;
}

template <class Number>
static From get_number(From at, ios_base &stream, ios_base::iostate &state, Number &value)
{
    std::Buffer from {buffer_of(at)};
    Read read = read_of(from, stream, value);
    return finish(at, from, state, read == Read::Number);
}

static bool get_word(std::Buffer from, bool &value)
{
    const char *words[] = {"false", "true"};
    bool fits[] = {true, true};
    int at = 0;
    for (int c = from.peek(); c != -1; c = from.next(), at++) {
        bool more = false;
        for (int which : {0, 1}) {
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

From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, bool &value) const
{
    std::Buffer from {buffer_of(at)};
    bool known = false;
    if (stream.flags() & ios_base::boolalpha)
        known = get_word(from, value);
    else {
        long number = 0;
        known = read_of(from, stream, number) == Read::Number && (number == 0 || number == 1);
        value = number != 0;
    }
    return finish(at, from, state, known);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, long &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, long long &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, unsigned short &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, unsigned &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, unsigned long &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, unsigned long long &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, float &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, double &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, long double &value) const
{
    return get_number(at, stream, state, value);
}
From NumbersRead::do_get(From at, From, base &stream, base::iostate &state, void *&value) const
{
    auto before = stream.flags();
    unsigned long number = 0;
    stream.setf(ios_base::hex, ios_base::basefield);
    at = get_number(at, stream, state, number);
    stream.flags(before);
    value = reinterpret_cast<void *>(number);
    return at;
}

Input::int_type Input::underflow()
{
    if (ahead == -2) {
        unsigned char byte;
        ahead = read(0, &byte, 1) == 1 ? byte : -1;
    }
    return ahead;
}
Input::int_type Input::uflow()
{
    int c = underflow();
    if (c != -1)
        ahead = -2;
    return c;
}

Console::int_type Console::overflow(int_type c)
{
    char byte = traits_type::to_char_type(c);
    return traits_type::eq_int_type(c, traits_type::eof()) || write(file, &byte, 1) == 1
        ? traits_type::not_eof(c)
        : traits_type::eof();
}
std::streamsize Console::xsputn(const char *text, std::streamsize length)
{
    return length > 0 ? write(file, text, static_cast<std::size_t>(length)) : 0;
}

} // namespace selvedge
