//! What the functions that the machine performs itself are to analyses of programs.

use super::native::Native;
use selvedge_ir::Module;
use selvedge_ir::analysis::external::{External, Flow};

/// By function: what is known of it if it has no code.
pub fn externals(module: &Module) -> Vec<Option<External>> {
    let external = |native| External { flow: flow(native), anonymous: is_anonymous(native) };
    let known = |name: &str| Native::named(name).map(external);
    module.functions.iter().map(|f| if f.code.is_empty() { known(&f.name) } else { None }).collect()
}

/// What becomes of addresses.
fn flow(native: Native) -> Flow {
    match native {
        Native::Malloc(_) | Native::Calloc | Native::New | Native::NewLike | Native::StringMade => {
            Flow::Makes
        }
        Native::Errno => Flow::OwnAddress,
        Native::Free
        | Native::LockHeld
        | Native::LockAgain
        | Native::LockTaken
        | Native::LockLeave
        | Native::LockPart
        | Native::LockKept
        | Native::LockWhole
        | Native::LockUnheld
        | Native::Background
        | Native::Local
        | Native::Join
        | Native::Detach
        | Native::ResultOf
        | Native::Nothing
        | Native::TypeOf
        | Native::Length
        | Native::Element
        | Native::Dimensions
        | Native::Unhandled
        | Native::Size => Flow::TakesNames,
        Native::Fill | Native::Undefine => Flow::Fills,
        Native::Copy => Flow::Copies,
        Native::TextCopy => Flow::WritesText,
        Native::BarrierNew | Native::BarrierAt => Flow::KeepsNone,
        Native::Spawn => Flow::Spawns,
        Native::Unwind | Native::EndThread => Flow::Ends,
        Native::LongJump | Native::Raise | Native::Resume | Native::Panic => Flow::Jumps,
        _ => Flow::Other,
    }
}

/// Whether what the machine does for a thread does not depend on which one it is, but for new addresses.
fn is_anonymous(native: Native) -> bool {
    match native {
        Native::AssertFail(_)
        | Native::ReachError
        | Native::ErrorMessage
        | Native::Assert
        | Native::Abort
        | Native::Assume
        | Native::Choose
        | Native::Nondet
        | Native::Input
        | Native::Environment
        | Native::Undefine
        | Native::Malloc(_)
        | Native::Calloc
        | Native::New
        | Native::NewLike
        | Native::Dimensions
        | Native::StringMade
        | Native::TypeOf
        | Native::Length
        | Native::Element
        | Native::Unhandled
        | Native::Free
        | Native::Size
        | Native::Copy
        | Native::Fill
        | Native::Nothing
        | Native::ExitProcess
        | Native::Unwind
        | Native::EndThread
        | Native::Errno
        | Native::LockHeld
        | Native::LockAgain
        | Native::LockTaken
        | Native::LockLeave
        | Native::LockPart // `begin_alike` asks for the same parts
        | Native::LockKept
        | Native::LockWhole
        | Native::LockUnheld
        | Native::Background
        | Native::Misuse
        | Native::Apart
        | Native::VlaLength
        | Native::Index
        | Native::BarrierLooks
        | Native::BarrierNone
        | Native::BarrierCheck
        | Native::BarrierCount
        | Native::BarrierUnordered
        | Native::BarrierArrive
        | Native::BarrierDepart
        | Native::Wait
        | Native::Spurious
        | Native::FutexWakes
        | Native::SpinBegin
        | Native::SpinEnd
        | Native::OptionalBegin
        | Native::StackSave
        | Native::StackRestore
        | Native::FinalBegin
        | Native::FinalEnd
        | Native::Local
        | Native::TextFormat
        | Native::TextBytes
        | Native::TextNext
        | Native::TextWidth
        | Native::TextGive
        | Native::TextChar
        | Native::TextLength
        | Native::TextPrint
        | Native::TextNumber
        | Native::TextUsed
        | Native::Durable
        | Native::Recovery
        | Native::Flush(_)
        | Native::Sync(_)
        | Native::Path
        | Native::Map
        | Native::Line
        | Native::Disk
        | Native::CallFailed
        | Native::Math(_)
        | Native::MathSingle(_) => true,
        Native::SetJump
        | Native::LongJump
        | Native::Raise
        | Native::Resume
        | Native::Exception
        | Native::Selector
        | Native::Adjusted
        | Native::CaughtPointer
        | Native::CaughtVirtually
        | Native::Taken
        | Native::PanicText
        | Native::PanicExpected
        | Native::RustParks
        | Native::Panic
        | Native::RustCurrent
        | Native::LastRead
        | Native::AtThreadExit
        | Native::NextExit
        | Native::ExitArgument
        | Native::CleanupPush
        | Native::CleanupPop
        | Native::ThisThread
        | Native::ThreadBit
        | Native::ProcessId
        | Native::NthBit
        | Native::Identity
        | Native::NewThread
        | Native::Spawn
        | Native::Join
        | Native::Detach
        | Native::ResultOf
        | Native::NewKey
        | Native::NextKey
        | Native::Destructor
        | Native::Futex
        | Native::GetSpecific
        | Native::SetSpecific
        | Native::BarrierNew
        | Native::BarrierAt
        | Native::TextCopy => false,
    }
}
