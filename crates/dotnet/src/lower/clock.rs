//! Time: the clock, timers, and tasks that are waited for.
//!
//! The clock stands still, or, with `--timeouts`, each thread may find once that much time has passed. A
//! timer that was armed fires at some time, on a thread of its own, unless it was changed or disposed of
//! before: a word of it says what is to happen (0 nothing, 1 it fires once, 2 again and again).

use super::body::Body;
use super::natives::FULL;
use super::stack::{Shape, Val};
use super::{Builder, Key, Lower};
use crate::CompileError;
use crate::layout::Prim;
use crate::types::{Kind, Ty};
use crate::world::Sig;
use selvedge_graph::Mode;
use selvedge_ir::{CmpOp, Function, Instr, Net, Operand, Place, Reg, RmwOp};

const TIMER: &str = "System.Threading.Timer";
/// Where a timer keeps what is to happen.
const ARMED: &str = "next_run";
/// It fires once; it fires again and again, which is twice here, on two threads: nobody waits for one to be
/// over.
const ONCE: u64 = 1;
const AGAIN: u64 = 2;
/// A module declares this if it has one.
const TICKING: &str = "__dotnet_ticks";
/// A module declares this if it asks for the time, and that stands still.
const STANDS: &str = "__dotnet_clock_stands";
/// The flags of a task that is over: it was cancelled, it failed, or it came to its end.
const OVER: u64 = 0x160_0000;

impl Body<'_> {
    /// What the clock says: 0, or 10^15 of the smallest units.
    fn clock(&mut self) -> Operand {
        if self.lower.options.timeouts {
            let own = self.lower.clock_global();
            return self.library("__dotnet_clock", vec![Operand::Global(own, 0)], 1);
        }
        self.lower.native(STANDS, 0, 0);
        Operand::Const(0)
    }

    pub(super) fn ticks(&mut self, result: Ty) -> Result<bool, CompileError> {
        let now = self.clock();
        let shape = self.shape(result)?;
        let shape = if matches!(shape, Shape::Prim(_)) { Shape::Prim(Prim::I8) } else { shape };
        self.push_copy(Val { shape, parts: vec![now], some: false, note: 0 });
        Ok(true)
    }

    /// `Environment.TickCount`; the class library's own questions are about limits of waits, which have
    /// none here.
    pub(super) fn tick_count(&mut self) {
        if self.method.def.assembly != 0 {
            self.push(Val::int(0));
            return;
        }
        let now = self.clock();
        let ticks = self.b.reg();
        let (late, early) = (Operand::Const(1_000_000_000), Operand::Const(0));
        self.b.push(Instr::Select { dst: ticks, cond: now, a: late, b: early });
        self.give(Prim::I4, ticks);
    }

    pub(super) fn timer(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let armed = self.lower.field_of(TIMER, ARMED)?;
        let Some(this) = vals.first().cloned() else { return Ok(false) };
        let (first, result) = match (member, sig.params.len()) {
            (".ctor", 1) => (None, false),
            (".ctor", 4) => (Some(2), false),
            ("Change", 2) => (Some(0), true),
            ("Dispose", 0) => (None, false),
            (".ctor" | "Change" | "Dispose" | "DisposeAsync", _) => {
                return self.refuse("timers that are disposed of by a handle, or later, are not supported");
            }
            _ => return Ok(false),
        };
        if member == ".ctor" {
            let state = if sig.params.len() > 1 { &vals[2] } else { &this };
            for (field, val) in [("callback", &vals[1]), ("state", state)] {
                let by = self.lower.field_of(TIMER, field)?;
                let at = self.at(this.one(), by, 1);
                self.b.store_reference(at, val.one(), Mode::Na);
            }
        } else {
            self.null_check(&this)?;
        }
        let mut what = Operand::Const(0);
        if let Some(first) = first {
            let (due, period) = (self.b.reg(), self.b.reg());
            for (time, n) in [(due, first), (period, first + 1)] {
                let shown = Sig { has_this: true, ..sig.clone() };
                let length = self.milliseconds(&shown, vals, 1 + n)?;
                self.b.set_to(time, length);
            }
            what = Operand::Reg(self.arm(due, period));
        }
        if member != ".ctor" || first.is_some() {
            let (at, old) = (self.at(this.one(), armed, 1), self.scratch(6));
            let (op, net) = (RmwOp::Xchg, Net::Lasting);
            self.b.push(Instr::Rmw { op, dst: old, addr: at, operand: what, bytes: 8, mode: FULL, net });
        }
        if first.is_some() {
            let (go, stay) = (self.b.label(), self.b.label());
            self.b.branch(what, go, stay);
            self.b.set(go);
            let entry = self.lower.function(Key::TimerEntry)?;
            self.library("__dotnet_run", vec![this.one(), Operand::Func(entry)], 0);
            let (is, again) = (self.b.reg(), self.b.label());
            self.b.cmp(CmpOp::Eq, 64, is, what, Operand::Const(AGAIN));
            self.b.branch(Operand::Reg(is), again, stay);
            self.b.set(again);
            self.library("__dotnet_run", vec![this.one(), Operand::Func(entry)], 0);
            self.b.jump(stay);
            self.b.set(stay);
        }
        if result {
            self.push(Val::int(1));
        }
        Ok(true)
    }

    /// What is to happen with a timer after these times.
    fn arm(&mut self, due: Reg, period: Reg) -> Reg {
        let what = self.b.reg();
        let never = Operand::Const(u32::MAX as u64);
        let [some, once, again, done] = [(); 4].map(|()| self.b.label());
        self.b.set_to(what, Operand::Const(0));
        let is = self.scratch(5);
        self.b.cmp(CmpOp::Eq, 32, is, Operand::Reg(due), never);
        self.b.branch(Operand::Reg(is), done, some);
        self.b.set(some);
        self.b.cmp(CmpOp::Eq, 32, is, Operand::Reg(period), never);
        self.b.branch_if(Operand::Reg(is), once);
        self.b.cmp(CmpOp::Eq, 32, is, Operand::Reg(period), Operand::Const(0));
        self.b.branch(Operand::Reg(is), once, again);
        self.b.set(again);
        self.lower.native(TICKING, 0, 0);
        self.b.set_to(what, Operand::Const(AGAIN));
        self.b.jump(done);
        self.b.set(once);
        self.b.set_to(what, Operand::Const(ONCE));
        self.b.jump(done);
        self.b.set(done);
        what
    }

    /// Before a task is waited for without a limit: a wait until it is over, so that nothing of how the
    /// class library waits is done.
    ///
    /// That is to look at the flags, to ask the task's scheduler to run it at once, to spin, and to leave
    /// an event with the task for which it then waits. The pool's scheduler has handed the task to a thread
    /// and does not take it back; whoever ends the task sets its flags before the event. What is left with
    /// the task is seen by nobody but who ends it. Programs with schedulers of their own go the library's
    /// way.
    pub(super) fn waits_for_task(&mut self, name: &str, vals: &[Val]) -> Result<(), CompileError> {
        let options = &self.lower.options;
        if options.timeouts || options.whole_library || vals.len() != 1 {
            return Ok(());
        }
        let of_array = match name {
            "System.Threading.Tasks.Task.Wait"
            | "System.Threading.Tasks.Task`1.get_Result"
            | "System.Runtime.CompilerServices.TaskAwaiter.ValidateEnd" => false,
            "System.Threading.Tasks.Task.WaitAll" => true,
            _ => return Ok(()),
        };
        if self.lower.world.has_schedulers() {
            return Ok(());
        }
        let by = self.lower.field_of("System.Threading.Tasks.Task", "m_stateFlags")?;
        let (task, some, none) = (vals[0].one(), self.b.label(), self.b.label());
        self.b.branch(task, some, none);
        self.b.set(some);
        match of_array {
            true => {
                let args = vec![task, Operand::Const(by as u64), Operand::Const(OVER)];
                self.library("__dotnet_tasks_wait", args, 0);
            }
            false => {
                let at = self.at(task, by, 1);
                self.library("__dotnet_task_wait", vec![at, Operand::Const(OVER)], 0);
            }
        }
        self.b.jump(none);
        self.b.set(none);
        Ok(())
    }
}

impl Lower {
    /// Where each thread has what it knows of the time.
    fn clock_global(&mut self) -> selvedge_ir::GlobalId {
        const NAME: &str = "the clock";
        if let Some(at) = self.module.globals.iter().position(|g| g.name == NAME) {
            return selvedge_ir::GlobalId(at as u32);
        }
        let id = self.global(String::from(NAME), vec![0; 8], false);
        self.module.globals[id.0 as usize].thread_local = true;
        id
    }

    /// Where the thread of a timer begins: it fires once, if it still is to.
    pub(super) fn timer_entry(&mut self) -> Result<Function, CompileError> {
        let mut b = Builder::default();
        let timer = b.reg();
        let [at, what, exc, object, function, state] = [(); 6].map(|()| b.reg());
        let old = b.block(2);
        let background = self.native("__selvedge_background", 0, 0);
        b.call(None, background, Vec::new(), 0);
        b.offset(at, Operand::Reg(timer), self.field_of(TIMER, ARMED)? as i64);
        let [fires, once, later, fire, over, failed] = [(); 6].map(|()| b.label());
        b.load(what, Operand::Reg(at), 8, FULL);
        b.branch(Operand::Reg(what), fires, over);
        b.set(fires);
        b.cmp(CmpOp::Eq, 64, old, Operand::Reg(what), Operand::Const(ONCE));
        b.branch(Operand::Reg(old), once, fire);
        b.set(once);
        let (addr, expected, desired) = (Operand::Reg(at), Operand::Const(ONCE), Operand::Const(0));
        let (success, failure) = (FULL, FULL);
        b.push(Instr::Cmpxchg { dst: old, addr, expected, desired, bytes: 8, success, failure, weak: false });
        b.branch(Operand::Reg(old + 1), fire, later);
        // The execution in which it looks later is the same but for this look.
        b.set(later);
        let block = self.native("__selvedge_block", 1, 0);
        b.call(None, block, vec![Operand::Const(0)], 0);
        b.push(Instr::Unreachable);
        b.set(fire);
        let (to, code) = self.delegate_parts()?;
        let delegate = self.field_of(TIMER, "callback")?;
        let given = self.field_of(TIMER, "state")?;
        let load = |b: &mut Builder, dst, base, by: u32| {
            b.offset(dst, Operand::Reg(base), by as i64);
            b.load(dst, Operand::Reg(dst), 8, Mode::Na);
        };
        load(&mut b, exc, timer, delegate);
        load(&mut b, object, exc, to);
        load(&mut b, function, exc, code);
        load(&mut b, state, timer, given);
        let (callee, args) = (Operand::Reg(function), vec![Operand::Reg(object), Operand::Reg(state)]);
        b.push(Instr::Call { dst: Some(exc), callee, args, results: 1, signature: None, lands: None });
        b.branch(Operand::Reg(exc), failed, over);
        b.set(over);
        b.push(Instr::Return { values: vec![Operand::Const(0)] });
        b.set(failed);
        self.unhandled(&mut b, exc)?;
        Ok(b.finish(String::from("timer"), vec![timer], 1, Place::default()))
    }

    /// The time that is measured in 64 bits, and in a `TimeSpan`, by its type.
    pub(super) fn is_wide_time(&self, ty: Ty) -> bool {
        matches!(self.world.types.kind(ty), Kind::I8 | Kind::U8 | Kind::U4)
    }
}
