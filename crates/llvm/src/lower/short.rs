//! Programs whose pointers have 4 bytes (`-m32`: `int`, `long` and pointers of 32 bits).
//!
//! Registers hold pointers as ever. Where one is stored, or becomes an integer, it becomes an address of 32
//! bits ([`selvedge_ir::address`]), and a pointer again where it is loaded. All sizes and offsets are
//! clang's.
//!
//! The library is there as far as it neither takes nor gives longs and pointers by an address, or has a
//! version of its own for it (`short.ir` of `selvedge-vm`): what is not in this list is refused when it is
//! called.

use selvedge_ir::{BinOp, CastOp, Operand};

use super::body::Body;
use super::shape::Scalar;
use crate::llvm::Value;

const THERE: &str = "
    _Exit __assert_fail __errno_location __selvedge_assert _exit abort abs assert atexit atoi bcmp
    bsearch calloc exit fflush fprintf fputc fputs free getpid isalnum isalpha isdigit islower isspace
    isupper malloc memchr memcmp memcpy memmove memset perror printf pthread_attr_destroy
    pthread_attr_init pthread_attr_setdetachstate pthread_barrier_destroy pthread_barrier_init
    pthread_barrier_wait pthread_cond_broadcast pthread_cond_destroy pthread_cond_init
    pthread_cond_signal pthread_cond_wait pthread_create pthread_detach pthread_equal pthread_exit
    pthread_getspecific pthread_join pthread_key_create pthread_key_delete pthread_mutex_destroy
    pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock
    pthread_mutexattr_destroy pthread_mutexattr_init pthread_mutexattr_settype pthread_once
    pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_tryrdlock
    pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_self
    pthread_setspecific pthread_spin_destroy pthread_spin_init pthread_spin_lock pthread_spin_trylock
    pthread_spin_unlock putc putchar puts qsort rand random reach_error realloc sched_yield sem_destroy
    sem_init sem_post sem_trywait sem_wait signal sleep srand srandom strcat strchr strcmp strcpy strdup strlen
    strncat strncmp strncpy strrchr strstr tolower toupper usleep
";

/// Whether a function of the library does the same where pointers are short.
pub(super) fn is_there(name: &str) -> bool {
    let ours = ["__VERIFIER_", "selvedge_", "llvm."].iter().any(|prefix| name.starts_with(prefix));
    ours || THERE.split_whitespace().any(|there| there == name)
}

impl<'m> Body<'_, 'm> {
    pub(super) fn has_short_pointers(&self) -> bool {
        self.program.out.short_pointers
    }

    /// How many bits of memory a scalar takes.
    pub(super) fn bits_in_memory(&self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Int(width) => width,
            Scalar::Pointer if self.has_short_pointers() => 32,
            other => u32::from(other.bits().unwrap_or(64)),
        }
    }

    /// What is stored for a scalar.
    pub(super) fn stored_form(&mut self, scalar: Scalar, operand: Operand) -> Operand {
        match scalar {
            Scalar::Pointer if self.has_short_pointers() => self.address_of_pointer(operand),
            _ => operand,
        }
    }

    /// The scalar that was loaded.
    pub(super) fn loaded_form(&mut self, scalar: Scalar, operand: Operand) -> Operand {
        match scalar {
            Scalar::Pointer if self.has_short_pointers() => self.pointer_of_address(operand),
            _ => operand,
        }
    }

    pub(super) fn address_of_pointer(&mut self, pointer: Operand) -> Operand {
        match pointer {
            // Null, and what is no address either way.
            Operand::Const(number) if number < 1 << 16 => pointer,
            _ => self.convert(CastOp::ToAddress, 64, 32, pointer),
        }
    }

    pub(super) fn pointer_of_address(&mut self, address: Operand) -> Operand {
        match address {
            Operand::Const(number) if number < 1 << 16 => address,
            _ => self.convert(CastOp::ToPointer, 32, 64, address),
        }
    }

    /// Integers between a pointer and an integer of another width than an address.
    pub(super) fn cast_short_pointer(
        &mut self,
        from: Scalar,
        to: Scalar,
        operand: Operand,
    ) -> Option<Operand> {
        match (from, to) {
            (Scalar::Pointer, Scalar::Int(width @ 1..=64)) => {
                let address = self.address_of_pointer(operand);
                let narrower = width < 32;
                Some(if narrower { self.convert(CastOp::Trunc, 32, width as u8, address) } else { address })
            }
            (Scalar::Int(width @ 1..=64), Scalar::Pointer) => {
                let wider = width > 32;
                let address = if wider { self.convert(CastOp::Trunc, 64, 32, operand) } else { operand };
                Some(self.pointer_of_address(address))
            }
            _ => None,
        }
    }

    /// The arguments of a call from number `fixed` on, as i386 has them on the stack: in words of 4 bytes,
    /// here two in a register. Functions of the library get each argument in a register of its own.
    pub(super) fn further_short_arguments(&mut self, call: Value<'m>, fixed: usize) -> Vec<Operand> {
        let of_library = self.program.is_of_library(call.callee());
        let mut words: Vec<Operand> = Vec::new();
        for (index, argument) in call.arguments().into_iter().enumerate().skip(fixed) {
            let scalar = self.program.shape(argument).scalar();
            let operand = self.operand(argument);
            match scalar {
                _ if call.argument_by_value(index as u32).is_some() => {
                    self.unsupported("with -m32, a structure among further arguments");
                }
                _ if of_library => words.push(operand),
                Some(Scalar::Pointer) => {
                    let address = self.address_of_pointer(operand);
                    words.push(address);
                }
                Some(Scalar::Int(..=32)) => words.push(operand),
                Some(Scalar::Int(33..=64) | Scalar::Double) => {
                    let high = self.bin(BinOp::LShr, 64, operand, Operand::Const(32));
                    let low = self.convert(CastOp::Trunc, 64, 32, operand);
                    words.extend([low, high]);
                }
                _ => self.unsupported("with -m32, a further argument of this type"),
            }
        }
        if of_library {
            return words;
        }
        let pairs: Vec<Vec<Operand>> = words.chunks(2).map(<[Operand]>::to_vec).collect();
        pairs
            .into_iter()
            .map(|pair| match *pair.as_slice() {
                [low, high] => {
                    let high = self.bin(BinOp::Shl, 64, high, Operand::Const(32));
                    self.bin(BinOp::Or, 64, low, high)
                }
                _ => pair[0],
            })
            .collect()
    }
}
