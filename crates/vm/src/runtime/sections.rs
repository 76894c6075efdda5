//! SV-COMP's rule: a function whose name begins with `__VERIFIER_atomic_` runs as one step.

use selvedge_ir::{FuncId, Function, Instr, Module, Operand, Place, Reg};

/// The lock that a thread has in an atomic section.
pub const SECTION_LOCK: &str = "__selvedge_atomic_section";

const PREFIX: &str = "__VERIFIER_atomic_";
const BEGIN: &str = "__VERIFIER_atomic_begin";
const END: &str = "__VERIFIER_atomic_end";

/// Whether a function of the library begins or ends an atomic section.
pub fn is_section_mark(name: &str) -> bool {
    matches!(name, BEGIN | END)
}

/// Puts a section around each function of that name: it becomes one that begins a section, calls what the
/// function was, and ends the section. Calls that the optimiser has inlined are out of reach.
pub fn wrap_sections(module: &mut Module) {
    let is_section =
        |f: &Function| f.name.starts_with(PREFIX) && f.name != BEGIN && f.name != END && !f.code.is_empty();
    let named: Vec<usize> =
        (0..module.functions.len()).filter(|&f| is_section(&module.functions[f])).collect();
    if named.is_empty() {
        return;
    }
    let (begin, end) = (declare(module, BEGIN), declare(module, END));
    for at in named {
        let inner = FuncId(module.functions.len() as u32);
        let body = module.functions[at].clone();
        module.functions[at] = around(&body, begin, inner, end);
        module.functions.push(body);
    }
}

/// A function of the library without arguments and result.
fn declare(module: &mut Module, name: &str) -> FuncId {
    if let Some(known) = module.functions.iter().position(|f| f.name == name) {
        return FuncId(known as u32);
    }
    module.functions.push(Function {
        name: name.to_string(),
        params: Vec::new(),
        results: 0,
        varargs: false,
        regs: 0,
        code: Vec::new(),
        places: Vec::new(),
        loops: Vec::new(),
        place: Place::default(),
        locals: Vec::new(),
        signature: None,
    });
    FuncId(module.functions.len() as u32 - 1)
}

fn around(body: &Function, begin: FuncId, inner: FuncId, end: FuncId) -> Function {
    let params = body.params.len() as Reg;
    let call = |f: FuncId| Instr::Call {
        dst: None,
        callee: Operand::Func(f),
        args: Vec::new(),
        results: 0,
        signature: None,
        lands: None,
    };
    let code = if body.varargs {
        let what = format!("the atomic section `{}`, which takes any number of arguments", body.name);
        vec![Instr::Unsupported { what }]
    } else {
        vec![
            call(begin),
            Instr::Call {
                dst: (body.results > 0).then_some(params),
                callee: Operand::Func(inner),
                args: (0..params).map(Operand::Reg).collect(),
                results: body.results,
                signature: None,
                lands: None,
            },
            call(end),
            Instr::Return { values: (params..params + body.results).map(Operand::Reg).collect() },
        ]
    };
    Function {
        params: (0..params).collect(),
        regs: params + body.results + 2 * body.varargs as Reg,
        places: vec![body.place; code.len()],
        code,
        loops: Vec::new(),
        locals: Vec::new(),
        ..body.clone()
    }
}
