//! Methods and fields: what tokens refer to, and what types have of a name.

use super::{Called, Field, Method, Sig, World};
use crate::types::{Context, DefId, Kind, Ty};
use crate::{CompileError, refuse};
use selvedge_cil::{MethodSig, Table, Token};

impl World {
    fn sig_of(&mut self, assembly: u32, sig: &MethodSig, context: &Context) -> Result<Sig, CompileError> {
        if sig.varargs {
            return refuse("methods with variable arguments (`__arglist`) are not supported");
        }
        let mut params = Vec::new();
        for param in &sig.params {
            params.push(self.resolve(assembly, param, context)?);
        }
        let result = self.resolve(assembly, &sig.result, context)?;
        Ok(Sig { has_this: sig.has_this, generics: sig.generics, params, result })
    }

    /// What a method takes and gives.
    pub fn sig(&mut self, method: &Method) -> Result<Sig, CompileError> {
        if let Some(sig) = self.sigs.get(method) {
            return Ok(sig.clone());
        }
        let context = self.context(method);
        let raw = self.assemblies[method.def.assembly as usize].method_sig(method.def.row)?;
        let sig = self.sig_of(method.def.assembly, &raw, &context)?;
        self.sigs.insert(method.clone(), sig.clone());
        Ok(sig)
    }

    /// What type parameters stand for in a method.
    pub fn context(&self, method: &Method) -> Context {
        let class = self.def_of(method.owner).map(|(_, args)| args).unwrap_or_default();
        Context { class, method: Some(method.args.clone()) }
    }

    /// The method that a token refers to.
    pub fn method_at(
        &mut self,
        assembly: u32,
        token: Token,
        context: &Context,
    ) -> Result<Called, CompileError> {
        let key = (assembly, token, context.clone());
        if let Some(known) = self.found.get(&key) {
            return Ok(known.clone());
        }
        let called = self.find_called(assembly, token, context)?;
        self.found.insert(key, called.clone());
        Ok(called)
    }

    fn find_called(
        &mut self,
        assembly: u32,
        token: Token,
        context: &Context,
    ) -> Result<Called, CompileError> {
        if token.is(Table::MethodSpec) {
            let (of, args) = self.assemblies[assembly as usize].method_spec(token.row())?;
            let mut types = Vec::new();
            for arg in &args {
                types.push(self.resolve(assembly, arg, context)?);
            }
            return match self.method_at(assembly, of, context)? {
                Called::Method(method) => Ok(Called::Method(Method { args: types, ..method })),
                Called::OfArray(..) => refuse("arrays have no generic methods"),
            };
        }
        if token.is(Table::MethodDef) {
            let row = self.assemblies[assembly as usize].owner(token)?;
            let owner = self.open(DefId { assembly, row }, context)?;
            let def = DefId { assembly, row: token.row() };
            return Ok(Called::Method(Method { owner, def, args: Vec::new() }));
        }
        if !token.is(Table::MemberRef) {
            return refuse(format!("the token {:#x} is of no method", token.0));
        }
        let of = &self.assemblies[assembly as usize];
        let (parent, name, _) = of.member_ref(token.row())?;
        let name = name.to_string();
        let raw = of.member_ref_sig(token.row())?;
        if parent.is(Table::MethodDef) {
            return refuse("methods with variable arguments (`__arglist`) are not supported");
        }
        let owner = self.type_at(assembly, parent, context)?;
        let class = self.def_of(owner).map(|(_, args)| args).unwrap_or_default();
        if let Kind::Array(..) = self.types.kind(owner) {
            let sig = self.sig_of(assembly, &raw, context)?;
            return Ok(Called::OfArray(owner, name, sig));
        }
        let wanted = self.sig_of(assembly, &raw, &Context { class, method: None })?;
        match self.find_method(owner, &name, &wanted)? {
            Some(method) => Ok(Called::Method(method)),
            None => refuse(format!("the method {}.{name} is nowhere", self.name(owner))),
        }
    }

    /// The method of this name and signature that a type has or inherits.
    pub fn find_method(&mut self, ty: Ty, name: &str, wanted: &Sig) -> Result<Option<Method>, CompileError> {
        let mut at = Some(ty);
        while let Some(owner) = at {
            if let Some(method) = self.own_method(owner, name, wanted, 0)? {
                return Ok(Some(method));
            }
            at = self.base(owner)?;
        }
        Ok(None)
    }

    /// The same without bases; only those with all of these flags.
    pub fn own_method(
        &mut self,
        owner: Ty,
        name: &str,
        wanted: &Sig,
        flags: u16,
    ) -> Result<Option<Method>, CompileError> {
        let Some((def, class)) = self.def_of(owner) else { return Ok(None) };
        let (from, to) = self.assemblies[def.assembly as usize].type_def(def.row)?.methods;
        for row in from..to {
            let of = &self.assemblies[def.assembly as usize];
            let own = of.method_def(row)?;
            if own.name != name || own.flags & flags != flags {
                continue;
            }
            let raw = of.method_sig(row)?;
            if raw.params.len() != wanted.params.len()
                || raw.generics != wanted.generics
                || raw.has_this != wanted.has_this
                || raw.varargs
            {
                continue;
            }
            let open = Context { class: class.clone(), method: None };
            if self.sig_of(def.assembly, &raw, &open)? == *wanted {
                let def = DefId { row, ..def };
                return Ok(Some(Method { owner, def, args: Vec::new() }));
            }
        }
        Ok(None)
    }

    /// The signature of a method with its own parameters left open, to find it in other types.
    pub fn open_sig(&mut self, method: &Method) -> Result<Sig, CompileError> {
        if let Some(known) = self.open_sigs.get(&(method.owner, method.def)) {
            return Ok(known.clone());
        }
        let open = Context { method: None, ..self.context(method) };
        let raw = self.assemblies[method.def.assembly as usize].method_sig(method.def.row)?;
        let sig = self.sig_of(method.def.assembly, &raw, &open)?;
        self.open_sigs.insert((method.owner, method.def), sig.clone());
        Ok(sig)
    }

    /// The method of this name with so many parameters.
    pub fn method_named(&self, ty: Ty, name: &str, params: usize) -> Result<Option<Method>, CompileError> {
        let Some((def, _)) = self.def_of(ty) else { return Ok(None) };
        let of = &self.assemblies[def.assembly as usize];
        let (from, to) = of.type_def(def.row)?.methods;
        for row in from..to {
            if of.method_def(row)?.name == name && of.method_sig(row)?.params.len() == params {
                return Ok(Some(Method { owner: ty, def: DefId { row, ..def }, args: Vec::new() }));
            }
        }
        Ok(None)
    }

    /// The field that a token refers to.
    pub fn field_at(
        &mut self,
        assembly: u32,
        token: Token,
        context: &Context,
    ) -> Result<Field, CompileError> {
        if token.is(Table::Field) {
            let row = self.assemblies[assembly as usize].owner(token)?;
            let owner = self.open(DefId { assembly, row }, context)?;
            return Ok(Field { owner, def: DefId { assembly, row: token.row() } });
        }
        if !token.is(Table::MemberRef) {
            return refuse(format!("the token {:#x} is of no field", token.0));
        }
        let (parent, name, _) = self.assemblies[assembly as usize].member_ref(token.row())?;
        let name = name.to_string();
        let named = self.type_at(assembly, parent, context)?;
        let mut at = Some(named);
        while let Some(owner) = at {
            if let Some(field) = self.own_field(owner, &name)? {
                return Ok(field);
            }
            at = self.base(owner)?;
        }
        refuse(format!("the field {}.{name} is nowhere", self.name(named)))
    }

    pub fn own_field(&self, owner: Ty, name: &str) -> Result<Option<Field>, CompileError> {
        let Some((def, _)) = self.def_of(owner) else { return Ok(None) };
        let of = &self.assemblies[def.assembly as usize];
        let (from, to) = of.type_def(def.row)?.fields;
        for row in from..to {
            if of.field_def(row)?.1 == name {
                return Ok(Some(Field { owner, def: DefId { row, ..def } }));
            }
        }
        Ok(None)
    }

    pub fn field_type(&mut self, field: Field) -> Result<Ty, CompileError> {
        let class = self.def_of(field.owner).map(|(_, args)| args).unwrap_or_default();
        let sig = self.assemblies[field.def.assembly as usize].field_sig(field.def.row)?;
        self.resolve(field.def.assembly, &sig.0, &Context { class, method: None })
    }

    pub fn field_name(&self, field: Field) -> String {
        let of = &self.assemblies[field.def.assembly as usize];
        of.field_def(field.def.row).map_or("?", |(_, name)| name).to_string()
    }
}
