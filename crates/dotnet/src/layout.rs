//! What values take in memory and in registers.

use crate::types::{DefId, Kind, Ty};
use crate::world::{EXPLICIT_LAYOUT, Field, LITERAL, STATIC, World};
use crate::{CompileError, refuse};
use std::collections::HashMap;
use std::rc::Rc;

/// Bytes before the fields of an object: the monitor's lock in the first four, a bit for each thread that
/// waits in eight from 8 on, and for objects that are there from the start their type in eight from 16 on.
pub const HEADER: u32 = 24;
/// Where the waiting threads are.
pub const WAITERS: i64 = 8;
/// Where the type of an object that is there from the start is.
pub const TYPE: usize = 16;

/// A value without parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Prim {
    I1,
    U1,
    I2,
    U2,
    I4,
    I8,
    R4,
    R8,
    /// References and native integers.
    Ptr,
}

impl Prim {
    pub fn bytes(self) -> u8 {
        match self {
            Prim::I1 | Prim::U1 => 1,
            Prim::I2 | Prim::U2 => 2,
            Prim::I4 | Prim::R4 => 4,
            Prim::I8 | Prim::R8 | Prim::Ptr => 8,
        }
    }

    /// What it is on the evaluation stack.
    pub fn stack(self) -> Prim {
        match self {
            Prim::I1 | Prim::U1 | Prim::I2 | Prim::U2 => Prim::I4,
            other => other,
        }
    }

    /// How many bits of it an operation is about.
    pub fn bits(self) -> u8 {
        match self.stack() {
            Prim::I4 | Prim::R4 => 32,
            _ => 64,
        }
    }
}

/// How a type is laid out: a class with its header and what it inherits, or a value type.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub size: u32,
    pub align: u32,
    /// By row of the field, in its assembly.
    pub fields: HashMap<DefId, (u32, Ty)>,
    /// The parts of a value.
    pub leaves: Vec<(u32, Prim)>,
    /// Where those parts of a value are that are references.
    pub references: Vec<u32>,
    /// Names, for reports.
    pub names: Vec<(String, u32, Ty)>,
}

#[derive(Default)]
pub struct Layouts {
    known: HashMap<Ty, Rc<Layout>>,
    values: HashMap<Ty, bool>,
    depth: u32,
}

const DEEPEST: u32 = 200;
/// In bytes.
const LARGEST: u32 = 1 << 20;
/// A value has no more parts: each is a register.
const MOST_PARTS: usize = 1 << 10;

impl Layouts {
    /// Whether values of a type are copied, not referred to.
    pub fn is_value(&mut self, world: &mut World, ty: Ty) -> Result<bool, CompileError> {
        if let Some(known) = self.values.get(&ty) {
            return Ok(*known);
        }
        let is = match world.types.kind(ty).clone() {
            Kind::Def(def, _) => match world.base(ty)? {
                Some(base) => {
                    let own = world.def_name(def)?;
                    let base = world.name(base);
                    (base == "System.ValueType" || base == "System.Enum") && own != "System.Enum"
                }
                None => false,
            },
            Kind::String | Kind::Object | Kind::SzArray(_) | Kind::Array(..) => false,
            _ => true,
        };
        self.values.insert(ty, is);
        Ok(is)
    }

    /// What a type without parts is; enumerations are their numbers.
    pub fn prim(&mut self, world: &mut World, ty: Ty) -> Result<Option<Prim>, CompileError> {
        Ok(Some(match world.types.kind(ty).clone() {
            Kind::Bool | Kind::U1 => Prim::U1,
            Kind::I1 => Prim::I1,
            Kind::Char | Kind::U2 => Prim::U2,
            Kind::I2 => Prim::I2,
            Kind::I4 | Kind::U4 => Prim::I4,
            Kind::I8 | Kind::U8 => Prim::I8,
            Kind::R4 => Prim::R4,
            Kind::R8 => Prim::R8,
            Kind::Void => return Ok(None),
            Kind::MVar(_) => return refuse("a type parameter stands for nothing"),
            Kind::Def(..) if self.is_value(world, ty)? => match self.underlying(world, ty)? {
                Some(of) => return self.prim(world, of),
                None => return Ok(None),
            },
            _ => Prim::Ptr,
        }))
    }

    /// The type of the numbers of an enumeration.
    pub fn underlying(&mut self, world: &mut World, ty: Ty) -> Result<Option<Ty>, CompileError> {
        match world.base(ty)? {
            Some(base) if world.name(base) == "System.Enum" => {
                let field = world.own_field(ty, "value__")?;
                let of = field.map(|field| world.field_type(field)).transpose()?;
                if of.is_some_and(|of| matches!(world.types.kind(of), Kind::Def(..) | Kind::Void)) {
                    return refuse(format!("the enumeration {} is none of numbers", world.name(ty)));
                }
                Ok(of)
            }
            _ => Ok(None),
        }
    }

    /// The parts of a value, with their places in it.
    pub fn leaves(&mut self, world: &mut World, ty: Ty) -> Result<Vec<(u32, Prim)>, CompileError> {
        if matches!(world.types.kind(ty), Kind::Void) {
            return Ok(Vec::new());
        }
        Ok(match self.prim(world, ty)? {
            Some(prim) => vec![(0, prim)],
            None => self.of(world, ty)?.leaves.clone(),
        })
    }

    /// Which places of a value are references.
    pub fn references(&mut self, world: &mut World, ty: Ty) -> Result<Vec<u32>, CompileError> {
        if !self.is_value(world, ty)? {
            return Ok(vec![0]);
        }
        Ok(match self.prim(world, ty)? {
            None if !matches!(world.types.kind(ty), Kind::Void) => self.of(world, ty)?.references.clone(),
            _ => Vec::new(),
        })
    }

    /// Size and alignment of a value, or of a reference to an object.
    pub fn size(&mut self, world: &mut World, ty: Ty) -> Result<(u32, u32), CompileError> {
        Ok(match self.prim(world, ty)? {
            Some(prim) => (prim.bytes() as u32, prim.bytes() as u32),
            None => {
                let layout = self.of(world, ty)?;
                (layout.size, layout.align)
            }
        })
    }

    /// The layout of a class or a value type.
    pub fn of(&mut self, world: &mut World, ty: Ty) -> Result<Rc<Layout>, CompileError> {
        if let Some(known) = self.known.get(&ty) {
            return Ok(Rc::clone(known));
        }
        if self.depth > DEEPEST {
            return refuse(format!("the type {} is nested too deep", world.name(ty)));
        }
        self.depth += 1;
        let layout = self.compute(world, ty);
        self.depth -= 1;
        let layout = Rc::new(layout?);
        self.known.insert(ty, Rc::clone(&layout));
        Ok(layout)
    }

    fn compute(&mut self, world: &mut World, ty: Ty) -> Result<Layout, CompileError> {
        let is_value = self.is_value(world, ty)?;
        let mut layout = Layout { align: 1, ..Layout::default() };
        if !is_value {
            layout = Layout { size: HEADER, align: 8, ..Layout::default() };
            if let Some(base) = world.base(ty)? {
                layout = Layout::clone(&*self.of(world, base)?);
            }
        }
        let Some((def, _)) = world.def_of(ty) else { return Ok(layout) };
        let flags = world.flags(def)?;
        let (from, to) = world.assemblies[def.assembly as usize].type_def(def.row)?.fields;
        for row in from..to {
            let of = &world.assemblies[def.assembly as usize];
            let (field_flags, name) = of.field_def(row)?;
            if field_flags & (STATIC | LITERAL) != 0 {
                continue;
            }
            let name = name.to_string();
            let explicit = if flags & EXPLICIT_LAYOUT != 0 { of.field_layout(row)? } else { None };
            let field = Field { owner: ty, def: DefId { row, ..def } };
            let field_ty = world.field_type(field)?;
            let (size, align) = self.size(world, field_ty)?;
            let at = match explicit {
                Some(at) if at > LARGEST => {
                    return refuse(format!("the type {} is too large", world.name(ty)));
                }
                Some(at) => at + if is_value { 0 } else { HEADER },
                None => layout.size.next_multiple_of(align.max(1)),
            };
            layout.align = layout.align.max(align);
            layout.fields.insert(field.def, (at, field_ty));
            layout.names.push((name, at, field_ty));
            if is_value {
                let within = self.references(world, field_ty)?;
                layout.references.extend(within.into_iter().map(|offset| at + offset));
            }
            for (offset, prim) in self.leaves(world, field_ty)? {
                let (begin, end) = (at + offset, at + offset + prim.bytes() as u32);
                let meets = |(o, p): &(u32, Prim)| *o < end && begin < o + p.bytes() as u32;
                if layout.leaves.iter().any(meets) {
                    // Another name for what other fields are of as a whole: it is got at by its address.
                    let covers = |(o, p): &(u32, Prim)| begin <= *o && o + p.bytes() as u32 <= end;
                    let parts = layout.leaves.iter().filter(|leaf| meets(leaf));
                    let covered: u32 =
                        parts.clone().filter(|leaf| covers(leaf)).map(|(_, p)| p.bytes() as u32).sum();
                    let plain = |p: Prim| p != Prim::Ptr;
                    if covered == end - begin && plain(prim) && parts.clone().all(|(_, p)| plain(*p)) {
                        continue;
                    }
                    return refuse(format!(
                        "the fields of {} overlap: that is not supported",
                        world.name(ty)
                    ));
                }
                if is_value {
                    layout.leaves.push((begin, prim));
                }
            }
            layout.size = layout.size.max(at + size);
            if layout.size > LARGEST || layout.leaves.len() > MOST_PARTS {
                return refuse(format!("the type {} is too large", world.name(ty)));
            }
        }
        if is_value {
            layout.size = layout.size.next_multiple_of(layout.align.max(1)).max(1);
            if let Some((_, asked)) = world.assemblies[def.assembly as usize].class_layout(def.row)? {
                if asked > LARGEST {
                    return refuse(format!("the type {} is too large", world.name(ty)));
                }
                layout.size = layout.size.max(asked);
            }
        }
        Ok(layout)
    }

    /// Where a field is in its type.
    pub fn field(&mut self, world: &mut World, field: Field) -> Result<(u32, Ty), CompileError> {
        let layout = self.of(world, field.owner)?;
        match layout.fields.get(&field.def) {
            Some(place) => Ok(*place),
            None => refuse(format!("{} has no place", world.field_name(field))),
        }
    }
}
