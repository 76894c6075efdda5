/* <genmc.h> as Selvedge provides it.
 *
 * Programs that were annotated for GenMC include a header of this name and use words in __VERIFIER_ from it. This
 * file lets them be checked unchanged. It is sorted by what becomes of an annotation here, since that is what
 * a reader of a result has to know; docs/check.md has the same in a table.
 */
#ifndef SELVEDGE_GENMC_H
#define SELVEDGE_GENMC_H

#include <selvedge.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1. Which executions there are: these change the result. */

void __VERIFIER_assume(int holds);     /* selvedge_assume */
void __VERIFIER_loop_bound(int times); /* as `--unroll-loop`, for the loop around it, or else for the next one */
int __VERIFIER_nondet_int(void);       /* any number */

/* 2. Loops that wait. The rounds of such a loop that change nothing are not repeated; most are recognised
 *    without being marked. The end of a round is told whether the loop is over; where it is told nothing, the loop
 *    goes round. */

void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
void __VERIFIER_spin_end(int over);
#else
void __VERIFIER_spin_end();
#endif

/* 3. A claim, which is checked: a write that overwrites this one is an error (`not-final`). */

#define __VERIFIER_final_write selvedge_final_write

/* 4. Hints. What they are about is found out without them, or is explored in full; the code that is marked runs as if
 *    it were not. */

#define __VERIFIER_local_write(access) (access)
#define __VERIFIER_speculative_read(access) (access)
#define __VERIFIER_confirming_read(access) (access)
#define __VERIFIER_confirming_CAS(access) (access)
#define __VERIFIER_helped_CAS(access) (access)
#define __VERIFIER_helping_CAS(access) (access)
#define __VERIFIER_optional(block) do { block; } while (0)
int __VERIFIER_opt_begin(void); /* always 1 */

#ifdef __cplusplus
}
#endif

#endif
