//! What of the class library is not lowered, because it ends in the runtime, and what needs no static
//! constructor.

/// Parts of the class library that end in the runtime everywhere: why they are not lowered.
pub fn left_out(name: &str) -> Option<&'static str> {
    const OUTSIDE: [(&str, &str); 27] = [
        ("System.Globalization.", "cultures are not supported"),
        ("System.Text.", "text is not supported"),
        ("System.IO.", "files are not supported"),
        ("System.Reflection.", "reflection is not supported"),
        ("System.Security.", "security is not supported"),
        ("System.Runtime.Remoting.", "remoting is not supported"),
        ("System.Runtime.Serialization.", "serialisation is not supported"),
        ("System.Runtime.InteropServices.", "native code is not supported"),
        ("System.Diagnostics.Tracing.", "tracing is not supported"),
        ("System.Diagnostics.StackTrace.", "stack traces are not supported"),
        ("System.Diagnostics.StackFrame.", "stack traces are not supported"),
        ("System.Diagnostics.Stopwatch.", "time is not supported"),
        ("System.Diagnostics.Process.", "processes are not supported"),
        ("System.Diagnostics.Trace", "tracing is not supported"),
        ("System.Resources.", "resources are not supported"),
        ("System.AppDomain.", "application domains are not supported"),
        ("System.RuntimeType.", "reflection is not supported"),
        ("System.Type.", "reflection is not supported"),
        ("System.Enum.", "reflection is not supported"),
        ("System.DateTime", "time is not supported"),
        ("System.TimeZone", "time is not supported"),
        ("System.Number", "formatting is not supported"),
        ("System.Console.", "input is not supported"),
        ("System.Threading.Timer", "timers are not supported"),
        ("System.Threading.Thread.", "this of threads is not supported"),
        ("System.Activator.", "reflection is not supported"),
        ("Mono.", "this part of mono is not supported"),
    ];
    /// What of them is only bytecode.
    const INSIDE: [&str; 12] = [
        "System.Text.StringBuilder",
        "System.Text.ValueStringBuilder",
        "System.IO.TextWriter",
        "System.IO.StringWriter",
        "System.IO.StringReader",
        "System.IO.TextReader",
        "System.Diagnostics.Stopwatch.",
        "System.Runtime.InteropServices.MemoryMarshal.",
        "System.Globalization.UnicodeCategory",
        "System.Globalization.NumberFormatInfo.",
        "System.Number/NumberBuffer.",
        "System.DateTime.",
    ];
    // Numbers are read as they are; how they are written is done by the machine.
    const OF_NUMBERS: [&str; 6] = ["Double", "Single", "Decimal", "Dragon", "Format", "ToString"];
    if let Some(member) = name.strip_prefix("System.Number.")
        && !OF_NUMBERS.iter().any(|part| member.contains(part))
    {
        return None;
    }
    if INSIDE.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    OUTSIDE.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, why)| *why)
}

/// Types whose static constructor only sets up what natives stand for.
pub fn needs_no_cctor(name: &str) -> bool {
    const NEEDLESS: [&str; 6] = [
        "System.Threading.Thread.",
        "System.Console.",
        "System.Environment.",
        "System.Diagnostics.Stopwatch.",
        "System.Diagnostics.Tracing.EventSource.",
        // Where hash codes begin.
        "System.Numerics.Hashing.HashHelpers.",
    ];
    NEEDLESS.iter().any(|p| name.starts_with(p))
}
