//! Virtual calls and type tests: which method, and whether, by the type of an object.

use super::build::Builder;
use super::{Key, Lower};
use crate::CompileError;
use crate::layout::HEADER;
use crate::types::Context;
use crate::types::{Kind, Ty};
use crate::world::{ABSTRACT, INTERFACE, Method, NEW_SLOT, VIRTUAL};
use selvedge_ir::{FuncId, Instr, Operand, Place};

/// Whether something can be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Is {
    Yes,
    No,
    /// It depends on the variance of type parameters, which is not looked at.
    Unsure,
}

impl Lower {
    pub fn is_interface(&self, ty: Ty) -> Result<bool, CompileError> {
        match self.world.types.kind(ty) {
            Kind::Def(def, _) => Ok(self.world.flags(*def)? & INTERFACE != 0),
            _ => Ok(false),
        }
    }

    /// All interfaces that a type has, its bases' included.
    pub fn interfaces(&mut self, ty: Ty) -> Result<Vec<Ty>, CompileError> {
        let mut found: Vec<Ty> = Vec::new();
        let mut at = Some(ty);
        while let Some(class) = at {
            let mut open = self.world.own_interfaces(class)?;
            while let Some(interface) = open.pop() {
                if !found.contains(&interface) {
                    found.push(interface);
                    open.extend(self.world.own_interfaces(interface)?);
                }
            }
            at = self.world.base(class)?;
        }
        Ok(found)
    }

    /// Whether an object of one type is one of another.
    pub fn is_a(&mut self, from: Ty, to: Ty) -> Result<Is, CompileError> {
        if let Some(known) = self.related.get(&(from, to)) {
            return Ok(*known);
        }
        let is = self.relate(from, to)?;
        self.related.insert((from, to), is);
        Ok(is)
    }

    fn relate(&mut self, from: Ty, to: Ty) -> Result<Is, CompileError> {
        if from == to || matches!(self.world.types.kind(to), Kind::Object) {
            return Ok(Is::Yes);
        }
        let kinds = (self.world.types.kind(from).clone(), self.world.types.kind(to).clone());
        if let (Kind::SzArray(a), Kind::SzArray(b)) = kinds {
            let values =
                self.layouts.is_value(&mut self.world, a)? || self.layouts.is_value(&mut self.world, b)?;
            return if values { Ok(if a == b { Is::Yes } else { Is::Unsure }) } else { self.is_a(a, b) };
        }
        if let (Kind::SzArray(element), Kind::Def(def, args)) = &kinds
            && let [wanted] = args[..]
        {
            return match self.is_of_arrays(*def)? {
                true if *element == wanted => Ok(Is::Yes),
                true if self.layouts.is_value(&mut self.world, *element)? => Ok(Is::No),
                true => self.is_a(*element, wanted),
                false => Ok(Is::No),
            };
        }
        let mut at = Some(from);
        while let Some(class) = at {
            if class == to {
                return Ok(Is::Yes);
            }
            at = self.world.base(class)?;
        }
        let mut is = Is::No;
        let mut all = self.interfaces(from)?;
        all.push(from);
        for interface in all {
            if interface == to {
                return Ok(Is::Yes);
            }
            match self.varies(interface, to)? {
                Is::Yes => return Ok(Is::Yes),
                Is::Unsure => is = Is::Unsure,
                Is::No => {}
            }
        }
        Ok(is)
    }

    /// Whether an interface is one that arrays of one dimension have, of their elements.
    fn is_of_arrays(&self, def: crate::types::DefId) -> Result<bool, CompileError> {
        const OF_ARRAYS: [&str; 5] =
            ["IEnumerable`1", "ICollection`1", "IList`1", "IReadOnlyCollection`1", "IReadOnlyList`1"];
        let name = self.world.def_name(def)?;
        Ok(name.strip_prefix("System.Collections.Generic.").is_some_and(|name| OF_ARRAYS.contains(&name)))
    }

    /// Whether one instance of an interface or a delegate is another by the variance of its parameters
    /// (ECMA-335 I.8.7.1): references only.
    fn varies(&mut self, a: Ty, b: Ty) -> Result<Is, CompileError> {
        let (Kind::Def(one, xs), Kind::Def(other, ys)) =
            (self.world.types.kind(a).clone(), self.world.types.kind(b).clone())
        else {
            return Ok(Is::No);
        };
        if one != other || xs.is_empty() || xs.len() != ys.len() {
            return Ok(Is::No);
        }
        let variance = self.world.assemblies[one.assembly as usize].variance(one.row)?;
        let mut all = Is::Yes;
        for (n, (x, y)) in xs.iter().zip(&ys).enumerate() {
            if x == y {
                continue;
            }
            let values =
                self.layouts.is_value(&mut self.world, *x)? || self.layouts.is_value(&mut self.world, *y)?;
            let is = match variance.get(n) {
                _ if values => Is::No,
                Some(1) => self.is_a(*x, *y)?,
                Some(2) => self.is_a(*y, *x)?,
                _ => Is::No,
            };
            match is {
                Is::No => return Ok(Is::No),
                Is::Unsure => all = Is::Unsure,
                Is::Yes => {}
            }
        }
        Ok(all)
    }

    /// The method that a virtual call of `declared` comes to, of an object of type `ty`.
    pub fn implementation(&mut self, ty: Ty, declared: &Method) -> Result<Option<Method>, CompileError> {
        let found = match self.is_interface(declared.owner)? {
            true => match (self.of_array(ty, declared)?, self.of_interface(ty, declared)?) {
                (Some(own), _) => return Ok(Some(own)),
                (None, None) => self.of_variant(ty, declared)?,
                (None, found) => found,
            },
            false => self.of_class(ty, declared)?,
        };
        Ok(found.map(|method| Method { args: declared.args.clone(), ..method }))
    }

    /// An interface that the type has, and that is the one which is asked for by variance.
    fn of_variant(&mut self, ty: Ty, declared: &Method) -> Result<Option<Method>, CompileError> {
        for interface in self.interfaces(ty)? {
            if interface != declared.owner && self.varies(interface, declared.owner)? == Is::Yes {
                return self.of_interface(ty, &Method { owner: interface, ..declared.clone() });
            }
        }
        Ok(None)
    }

    /// What arrays of one dimension have of generic interfaces: methods of `Array` with names of their own.
    fn of_array(&mut self, ty: Ty, declared: &Method) -> Result<Option<Method>, CompileError> {
        let (Kind::SzArray(element), Kind::Def(def, _)) =
            (self.world.types.kind(ty).clone(), self.world.types.kind(declared.owner).clone())
        else {
            return Ok(None);
        };
        if !self.is_of_arrays(def)? {
            return Ok(None);
        }
        let own = self.world.method_name(declared.def)?.to_string();
        let interface = self.world.def_name(def)?;
        let short = interface.rsplit('.').next().unwrap_or_default().trim_end_matches("`1").to_string();
        let params = self.world.open_sig(declared)?.params.len();
        let Some(class) = self.corlib_class("System.Array") else { return Ok(None) };
        for name in [format!("InternalArray__{short}_{own}"), format!("InternalArray__{own}")] {
            if let Some(method) = self.world.method_named(class, &name, params)? {
                let generic = self.world.open_sig(&method)?.generics > 0;
                let args = if generic { vec![element] } else { Vec::new() };
                return Ok(Some(Method { owner: class, args, ..method }));
            }
        }
        Ok(None)
    }

    /// From the class that declares a slot down to the object's.
    fn of_class(&mut self, ty: Ty, declared: &Method) -> Result<Option<Method>, CompileError> {
        let mut chain = Vec::new();
        let mut at = Some(ty);
        while let Some(class) = at {
            if class == declared.owner {
                break;
            }
            chain.push(class);
            at = self.world.base(class)?;
        }
        if at.is_none() {
            return Ok(None);
        }
        let name = self.world.method_name(declared.def)?.to_string();
        let sig = self.world.open_sig(declared)?;
        let mut current = Method { args: Vec::new(), ..declared.clone() };
        let mut hidden = false;
        for class in chain.into_iter().rev() {
            if let Some(body) = self.explicit(class, declared)? {
                current = body;
                continue;
            }
            if hidden {
                continue;
            }
            if let Some(own) = self.world.own_method(class, &name, &sig, VIRTUAL)? {
                match self.world.method_flags(own.def)? & NEW_SLOT {
                    0 => current = own,
                    _ => hidden = true,
                }
            }
        }
        Ok(Some(current))
    }

    /// From the most derived class that says that it has the interface, up; then down again.
    fn of_interface(&mut self, ty: Ty, declared: &Method) -> Result<Option<Method>, CompileError> {
        let name = self.world.method_name(declared.def)?.to_string();
        let sig = self.world.open_sig(declared)?;
        let mut at = Some(ty);
        while let Some(class) = at {
            let mut says = false;
            let mut open = self.world.own_interfaces(class)?;
            let mut seen = Vec::new();
            while let Some(interface) = open.pop() {
                says |= interface == declared.owner;
                if !seen.contains(&interface) {
                    seen.push(interface);
                    open.extend(self.world.own_interfaces(interface)?);
                }
            }
            let above = self.world.base(class)?;
            if !says {
                at = above;
                continue;
            }
            let mut from = Some(class);
            while let Some(implementor) = from {
                if let Some(body) = self.explicit(implementor, declared)? {
                    return Ok(Some(body));
                }
                if let Some(own) = self.world.own_method(implementor, &name, &sig, VIRTUAL)? {
                    return self.of_class(ty, &own);
                }
                from = self.world.base(implementor)?;
            }
            return self.default_body(declared, &seen);
        }
        Ok(None)
    }

    /// What an interface itself gives as a body, or one of the interfaces that a class has instead of it; if
    /// several do, none is known to be the one.
    fn default_body(&mut self, declared: &Method, all: &[Ty]) -> Result<Option<Method>, CompileError> {
        let mut found = None;
        for interface in all {
            if let Some(body) = self.explicit(*interface, declared)? {
                if found.is_some() {
                    return Ok(None);
                }
                found = Some(body);
            }
        }
        let own = self.world.method_flags(declared.def)? & ABSTRACT == 0;
        Ok(found.or_else(|| own.then(|| Method { args: Vec::new(), ..declared.clone() })))
    }

    /// The body that a class gives to a method by saying so.
    fn explicit(&mut self, class: Ty, declared: &Method) -> Result<Option<Method>, CompileError> {
        let Some((def, args)) = self.world.def_of(class) else { return Ok(None) };
        let context = Context { class: args, method: None };
        let pairs = self.world.assemblies[def.assembly as usize].overrides(def.row).to_vec();
        for (body, declaration) in pairs {
            let crate::world::Called::Method(of) =
                self.world.method_at(def.assembly, declaration, &context)?
            else {
                continue;
            };
            if of.def == declared.def
                && of.owner == declared.owner
                && let crate::world::Called::Method(body) =
                    self.world.method_at(def.assembly, body, &context)?
            {
                return Ok(Some(body));
            }
        }
        Ok(None)
    }

    /// Sees to it that the target of a virtual call is lowered, if an object of this type can be called.
    pub fn dispatch_to(&mut self, method: &Method, ty: Ty) -> Result<(), CompileError> {
        if let Some(key) = self.target(method, ty)? {
            self.function(key)?;
        }
        Ok(())
    }

    fn target(&mut self, method: &Method, ty: Ty) -> Result<Option<Key>, CompileError> {
        let key = (method.clone(), ty);
        if let Some(known) = self.targets.get(&key) {
            return Ok(known.clone());
        }
        let target = self.find_target(method, ty)?;
        self.targets.insert(key, target.clone());
        Ok(target)
    }

    fn find_target(&mut self, method: &Method, ty: Ty) -> Result<Option<Key>, CompileError> {
        if self.is_a(ty, method.owner)? != Is::Yes {
            return Ok(None);
        }
        let Some(found) = self.implementation(ty, method)? else { return Ok(None) };
        let boxed = self.layouts.is_value(&mut self.world, found.owner)?;
        Ok(Some(if boxed { Key::Unboxing(found) } else { Key::Method(found) }))
    }

    pub(super) fn write_dispatches(&mut self) -> Result<(), CompileError> {
        for (method, id) in self.dispatches.clone() {
            let function = self.dispatch(&method).unwrap_or_else(|error| Lower::nowhere(&error));
            self.module.functions[id.0 as usize] = function;
        }
        Ok(())
    }

    /// The function of a virtual call.
    fn dispatch(&mut self, method: &Method) -> Result<selvedge_ir::Function, CompileError> {
        let sig = self.world.sig(method)?;
        let mut b = Builder::default();
        let mut params = vec![b.reg()];
        for param in &sig.params {
            for _ in self.layouts.leaves(&mut self.world, *param)? {
                params.push(b.reg());
            }
        }
        let results = self.results(sig.result)?;
        let args: Vec<Operand> = params.iter().map(|r| Operand::Reg(*r)).collect();
        let out = b.block(results);
        let mut targets: Vec<(Option<FuncId>, Vec<u32>)> = Vec::new();
        let mut missing = false;
        for ty in self.live.clone() {
            let is = self.is_a(ty, method.owner)?;
            let unsure = is == Is::Unsure;
            let target = self.target(method, ty)?;
            let function = target.map(|key| self.function(key)).transpose()?;
            if function.is_none() && !unsure {
                missing |= is == Is::Yes;
                continue;
            }
            let tag = self.tag(ty)?;
            match targets.iter_mut().find(|(f, _)| *f == function) {
                Some((_, tags)) => tags.push(tag),
                None => targets.push((function, vec![tag])),
            }
        }
        let name = self.world.full_method_name(method);
        let values = (out..out + results).map(Operand::Reg).collect::<Vec<_>>();
        let give = |b: &mut Builder, function: Option<FuncId>| match function {
            Some(function) => {
                b.call(Some(out), function, args.clone(), results);
                b.push(Instr::Return { values: values.clone() });
            }
            None => b.unsupported(format!("the call of {name} by variance of type parameters")),
        };
        if let [(Some(function), _)] = targets[..]
            && !missing
        {
            give(&mut b, Some(function));
        } else {
            let tag = b.reg();
            let native = self.native("__selvedge_type", 1, 1);
            b.call(Some(tag), native, vec![args[0]], 1);
            let cases: Vec<_> =
                targets.iter().map(|(function, tags)| (b.label(), *function, tags.clone())).collect();
            let none = b.label();
            let list = cases.iter().flat_map(|(l, _, tags)| tags.iter().map(|t| (*t as u64, *l)));
            b.switch(Operand::Reg(tag), list.collect(), none);
            for (label, function, _) in cases {
                b.set(label);
                give(&mut b, function);
            }
            b.set(none);
            b.unsupported(format!("the call of {name}, which has no body here"));
        }
        Ok(b.finish(format!("virtual {name}"), params, results, Place::default()))
    }

    pub(super) fn write_tests(&mut self) -> Result<(), CompileError> {
        for (ty, id) in self.tests.clone() {
            let mut b = Builder::default();
            let object = b.reg();
            let tag = b.reg();
            let native = self.native("__selvedge_type", 1, 1);
            b.call(Some(tag), native, vec![Operand::Reg(object)], 1);
            let (yes, no, unsure) = (b.label(), b.label(), b.label());
            let mut cases = Vec::new();
            for live in self.live.clone() {
                let to = match self.is_a(live, ty)? {
                    Is::Yes => yes,
                    Is::Unsure => unsure,
                    Is::No => continue,
                };
                cases.push((self.tag(live)? as u64, to));
            }
            b.switch(Operand::Reg(tag), cases, no);
            for (label, answer) in [(yes, 1), (no, 0)] {
                b.set(label);
                b.push(Instr::Return { values: vec![Operand::Const(answer)] });
            }
            b.set(unsure);
            let name = self.world.name(ty);
            b.unsupported(format!("a test for the type {name} by variance of type parameters"));
            let function = b.finish(format!("is {name}"), vec![object], 1, Place::default());
            self.module.functions[id.0 as usize] = function;
        }
        Ok(())
    }

    /// A method of a value type, called with a box.
    pub(super) fn unboxing_thunk(&mut self, method: &Method) -> Result<selvedge_ir::Function, CompileError> {
        let function = self.method_function(method)?;
        let ensure = self.ensure_for_call(method)?;
        self.thunk(method, true, |b, args, out, results| {
            let (this, failed) = (b.reg(), b.label());
            if let Some(ensure) = ensure {
                b.call(Some(out), ensure, Vec::new(), 1);
                b.branch_if(Operand::Reg(out), failed);
            }
            b.offset(this, args[0], HEADER as i64);
            let args = [&[Operand::Reg(this)], &args[1..]].concat();
            b.call(Some(out), function, args, results);
            b.set(failed);
        })
    }

    /// A static method, called by a delegate: the object before its arguments is none.
    pub(super) fn static_thunk(&mut self, method: &Method) -> Result<selvedge_ir::Function, CompileError> {
        let function = self.method_function(method)?;
        let ensure = self.ensure_for_call(method)?;
        self.thunk(method, true, |b, args, out, results| {
            let failed = b.label();
            if let Some(ensure) = ensure {
                b.call(Some(out), ensure, Vec::new(), 1);
                b.branch_if(Operand::Reg(out), failed);
            }
            b.call(Some(out), function, args[1..].to_vec(), results);
            b.set(failed);
        })
    }

    /// A method that has the lock of its object, or of its type, while it runs, however it is left.
    pub(super) fn synchronized(&mut self, method: &Method) -> Result<selvedge_ir::Function, CompileError> {
        let function = self.function(Key::Unlocked(method.clone()))?;
        let has_this = self.world.sig(method)?.has_this;
        if has_this && self.layouts.is_value(&mut self.world, method.owner)? {
            return crate::refuse("a synchronized method of a value type");
        }
        let of_type = if has_this { None } else { Some(self.type_object(method.owner)?) };
        let enter = self.native("__dotnet_enter", 1, 0);
        let exit = self.native("__dotnet_exit", 1, 1);
        self.thunk(method, has_this, |b, args, out, results| {
            let lock = of_type.map_or_else(|| args[0], |id| Operand::Global(id, 0));
            b.call(None, enter, vec![lock], 0);
            b.call(Some(out), function, args, results);
            let given_back = b.reg();
            b.call(Some(given_back), exit, vec![lock], 1);
        })
    }

    fn thunk(
        &mut self,
        method: &Method,
        object: bool,
        call: impl FnOnce(&mut Builder, Vec<Operand>, u32, u32),
    ) -> Result<selvedge_ir::Function, CompileError> {
        let sig = self.world.sig(method)?;
        let mut b = Builder::default();
        let mut params = Vec::new();
        if object {
            params.push(b.reg());
        }
        for param in &sig.params {
            for _ in self.layouts.leaves(&mut self.world, *param)? {
                params.push(b.reg());
            }
        }
        let results = self.results(sig.result)?;
        let out = b.block(results);
        call(&mut b, params.iter().map(|r| Operand::Reg(*r)).collect(), out, results);
        b.push(Instr::Return { values: (out..out + results).map(Operand::Reg).collect() });
        let name = self.world.full_method_name(method);
        Ok(b.finish(name, params, results, Place::default()))
    }
}
