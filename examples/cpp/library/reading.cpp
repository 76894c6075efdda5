// Streams that are read: strings, and standard input, which gives anything. -DPART names one.
//
// expect: rc11 verified executions=1 -DPART=numbers
// expect: rc11 verified executions=1 -DPART=limits
// expect: rc11 verified executions=1 -DPART=words
// expect: rc11 verified executions=1 -DPART=lines
// expect: rc11 verified executions=1 -DPART=places
// expect: rc11 verified executions=1 -DPART=failures
// expect: rc11 verified -DPART=input
// expect: rc11 violated assertion -DPART=limits -DWRONG=1
// expect: rc11 violated assertion -DPART=input -DWRONG=2
// expect: rc11 violated data-race -DPART=shared -DWRONG=3
// args: -std=c++20
#include <cassert>
#include <climits>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

void numbers()
{
    std::istringstream in("12 -7 3.5 ff 0x10 true 1 -.5e1");
    int a = 0, b = 0;
    double c = 0;
    unsigned d = 0, e = 0;
    bool f = false, g = false;
    float h = 0;
    in >> a >> b >> c >> std::hex >> d >> e >> std::dec >> std::boolalpha >> f >> std::noboolalpha >> g >> h;
    assert(in && in.eof() && a == 12 && b == -7 && c == 3.5 && d == 255 && e == 16 && f && g && h == -5);
    std::istringstream any("010 0x1f 10");
    any.unsetf(std::ios::basefield);
    any >> a >> b >> d;
    assert(a == 8 && b == 31 && d == 10);
    std::stringstream both;
    both << 1 << ' ' << 2.25 << " three";
    std::string text;
    both >> a >> c >> text;
    assert(a == 1 && c == 2.25 && text == "three" && !(both >> a));
}

// Whether a text is read as a number, and whether the stream is at its end then.
template <class Number> bool reads(const char *text, Number &number, bool at_end = true)
{
    std::istringstream in(text);
    in >> number;
    assert(in.eof() == at_end);
    return !in.fail();
}

void limits()
{
    int i = 1;
    short s = 1;
    unsigned u = 1;
    unsigned long l = 1;
    double d = 1;
    bool b = false;
    assert(reads("2147483647", i) && i == INT_MAX && !reads("2147483648", i) && i == INT_MAX);
    assert(reads("-2147483648", i) && !reads("-2147483649", i) && i == INT_MIN);
#if WRONG == 1
    assert(reads("40000", s));
#else
    assert(!reads("40000", s) && s == SHRT_MAX && !reads("-40000", s) && s == SHRT_MIN);
#endif
    assert(reads("-1", u) && u == UINT_MAX && !reads("18446744073709551616", l) && l == ULONG_MAX);
    assert(!reads("", i) && !reads("x", i, false) && i == 0 && !reads("-", i) && !reads("+x", i, false));
    assert(reads("12x", i, false) && i == 12 && reads("1.5.2", d, false) && d == 1.5);
    assert(!reads("1e", d) && d == 0 && !reads("1e999", d) && d == std::numeric_limits<double>::max());
    assert(!reads("2", b) && b);
}

void words()
{
    std::istringstream in("  one two\tthree\n\"a b\" abcdef");
    std::string first, quoted, cut;
    char letters[3];
    in >> first >> std::ws;
    assert(first == "one" && in.peek() == 't');
    std::string second, third;
    in >> second >> third >> std::quoted(quoted) >> std::setw(4) >> cut >> letters;
    assert(second == "two" && third == "three" && quoted == "a b" && cut == "abcd" && std::string(letters) == "ef");
    std::istringstream list("1 2 3");
    std::vector<int> all { std::istream_iterator<int>(list), {} };
    assert(all.size() == 3 && all[2] == 3);
    std::istringstream bytes("a\nb");
    assert((std::string { std::istreambuf_iterator<char>(bytes), {} }) == "a\nb");
}

void lines()
{
    std::istringstream in("one\n\ntwo");
    std::string line;
    std::vector<std::string> all;
    while (std::getline(in, line))
        all.push_back(line);
    assert(all.size() == 3 && all[1].empty() && all[2] == "two" && in.eof());
    std::istringstream fields("a,b,");
    all.clear();
    while (std::getline(fields, line, ','))
        all.push_back(line);
    assert(all.size() == 2 && all[1] == "b");
    char buffer[4];
    std::istringstream cut("ab\nabcdef\nx");
    assert(cut.getline(buffer, 4) && cut.gcount() == 3 && std::string(buffer) == "ab");
    assert(!cut.getline(buffer, 4) && !cut.eof() && std::string(buffer) == "abc");
    cut.clear();
    cut.ignore(100, '\n');
    assert(cut.get() == 'x' && cut.get() == EOF && cut.eof());
}

void places()
{
    std::stringstream in("hello world");
    char text[6] = {};
    in.read(text, 5);
    assert(in.gcount() == 5 && std::string(text) == "hello" && in.tellg() == 5);
    in.seekg(1);
    assert(in.get() == 'e' && in.unget() && in.peek() == 'e');
    in.ignore(4);
    char c = 0;
    assert(in >> c && c == 'w' && in.seekg(0, std::ios::end) && in.get() == EOF);
    in.clear();
    in.str("9");
    int n = 0;
    assert(in >> n && n == 9);
    std::ostringstream copy;
    copy << std::istringstream("all of it").rdbuf();
    assert(copy.str() == "all of it");
}

void failures()
{
    std::istringstream in("x");
    in.exceptions(std::ios::failbit);
    int number = 5;
    bool caught = false;
    try {
        in >> number;
    } catch (const std::ios_base::failure &) {
        caught = true;
    }
    assert(caught && number == 0 && in.fail() && !in.bad());
}

void input()
{
    int number = 1;
    if (std::cin >> number) {
#if WRONG == 2
        assert(number != 42);
#endif
        long twice = 0;
        std::thread other([&] { twice = 2L * number; });
        other.join();
        assert(twice / 2 == number);
    } else {
        assert(number == 0 || number == 1 || number == INT_MAX || number == INT_MIN);
    }
}

#if WRONG == 3
void shared()
{
    std::istringstream in("1 2");
    int a = 0, b = 0;
    std::thread other([&] { in >> a; });
    in >> b;
    other.join();
}
#endif

int main() { PART(); }
