//! TruSt (thesis alg. 5.3 with 6.1, in place as in §6.4).
