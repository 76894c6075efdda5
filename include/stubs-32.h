/* Which functions the C library lacks, for `-m32` where its headers are those of a 64-bit system: none. */
