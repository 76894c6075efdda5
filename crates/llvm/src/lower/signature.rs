//! Types of functions as text, to compare that of a call with that of what is called.
//!
//! They tell apart what LLVM passes in different ways. Types that C calls compatible are the same here.

use super::Program;
use super::shape::{Scalar, shape};
use crate::llvm::{Type, Value};

impl<'m> Program<'m> {
    pub(super) fn signature_of(&mut self, function: Value<'m>) -> u32 {
        let ty = function.contents();
        let parameters = function.parameters();
        let params: Vec<String> =
            (0..).zip(parameters).map(|(index, p)| self.passed(p.ty(), function.by_value(index))).collect();
        self.signature(ty, params)
    }

    pub(super) fn signature_of_call(&mut self, call: Value<'m>) -> u32 {
        let ty = call.called();
        let fixed = call.arguments().into_iter().take(ty.parameter_count() as usize);
        let params: Vec<String> =
            (0..).zip(fixed).map(|(index, a)| self.passed(a.ty(), call.argument_by_value(index))).collect();
        self.signature(ty, params)
    }

    fn signature(&mut self, ty: Type<'m>, mut params: Vec<String>) -> u32 {
        if ty.is_varargs() {
            params.push(String::from("..."));
        }
        let text = format!("{}({})", self.passed(ty.result(), None), params.join(","));
        let known = self.out.signatures.iter().position(|s| *s == text);
        known.unwrap_or_else(|| {
            self.out.signatures.push(text);
            self.out.signatures.len() - 1
        }) as u32
    }

    fn passed(&self, ty: Type<'m>, by_value: Option<Type<'m>>) -> String {
        if let Some(copied) = by_value {
            return format!("copy of {} bytes", self.layout.size(copied));
        }
        let parts: Vec<String> =
            shape(self.layout, ty).parts.into_iter().map(|(scalar, _)| word(scalar)).collect();
        match parts.as_slice() {
            [] => String::from("void"),
            parts => parts.join("+"),
        }
    }
}

fn word(scalar: Scalar) -> String {
    match scalar {
        Scalar::Int(bits) => format!("i{bits}"),
        Scalar::Float => String::from("float"),
        Scalar::Double => String::from("double"),
        Scalar::Extended => String::from("long double"),
        Scalar::Pointer => String::from("ptr"),
        Scalar::Other => String::from("other"),
    }
}
