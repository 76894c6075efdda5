//! An assembly: its tables under the names that they have in the standard.

use crate::pe::Pe;
use crate::signature::{self, FieldSig, MethodSig, TypeSig};
use crate::tables::{
    CUSTOM_ATTRIBUTE_TYPE, Coded, HAS_CONSTANT, HAS_CUSTOM_ATTRIBUTE, IMPLEMENTATION, MEMBER_REF_PARENT,
    METHOD_DEF_OR_REF, Metadata, RESOLUTION_SCOPE, TYPE_DEF_OR_REF, TYPE_OR_METHOD_DEF, Table, Token,
};
use crate::{Body, Error, bad};
use std::collections::HashMap;

/// Where a referenced type is to be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// In this assembly.
    Here,
    /// In another one, of this name.
    Assembly(String),
    /// Within another type.
    Type(Token),
}

/// A type of this assembly.
#[derive(Clone, Debug)]
pub struct TypeDef<'a> {
    pub flags: u32,
    pub name: &'a str,
    pub namespace: &'a str,
    /// What it extends, if anything.
    pub extends: Option<Token>,
    /// Rows, the last excluded.
    pub fields: (u32, u32),
    pub methods: (u32, u32),
}

/// A method of this assembly.
#[derive(Clone, Debug)]
pub struct MethodDef<'a> {
    pub rva: u32,
    pub impl_flags: u16,
    pub flags: u16,
    pub name: &'a str,
}

/// A read assembly.
#[derive(Clone, Debug)]
pub struct Assembly {
    file: Vec<u8>,
    pe: Pe,
    metadata: Metadata,
    name: String,
    /// Types by a hash of their names and of the type that they are in, in its order.
    by_name: Vec<(u64, u32)>,
    enclosing: HashMap<u32, u32>,
    interfaces: HashMap<u32, Vec<Token>>,
    overrides: HashMap<u32, Vec<(Token, Token)>>,
}

impl Assembly {
    /// Reads the headers of a file, and the names of its types.
    pub fn read(file: Vec<u8>) -> Result<Assembly, Error> {
        let pe = Pe::read(&file)?;
        let metadata = Metadata::read(&file, pe.offset(pe.metadata.0)?)?;
        let mut assembly = Assembly {
            pe,
            metadata,
            name: String::new(),
            by_name: Vec::new(),
            enclosing: HashMap::new(),
            interfaces: HashMap::new(),
            overrides: HashMap::new(),
            file,
        };
        assembly.index()?;
        Ok(assembly)
    }

    fn index(&mut self) -> Result<(), Error> {
        if self.rows(Table::Assembly) > 0 {
            self.name = self.string(Table::Assembly, 1, 7)?.to_string();
        }
        for row in 1..=self.rows(Table::NestedClass) {
            let inner = self.cell(Table::NestedClass, row, 0)?;
            let outer = self.cell(Table::NestedClass, row, 1)?;
            // By the standard, the type around comes first: so nothing is within itself.
            if outer >= inner {
                return bad("a type is declared before the one that it is in");
            }
            self.enclosing.insert(inner, outer);
        }
        for row in 1..=self.rows(Table::TypeDef) {
            let (namespace, name) = self.type_names(row)?;
            let hash = match self.enclosing.get(&row) {
                Some(outer) => hash_of(*outer, "", name),
                None => hash_of(0, namespace, name),
            };
            self.by_name.push((hash, row));
        }
        self.by_name.sort_unstable();
        for row in 1..=self.rows(Table::InterfaceImpl) {
            let class = self.cell(Table::InterfaceImpl, row, 0)?;
            let interface = self.coded(&TYPE_DEF_OR_REF, Table::InterfaceImpl, row, 1)?;
            self.interfaces.entry(class).or_default().push(interface);
        }
        for row in 1..=self.rows(Table::MethodImpl) {
            let class = self.cell(Table::MethodImpl, row, 0)?;
            let body = self.coded(&METHOD_DEF_OR_REF, Table::MethodImpl, row, 1)?;
            let declared = self.coded(&METHOD_DEF_OR_REF, Table::MethodImpl, row, 2)?;
            self.overrides.entry(class).or_default().push((body, declared));
        }
        Ok(())
    }

    fn cell(&self, table: Table, row: u32, column: usize) -> Result<u32, Error> {
        self.metadata.cell(&self.file, table, row, column)
    }

    fn string(&self, table: Table, row: u32, column: usize) -> Result<&str, Error> {
        self.metadata.string(&self.file, self.cell(table, row, column)?)
    }

    fn blob(&self, table: Table, row: u32, column: usize) -> Result<&[u8], Error> {
        self.metadata.blob(&self.file, self.cell(table, row, column)?)
    }

    fn coded(&self, coded: &Coded, table: Table, row: u32, column: usize) -> Result<Token, Error> {
        Metadata::coded(coded, self.cell(table, row, column)?)
    }

    /// How many rows a table has.
    pub fn rows(&self, table: Table) -> u32 {
        self.metadata.rows(table)
    }

    /// Its simple name; empty for a module that is none by itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The method that a program begins with.
    pub fn entry(&self) -> Option<Token> {
        let token = Token(self.pe.entry);
        (token.row() != 0 && token.is(Table::MethodDef)).then_some(token)
    }

    /// What identifies this very build.
    pub fn mvid(&self) -> Result<[u8; 16], Error> {
        self.metadata.guid(&self.file, self.cell(Table::Module, 1, 2)?)
    }

    /// What identifies its PDB, if it says so.
    pub fn pdb_id(&self) -> Result<Option<[u8; 16]>, Error> {
        self.pe.pdb_id(&self.file)
    }

    pub fn type_named(&self, full_name: &str) -> Option<u32> {
        self.last_of(hash_of(0, "", full_name), |row| {
            let Ok((namespace, name)) = self.type_names(row) else { return false };
            let own = !self.enclosing.contains_key(&row);
            let rest = match namespace {
                "" => Some(full_name),
                _ => full_name.strip_prefix(namespace).and_then(|rest| rest.strip_prefix('.')),
            };
            own && rest == Some(name)
        })
    }

    pub fn nested_type(&self, outer: u32, name: &str) -> Option<u32> {
        self.last_of(hash_of(outer, "", name), |row| {
            self.enclosing.get(&row) == Some(&outer) && self.type_names(row).is_ok_and(|own| own.1 == name)
        })
    }

    /// The last type with this hash that is the one.
    fn last_of(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let from = self.by_name.partition_point(|(own, _)| *own < hash);
        let all = self.by_name[from..].iter().take_while(|(own, _)| *own == hash);
        all.map(|(_, row)| *row).filter(|row| is(*row)).last()
    }

    /// The namespace and the name of a type.
    fn type_names(&self, row: u32) -> Result<(&str, &str), Error> {
        Ok((self.string(Table::TypeDef, row, 2)?, self.string(Table::TypeDef, row, 1)?))
    }

    /// The type that a type is declared in.
    pub fn enclosing(&self, row: u32) -> Option<u32> {
        self.enclosing.get(&row).copied()
    }

    pub fn type_def(&self, row: u32) -> Result<TypeDef<'_>, Error> {
        let extends = self.coded(&TYPE_DEF_OR_REF, Table::TypeDef, row, 3)?;
        let range = |column, of: Table| {
            let first = self.cell(Table::TypeDef, row, column)?;
            let last = match row < self.rows(Table::TypeDef) {
                true => self.cell(Table::TypeDef, row + 1, column)?,
                false => self.rows(of) + 1,
            };
            if first == 0 || first > last || last > self.rows(of) + 1 {
                return bad("the members of a type are out of order");
            }
            Ok((first, last))
        };
        Ok(TypeDef {
            flags: self.cell(Table::TypeDef, row, 0)?,
            name: self.string(Table::TypeDef, row, 1)?,
            namespace: self.string(Table::TypeDef, row, 2)?,
            extends: (extends.row() != 0).then_some(extends),
            fields: range(4, Table::Field)?,
            methods: range(5, Table::MethodDef)?,
        })
    }

    pub fn method_def(&self, row: u32) -> Result<MethodDef<'_>, Error> {
        Ok(MethodDef {
            rva: self.cell(Table::MethodDef, row, 0)?,
            impl_flags: self.cell(Table::MethodDef, row, 1)? as u16,
            flags: self.cell(Table::MethodDef, row, 2)? as u16,
            name: self.string(Table::MethodDef, row, 3)?,
        })
    }

    pub fn method_sig(&self, row: u32) -> Result<MethodSig, Error> {
        signature::method(self.blob(Table::MethodDef, row, 4)?)
    }

    /// Flags and name.
    pub fn field_def(&self, row: u32) -> Result<(u16, &str), Error> {
        Ok((self.cell(Table::Field, row, 0)? as u16, self.string(Table::Field, row, 1)?))
    }

    pub fn field_sig(&self, row: u32) -> Result<FieldSig, Error> {
        signature::field(self.blob(Table::Field, row, 2)?)
    }

    /// The type that has a method, or a field.
    pub fn owner(&self, member: Token) -> Result<u32, Error> {
        let column = if member.is(Table::Field) { 4 } else { 5 };
        // The last type whose members begin at it or before.
        let (mut low, mut high) = (1, self.rows(Table::TypeDef));
        while low < high {
            let middle = (low + high).div_ceil(2);
            match self.cell(Table::TypeDef, middle, column)? <= member.row() {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        Ok(low)
    }

    /// Scope, namespace, name.
    pub fn type_ref(&self, row: u32) -> Result<(Scope, &str, &str), Error> {
        let scope = self.coded(&RESOLUTION_SCOPE, Table::TypeRef, row, 0)?;
        let scope = match scope {
            t if t.is(Table::AssemblyRef) => Scope::Assembly(self.assembly_ref(t.row())?.to_string()),
            t if t.is(Table::TypeRef) => Scope::Type(t),
            t if t.is(Table::Module) => Scope::Here,
            _ => return bad("a type is in another module of its assembly: that is not supported"),
        };
        Ok((scope, self.string(Table::TypeRef, row, 2)?, self.string(Table::TypeRef, row, 1)?))
    }

    pub fn assembly_ref(&self, row: u32) -> Result<&str, Error> {
        self.string(Table::AssemblyRef, row, 6)
    }

    pub fn type_spec(&self, row: u32) -> Result<TypeSig, Error> {
        signature::type_spec(self.blob(Table::TypeSpec, row, 0)?)
    }

    /// What a reference to a member is within, its name, and whether it is one to a field.
    pub fn member_ref(&self, row: u32) -> Result<(Token, &str, bool), Error> {
        let parent = self.coded(&MEMBER_REF_PARENT, Table::MemberRef, row, 0)?;
        let is_field = self.blob(Table::MemberRef, row, 2)?.first() == Some(&6);
        Ok((parent, self.string(Table::MemberRef, row, 1)?, is_field))
    }

    pub fn member_ref_sig(&self, row: u32) -> Result<MethodSig, Error> {
        signature::method(self.blob(Table::MemberRef, row, 2)?)
    }

    /// The method, and its type arguments.
    pub fn method_spec(&self, row: u32) -> Result<(Token, Vec<TypeSig>), Error> {
        let method = self.coded(&METHOD_DEF_OR_REF, Table::MethodSpec, row, 0)?;
        Ok((method, signature::arguments(self.blob(Table::MethodSpec, row, 1)?)?))
    }

    pub fn stand_alone_method(&self, row: u32) -> Result<MethodSig, Error> {
        signature::method(self.blob(Table::StandAloneSig, row, 0)?)
    }

    pub fn locals(&self, token: Token) -> Result<Vec<TypeSig>, Error> {
        if !token.is(Table::StandAloneSig) {
            return bad("the local variables of a method have no signature");
        }
        signature::locals(self.blob(Table::StandAloneSig, token.row(), 0)?)
    }

    /// What a type implements, as it says itself.
    pub fn interfaces(&self, row: u32) -> &[Token] {
        self.interfaces.get(&row).map_or(&[], |list| list)
    }

    /// Bodies of a type for methods that it says explicitly: body and declaration.
    pub fn overrides(&self, row: u32) -> &[(Token, Token)] {
        self.overrides.get(&row).map_or(&[], |list| list)
    }

    /// How many type parameters a type or a method has.
    pub fn generic_params(&self, owner: Token) -> Result<u32, Error> {
        let Some(wanted) = Metadata::encode(&TYPE_OR_METHOD_DEF, owner) else { return Ok(0) };
        let mut count = 0;
        let mut row = self.first_at_least(Table::GenericParam, 2, wanted)?;
        while row <= self.rows(Table::GenericParam) && self.cell(Table::GenericParam, row, 2)? == wanted {
            count += 1;
            row += 1;
        }
        Ok(count)
    }

    /// How the instances of a type are related by its parameters, by parameter: 1 as they are, 2 the other
    /// way round, 0 not at all.
    pub fn variance(&self, row: u32) -> Result<Vec<u8>, Error> {
        let owner = Token::new(Table::TypeDef, row);
        let Some(wanted) = Metadata::encode(&TYPE_OR_METHOD_DEF, owner) else { return Ok(Vec::new()) };
        let first = self.first_at_least(Table::GenericParam, 2, wanted)?;
        let count = self.generic_params(owner)?;
        (first..first + count).map(|at| Ok((self.cell(Table::GenericParam, at, 1)? & 3) as u8)).collect()
    }

    /// The number that a constant field stands for, in its lowest bytes.
    pub fn constant(&self, field: u32) -> Result<Option<u64>, Error> {
        let Some(wanted) = Metadata::encode(&HAS_CONSTANT, Token::new(Table::Field, field)) else {
            return Ok(None);
        };
        let Some(at) = self.row_with(Table::Constant, 1, wanted)? else { return Ok(None) };
        let value = self.blob(Table::Constant, at, 2)?;
        Ok((value.len() <= 8).then(|| value.iter().rev().fold(0, |n, byte| n << 8 | *byte as u64)))
    }

    /// The first row of a sorted table whose column is not less.
    fn first_at_least(&self, table: Table, column: usize, wanted: u32) -> Result<u32, Error> {
        let (mut low, mut high) = (1, self.rows(table) + 1);
        while low < high {
            let middle = (low + high) / 2;
            match self.cell(table, middle, column)? < wanted {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    fn row_with(&self, table: Table, column: usize, wanted: u32) -> Result<Option<u32>, Error> {
        let row = self.first_at_least(table, column, wanted)?;
        let found = row <= self.rows(table) && self.cell(table, row, column)? == wanted;
        Ok(found.then_some(row))
    }

    /// Packing and size that a type asks for.
    pub fn class_layout(&self, row: u32) -> Result<Option<(u32, u32)>, Error> {
        let Some(at) = self.row_with(Table::ClassLayout, 2, row)? else { return Ok(None) };
        Ok(Some((self.cell(Table::ClassLayout, at, 0)?, self.cell(Table::ClassLayout, at, 1)?)))
    }

    /// The offset that a field asks for.
    pub fn field_layout(&self, row: u32) -> Result<Option<u32>, Error> {
        let at = self.row_with(Table::FieldLayout, 1, row)?;
        at.map(|at| self.cell(Table::FieldLayout, at, 0)).transpose()
    }

    /// What a field holds from the start, as far as the file goes.
    pub fn field_data(&self, row: u32) -> Result<Option<&[u8]>, Error> {
        let Some(at) = self.row_with(Table::FieldRva, 1, row)? else { return Ok(None) };
        let offset = self.pe.offset(self.cell(Table::FieldRva, at, 0)?)?;
        Ok(self.file.get(offset..))
    }

    /// The assembly that a type was moved to.
    pub fn forwarded(&self, full: &str) -> Result<Option<&str>, Error> {
        for row in 1..=self.rows(Table::ExportedType) {
            let name = self.string(Table::ExportedType, row, 2)?;
            if full.ends_with(name) && full_name(self.string(Table::ExportedType, row, 3)?, name) == full {
                let to = self.coded(&IMPLEMENTATION, Table::ExportedType, row, 4)?;
                if to.is(Table::AssemblyRef) {
                    return Ok(Some(self.assembly_ref(to.row())?));
                }
            }
        }
        Ok(None)
    }

    /// The names of the attributes of something, each with its arguments as they are.
    pub fn attributes(&self, of: Token) -> Result<Vec<(String, &[u8])>, Error> {
        let Some(wanted) = Metadata::encode(&HAS_CUSTOM_ATTRIBUTE, of) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let mut row = self.first_at_least(Table::CustomAttribute, 0, wanted)?;
        while row <= self.rows(Table::CustomAttribute) && self.cell(Table::CustomAttribute, row, 0)? == wanted
        {
            let made_by = self.coded(&CUSTOM_ATTRIBUTE_TYPE, Table::CustomAttribute, row, 1)?;
            let class = match made_by.is(Table::MemberRef) {
                true => self.member_ref(made_by.row())?.0,
                false => Token::new(Table::TypeDef, self.owner(made_by)?),
            };
            found.push((self.type_name(class)?, self.blob(Table::CustomAttribute, row, 2)?));
            row += 1;
        }
        Ok(found)
    }

    /// Namespace and name of a type, if it is no instance of a generic one.
    pub fn type_name(&self, token: Token) -> Result<String, Error> {
        if token.is(Table::TypeDef) {
            let def = self.type_def(token.row())?;
            return Ok(full_name(def.namespace, def.name));
        }
        if token.is(Table::TypeRef) {
            let (_, namespace, name) = self.type_ref(token.row())?;
            return Ok(full_name(namespace, name));
        }
        Ok(String::new())
    }

    /// The body of a method, if it has one.
    pub fn body(&self, row: u32) -> Result<Option<Body>, Error> {
        let rva = self.method_def(row)?.rva;
        if rva == 0 {
            return Ok(None);
        }
        Body::read(&self.file, self.pe.offset(rva)?).map(Some)
    }

    /// A string of the program.
    pub fn user_string(&self, token: Token) -> Result<Vec<u16>, Error> {
        if token.table() != 0x70 {
            return bad("`ldstr` of something that is no string");
        }
        self.metadata.user_string(&self.file, token.row())
    }
}

/// A name with its namespace.
pub fn full_name(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_string() } else { format!("{namespace}.{name}") }
}

/// A hash of a full name, and of the type that it is in (FNV-1a): class libraries have thousands.
fn hash_of(outer: u32, namespace: &str, name: &str) -> u64 {
    let dot = if namespace.is_empty() { "" } else { "." };
    let bytes =
        outer.to_le_bytes().into_iter().chain([namespace, dot, name].into_iter().flat_map(str::bytes));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
