/* Annotations that programs written for GenMC use, in the words of Selvedge.
 *
 * The functions are known to `selvedge check` by their names. The macros mark single accesses; what they say
 * of them is found out by Selvedge itself or, for final writes, checked. A header of the same name that comes
 * with the program is taken in place of this one if it is in the program's own directory.
 */
#ifndef SELVEDGE_GENMC_H
#define SELVEDGE_GENMC_H

#include <selvedge.h>
#include <stdbool.h>

void __VERIFIER_assume(int condition);

/* The thread waits at the end of the iteration unless the loop is over. */
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(bool over);

/* The loop that follows, or that the call is in, is run so many times at most; the verdict is `bounded` if
 * that cuts an execution. */
void __VERIFIER_loop_bound(int iterations);

/* Code that may be left out is not left out. */
bool __VERIFIER_opt_begin(void);
#define __VERIFIER_optional(expression) (expression)

#define __VERIFIER_local_write(write) (write)
#define __VERIFIER_final_write(write) selvedge_final_write(write)
#define __VERIFIER_helped_CAS(operation) (operation)
#define __VERIFIER_helping_CAS(operation) (operation)
#define __VERIFIER_speculative_read(read) (read)
#define __VERIFIER_confirming_read(read) (read)
#define __VERIFIER_confirming_CAS(operation) (operation)

#endif /* SELVEDGE_GENMC_H */
