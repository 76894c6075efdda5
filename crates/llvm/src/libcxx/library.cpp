// All of the library for programs in C++ with the headers of libc++, as one file.

#include "../cxxabi/casts.cpp"
#include "../cxxabi/exceptions.cpp"
#include "../cxxabi/resources.cpp"
#include "../cxxabi/waits.cpp"
#include "errors.cpp"
#include "floats.cpp"
#include "futures.cpp"
#include "locks.cpp"
#include "resources.cpp"
#include "streams.cpp"
#include "support.cpp"
#include "waits.cpp"
