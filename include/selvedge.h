/* selvedge.h: what a C or C++ program may tell Selvedge.
 *
 * `selvedge check` finds this header by itself and defines __SELVEDGE__. Any other compiler needs the
 * directory on its include path, and sees macros that do nothing: the program builds and runs as if the
 * calls were not there. Nothing here is needed to check a program that uses pthreads, C11 threads and
 * <stdatomic.h>; it is for what those cannot say.
 *
 *     #include <selvedge.h>
 *
 *     int which = selvedge_choose(3);      // each of 0, 1, 2 is explored
 *     selvedge_assume(which != 1);         // executions that break this are left out
 */
#ifndef SELVEDGE_H
#define SELVEDGE_H

#ifdef __SELVEDGE__

#ifdef __cplusplus
extern "C" {
#endif

/* Leaves out the executions in which `condition` is zero. The thread stops here as if it waited for
 * something that never comes; such an execution counts as blocked and no verdict is drawn from its end.
 * Being stopped here is never reported as a deadlock or as non-termination. */
void selvedge_assume(int condition);

/* A value from 0 to n - 1; every one of them is explored. `n` must be positive. */
int selvedge_choose(int n);

/* Reports an error of kind `assertion` with this message wherever it is reached. Does not return. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
[[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Noreturn
#endif
void selvedge_error(const char *message);

/* Bracket one iteration of a loop that waits:
 *
 *     do {
 *         selvedge_spin_begin();
 *         ...
 *     } while (selvedge_spin_end(!ready));
 *
 * selvedge_spin_end returns its argument. If that is not zero and the iteration wrote nothing that other
 * threads can see, going round again would repeat it; the thread waits instead until one of the
 * iteration's reads can see another value. Loops such as `while (!flag);` are recognised without help. */
void selvedge_spin_begin(void);
int selvedge_spin_end(int again);

/* Marks the writes of an expression as final: nobody overwrites them.
 *
 *     selvedge_final_write(node->next = 0);
 *     selvedge_final_write(atomic_store(&done, 1));
 *
 * A write to the same memory that comes after one of them in coherence is an error of kind `not-final`. */
#define selvedge_final_write(write) (__selvedge_final_begin(), (void)(write), __selvedge_final_end())
void __selvedge_final_begin(void);
void __selvedge_final_end(void);

/* Says that from here on only the calling thread uses the object that `object` points into, although
 * other threads could get at its address. An access by another thread that does not come before this
 * call is an error of kind `not-local`. */
void selvedge_local(const volatile void *object);

/* Says of a compare-and-exchange that its outcome is not used, as it only completes a step that another
 * thread has begun and would complete itself next:
 *
 *     if (next != NULL)
 *         selvedge_helping(atomic_compare_exchange_strong(&tail, &last, next));
 *
 * That is for readers. The check finds out by itself that nothing depends on who completes the step. */
#define selvedge_helping(cas) ((void)(cas))

/* Says that memory outlives a crash, from the first execution that comes here on (`selvedge check --persist`). What
 * is in one cache line is known by its alignment: give it `_Alignas(64)`. */
void selvedge_durable(const volatile void *memory, unsigned long size);

/* Says what runs after a crash. A function `void __VERIFIER_recovery_routine(void)` does without. */
void selvedge_recovery(void (*routine)(void));

/* All that comes before it has persisted when recovery runs: crashes are later. */
void __VERIFIER_pbarrier(void);

#ifdef __cplusplus
}
#endif

#else /* an ordinary build */

#define selvedge_assume(condition) ((void)(condition))
#define selvedge_choose(n) ((void)(n), 0)
#define selvedge_error(message) ((void)(message))
#define selvedge_spin_begin() ((void)0)
#define selvedge_spin_end(again) (again)
#define selvedge_final_write(write) ((void)(write))
#define selvedge_local(object) ((void)(object))
#define selvedge_helping(cas) ((void)(cas))
#define selvedge_durable(memory, size) ((void)(memory), (void)(size))
#define selvedge_recovery(routine) ((void)(routine))
#define __VERIFIER_pbarrier() ((void)0)

#endif /* __SELVEDGE__ */

#endif /* SELVEDGE_H */
