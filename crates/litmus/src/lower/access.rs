//! Addresses, and the calls that access memory.

use super::{Found, Lower};
use crate::calls::{self, Call};
use crate::lex::clip;
use crate::source::Place;
use crate::syntax::Parsed;
use crate::tree::{Expr, ExprKind};
use selvedge_graph::{Loc, Mode, Value};
use selvedge_machine::expr::{BinOp, Expr as Code, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};

pub const LKMM_NOTE: &str =
    "functions of the Linux kernel are read as their C11 counterparts, other than by the model `lkmm`";
const CONSUME_NOTE: &str = "memory_order_consume is read as memory_order_acquire";

/// What an ordering is for; not every one makes sense everywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Load,
    Store,
    Failure,
    Any,
    Fence,
}

impl<'a> Lower<'a> {
    // ---- addresses ----

    /// The object that `*x`, `a[i]` names.
    pub(super) fn object(&mut self, expr: &'a Expr<'a>) -> Parsed<Addr> {
        match &expr.kind {
            ExprKind::Deref(pointer) => self.pointer(pointer),
            ExprKind::Index(base, index) => {
                let found = self.base(base)?;
                let index = self.value(index)?;
                Ok(element(found, index))
            }
            _ => {
                let error = self.source.error(expr.place, "this is not a shared location");
                Err(error.with_help("a location is written `*x`, or `a[i]` for an array"))
            }
        }
    }

    /// The location that a pointer points to.
    pub(super) fn pointer(&mut self, expr: &'a Expr<'a>) -> Parsed<Addr> {
        match &expr.kind {
            ExprKind::Name(_) => self.base(expr).map(|found| Addr::Loc(found.base)),
            ExprKind::AddressOf(object) if matches!(object.kind, ExprKind::Name(_)) => self.pointer(object),
            ExprKind::AddressOf(object) => self.object(object),
            ExprKind::Bin(BinOp::Add, base, index) if self.is_pointer(base) => {
                let found = self.base(base)?;
                let index = self.value(index)?;
                Ok(element(found, index))
            }
            _ => Err(self.not_a_pointer(expr)),
        }
    }

    fn base(&self, expr: &Expr<'_>) -> Parsed<Found> {
        match &expr.kind {
            ExprKind::Name(name) => self.locations.find(name).ok_or_else(|| self.not_a_pointer(expr)),
            _ => Err(self.not_a_pointer(expr)),
        }
    }

    fn is_pointer(&self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => self.locations.find(name).is_some(),
            ExprKind::AddressOf(_) => true,
            ExprKind::Bin(BinOp::Add, base, _) => {
                matches!(base.kind, ExprKind::Name(_)) && self.is_pointer(base)
            }
            _ => false,
        }
    }

    fn not_a_pointer(&self, expr: &Expr<'_>) -> selvedge_diagnostic::Diagnostic {
        let text = clip(self.source.slice(expr.place));
        let error = self.source.error(expr.place, format!("`{text}` does not point to a shared location"));
        error.with_help("locations are the thread's parameters and the names of the initial state")
    }

    /// herd's reading of plain accesses to atomics is not C's: says so.
    pub(super) fn note_plain(&mut self, expr: &Expr<'_>) {
        let inner = match &expr.kind {
            ExprKind::Deref(inner) => inner,
            ExprKind::Index(inner, _) => inner,
            _ => return,
        };
        if let ExprKind::Name(name) = &inner.kind
            && self.locations.is_atomic(name)
        {
            let name = clip(name);
            self.note(format!(
                "`*{name}` on the atomic `{name}` is read as a non-atomic access, as herd does"
            ));
        }
    }

    // ---- calls ----

    /// Compiles a call; its value, if it has one, goes to `dst` where that is given.
    pub(super) fn call(
        &mut self,
        name: &'a str,
        args: &'a [Expr<'a>],
        place: Place,
        dst: Option<Reg>,
    ) -> Parsed<Option<Code>> {
        self.places.resize(self.code.len(), Place::default());
        let result = self.compile_call(name, args, place, dst);
        // What its arguments are compiled to has places of its own, as far as they are calls.
        self.places.resize(self.code.len(), place);
        result
    }

    fn compile_call(
        &mut self,
        name: &'a str,
        args: &'a [Expr<'a>],
        place: Place,
        dst: Option<Reg>,
    ) -> Parsed<Option<Code>> {
        let Some((call, kernel)) = calls::lookup(name) else { return Err(self.unknown(name, place)) };
        if kernel {
            self.note(LKMM_NOTE);
        }
        let arity = match call {
            Call::Cut | Call::Nothing => 0..=1,
            Call::Fence(Some(_)) | Call::RcuLock | Call::RcuUnlock => 0..=0,
            Call::SpinLock | Call::SpinUnlock => 1..=1,
            Call::Load(Some(_)) | Call::ReadOnce | Call::Fence(None) => 1..=1,
            Call::Assume | Call::Spawn | Call::Join => 1..=1,
            Call::KernelRmw { one, .. } => {
                if one {
                    1..=1
                } else {
                    2..=2
                }
            }
            Call::Assert => 1..=2,
            Call::Load(None) | Call::LoadLinked | Call::Store(Some(_)) | Call::Rmw(_, Some(_)) => 2..=2,
            Call::WriteOnce | Call::RcuAssign | Call::StoreMb | Call::TotalDiv { .. } => 2..=2,
            Call::Store(None) | Call::StoreConditional | Call::Rmw(_, None) | Call::CmpXchg(..) => 3..=3,
            Call::Cas { modes: Some(_), .. } => 3..=3,
            Call::Cas { modes: None, .. } => 5..=5,
            Call::RawCas { .. } => 6..=6,
        };
        if !arity.contains(&args.len()) {
            let message = format!("`{name}` takes {} arguments, not {}", arity.end(), args.len());
            return Err(self.source.error(place, message));
        }
        match call {
            Call::Load(mode) => {
                let addr = self.pointer(&args[0])?;
                let mode = self.mode(mode, args.get(1), Use::Load)?;
                let dst = self.or_temp(dst)?;
                self.emit(Instr::Load { dst, addr, mode });
                Ok(Some(Code::Reg(dst)))
            }
            Call::LoadLinked => {
                let addr = self.pointer(&args[0])?;
                let mode = self.mode(None, args.get(1), Use::Load)?;
                let dst = self.or_temp(dst)?;
                self.emit(Instr::LoadLinked { dst, addr, mode });
                Ok(Some(Code::Reg(dst)))
            }
            Call::StoreConditional => {
                let addr = self.pointer(&args[0])?;
                let value = self.value(&args[1])?;
                let mode = self.mode(None, args.get(2), Use::Store)?;
                let ok = self.or_temp(dst)?;
                self.emit(Instr::StoreConditional { ok, addr, value, mode });
                Ok(Some(Code::Reg(ok)))
            }
            Call::ReadOnce => {
                let addr = self.object(&args[0])?;
                let dst = self.or_temp(dst)?;
                self.emit(Instr::Load { dst, addr, mode: Mode::Rlx });
                Ok(Some(Code::Reg(dst)))
            }
            Call::Store(mode) => {
                let addr = self.pointer(&args[0])?;
                let value = self.value(&args[1])?;
                let mode = self.mode(mode, args.get(2), Use::Store)?;
                self.emit(Instr::Store { addr, value, mode });
                Ok(None)
            }
            Call::WriteOnce | Call::RcuAssign | Call::StoreMb => {
                let addr =
                    if self.is_pointer(&args[0]) { self.pointer(&args[0])? } else { self.object(&args[0])? };
                let value = self.value(&args[1])?;
                let mode = if call == Call::RcuAssign { Mode::Rel } else { Mode::Rlx };
                self.emit(Instr::Store { addr, value, mode });
                if call == Call::StoreMb {
                    self.emit(Instr::Fence { mode: Mode::Sc });
                }
                Ok(None)
            }
            Call::Rmw(op, mode) => {
                // The kernel has functions of C's names with the operand first.
                let swapped = !self.is_pointer(&args[0]) && self.is_pointer(&args[1]);
                if swapped {
                    self.note(LKMM_NOTE);
                }
                let (pointer, operand) = if swapped { (1, 0) } else { (0, 1) };
                let mode = self.mode(mode, args.get(2), Use::Any)?;
                self.rmw(op, &args[pointer], Some(&args[operand]), mode, dst).map(Some)
            }
            Call::KernelRmw { op, one, mode, new } => {
                self.kernel_rmw(op, one, mode, new, args, dst).map(Some)
            }
            Call::Cas { weak, modes } => self.cas(weak, modes, args, dst).map(Some),
            Call::RawCas { weak } => self.raw_cas(weak, args, dst).map(Some),
            Call::CmpXchg(success, failure) => {
                let addr = self.pointer(&args[0])?;
                let expected = self.value(&args[1])?;
                let desired = self.value(&args[2])?;
                let (ok, old) = (self.temp()?, self.or_temp(dst)?);
                self.emit(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak: false });
                Ok(Some(Code::Reg(old)))
            }
            Call::Fence(mode) => {
                let mode = self.mode(mode, args.first(), Use::Fence)?;
                self.emit(Instr::Fence { mode });
                Ok(None)
            }
            Call::SpinLock | Call::SpinUnlock | Call::RcuLock | Call::RcuUnlock => {
                self.kernel_section(call, args, place).map(|()| None)
            }
            Call::Nothing => Ok(None),
            Call::Cut => {
                self.emit(Instr::Cut);
                Ok(None)
            }
            Call::Assume => {
                let cond = self.value(&args[0])?;
                self.emit(Instr::Assume { cond });
                Ok(None)
            }
            Call::Assert => {
                let cond = self.value(&args[0])?;
                let message = self.assert_message(args, place)?;
                self.emit(Instr::Assert { cond, message });
                Ok(None)
            }
            Call::Spawn | Call::Join => {
                let (thread, spawned) = self.thread_named(&args[0])?;
                if call == Call::Join {
                    self.emit(Instr::Join { thread });
                    return Ok(None);
                }
                if !spawned {
                    let error = self.source.error(place, format!("P{} runs from the start", thread.0));
                    return Err(error.with_help(format!("declare it as `spawned P{} (…) {{ … }}`", thread.0)));
                }
                self.spawns.push((thread, place));
                self.emit(Instr::Spawn { thread });
                Ok(None)
            }
            Call::TotalDiv { remainder } => {
                let a = self.value(&args[0])?;
                let b = self.value(&args[1])?;
                Ok(Some(Code::bin(if remainder { BinOp::Rem } else { BinOp::Div }, a, b)))
            }
        }
    }

    fn unknown(&self, name: &str, place: Place) -> selvedge_diagnostic::Diagnostic {
        let shown = clip(name);
        let error = self.source.error(place, format!("function `{shown}` is not supported"));
        let kernel = ["rcu_", "srcu_", "synchronize_", "spin_", "read_lock", "write_lock", "down_", "up_"];
        if kernel.iter().any(|prefix| name.starts_with(prefix)) {
            return error.with_help(
                "of the kernel's locks and RCU, the model `lkmm` has spin_lock, spin_unlock, rcu_read_lock, \
                 rcu_read_unlock and synchronize_rcu",
            );
        }
        error.with_help(
            "supported are C11's atomic_…, the kernel's READ_ONCE, smp_… and xchg, assert and assume",
        )
    }

    fn rmw(
        &mut self,
        op: RmwOp,
        pointer: &'a Expr<'a>,
        operand: Option<&'a Expr<'a>>,
        mode: Mode,
        dst: Option<Reg>,
    ) -> Parsed<Code> {
        let addr = self.pointer(pointer)?;
        let operand = match operand {
            Some(operand) => self.value(operand)?,
            None => Code::Const(1),
        };
        let dst = self.or_temp(dst)?;
        self.emit(Instr::Rmw { dst, addr, op, operand, mode });
        Ok(Code::Reg(dst))
    }

    fn kernel_rmw(
        &mut self,
        op: RmwOp,
        one: bool,
        mode: Mode,
        new: bool,
        args: &'a [Expr<'a>],
        dst: Option<Reg>,
    ) -> Parsed<Code> {
        if !new {
            let (pointer, operand) = if one { (&args[0], None) } else { (&args[1], Some(&args[0])) };
            return self.rmw(op, pointer, operand, mode, dst);
        }
        let operand = if one { Code::Const(1) } else { self.value(&args[0])? };
        let addr = self.pointer(&args[args.len() - 1])?;
        let old = self.temp()?;
        self.emit(Instr::Rmw { dst: old, addr, op, operand: operand.clone(), mode });
        let op = if op == RmwOp::Sub { BinOp::Sub } else { BinOp::Add };
        Ok(Code::bin(op, Code::Reg(old), operand))
    }

    fn cas(
        &mut self,
        weak: bool,
        modes: Option<Mode>,
        args: &'a [Expr<'a>],
        dst: Option<Reg>,
    ) -> Parsed<Code> {
        let success = self.mode(modes, args.get(3), Use::Any)?;
        let failure = self.mode(modes, args.get(4), Use::Failure)?;
        let addr = self.pointer(&args[0])?;
        if let Some(old) = self.local_behind(&args[1]) {
            // On success the register keeps its value, which is the one read: `old` is right either way.
            let desired = self.value(&args[2])?;
            let ok = self.or_temp(dst)?;
            let expected = Code::Reg(old);
            self.emit(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak });
            return Ok(Code::Reg(ok));
        }
        let place = self.pointer(&args[1])?;
        let desired = self.value(&args[2])?;
        let (expected, old, ok) = (self.temp()?, self.temp()?, self.or_temp(dst)?);
        self.emit(Instr::Load { dst: expected, addr: place.clone(), mode: Mode::Na });
        let expected = Code::Reg(expected);
        self.emit(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak });
        let end = self.label();
        self.branch(Code::Reg(ok), end);
        self.emit(Instr::Store { addr: place, value: Code::Reg(old), mode: Mode::Na });
        self.place(end);
        Ok(Code::Reg(ok))
    }

    fn raw_cas(&mut self, weak: bool, args: &'a [Expr<'a>], dst: Option<Reg>) -> Parsed<Code> {
        let addr = self.pointer(&args[0])?;
        let Some(old) = self.local_behind(&args[1]) else {
            return Err(self.source.error(args[1].place, "expected `&r` for a register `r`"));
        };
        let expected = self.value(&args[2])?;
        let desired = self.value(&args[3])?;
        let success = self.mode(None, args.get(4), Use::Any)?;
        let failure = self.mode(None, args.get(5), Use::Any)?;
        let ok = self.or_temp(dst)?;
        self.emit(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak });
        Ok(Code::Reg(ok))
    }

    /// The register of `&r`.
    fn local_behind(&self, expr: &Expr<'_>) -> Option<Reg> {
        match &expr.kind {
            ExprKind::AddressOf(inner) => match &inner.kind {
                ExprKind::Name(name) => self.local(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// The ordering of an operation: given by its name, or by an argument.
    fn mode(&mut self, given: Option<Mode>, arg: Option<&Expr<'_>>, used: Use) -> Parsed<Mode> {
        if let Some(mode) = given {
            return Ok(mode);
        }
        let Some(arg) = arg else { return Ok(Mode::Sc) };
        let text = self.source.slice(arg.place);
        let name = text.strip_prefix("memory_order_");
        let mode = match name.and_then(Mode::by_c_name) {
            Some(Mode::Barrier(_)) if used != Use::Fence => {
                return Err(self.source.error(arg.place, "a barrier is no ordering of an access"));
            }
            Some(mode) if mode != Mode::Na => mode,
            _ if name == Some("consume") => {
                self.note(CONSUME_NOTE);
                Mode::Acq
            }
            _ => {
                let error = self.source.error(arg.place, format!("`{}` is not a memory order", clip(text)));
                return Err(
                    error.with_help("memory_order_ and one of relaxed, acquire, release, acq_rel, seq_cst")
                );
            }
        };
        let (what, wrong) = match used {
            Use::Any | Use::Fence => return Ok(mode),
            Use::Load => ("load", mode.is_release() && mode != Mode::Sc),
            Use::Store => ("store", mode.is_acquire() && mode != Mode::Sc),
            Use::Failure => ("failed compare and exchange", mode.is_release() && mode != Mode::Sc),
        };
        if wrong && !mode.is_exclusive() {
            return Err(self.source.error(arg.place, format!("a {what} cannot be {}", mode.c_name())));
        }
        Ok(mode)
    }

    fn assert_message(&self, args: &[Expr<'_>], place: Place) -> Parsed<String> {
        match args.get(1).map(|arg| &arg.kind) {
            None => {
                let text = clip(self.source.slice(args[0].place));
                Ok(format!("assertion `{text}` fails at line {}", self.source.line(place)))
            }
            Some(ExprKind::Str(text)) => Ok(unescape(text)),
            Some(_) => Err(self.source.error(place, "the second argument of `assert` is its message")),
        }
    }
}

fn element(found: Found, index: Code) -> Addr {
    match index {
        Code::Const(at) if (0..found.len as Value).contains(&at) => Addr::Loc(Loc(found.base.0 + at as u32)),
        index => Addr::Element { base: found.base, len: found.len, index },
    }
}

/// The inverse of `print`'s quoting.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}
