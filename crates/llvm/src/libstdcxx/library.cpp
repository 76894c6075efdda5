// All of the library for programs in C++ with the headers of libstdc++, as one file. The streams come first: they say
// how headers are to be read.

#include "streams.cpp"

#include "../cxxabi/casts.cpp"
#include "../cxxabi/exceptions.cpp"
#include "../cxxabi/resources.cpp"
#include "../cxxabi/waits.cpp"
#include "resources.cpp"
#include "support.cpp"
#include "tables.cpp"
#include "waits.cpp"
