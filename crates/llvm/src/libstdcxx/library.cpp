// All of the library for programs in C++, as one file. The streams come first: they say how headers are to be read.

#include "streams.cpp"

#include "casts.cpp"
#include "support.cpp"
#include "tables.cpp"
#include "waits.cpp"
