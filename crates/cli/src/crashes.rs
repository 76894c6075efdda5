//! What the command is told about crashes and files.

use crate::error::{InputError, InputKind};
use selvedge_check::Persist;
use selvedge_model::Persistency;
use selvedge_vm::DiskOptions;

#[derive(clap::Args, Debug)]
pub struct CrashArgs {
    /// Look for what recovery does wrong after a crash: a persistency model (px86, ext4-ordered, strict, and
    /// so on), or a .kat file with `recovery` (see docs/persistency.md)
    #[arg(long, value_name = "MODEL")]
    pub persist: Option<String>,

    /// Let there be up to so many crashes: recovery may be cut short as well
    #[arg(long, value_name = "N", default_value_t = 1, requires = "persist",
          value_parser = clap::value_parser!(u32).range(1..=3))]
    pub crashes: u32,

    /// Report recovery that writes to what is durable
    #[arg(long, requires = "persist")]
    pub read_only_recovery: bool,

    /// With ext4: blocks are allocated when they are written, not later
    #[arg(long, requires = "persist")]
    pub no_delalloc: bool,

    /// Bytes of a block of a file
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub block_size: u32,

    /// Bytes that a file may have
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub max_file_size: u32,

    /// Let system calls that fail set `errno`; without it, that is an error
    #[arg(long)]
    pub syscall_errors: bool,

    /// Let reads and writes of files do less than they are asked for
    #[arg(long)]
    pub short_io: bool,
}

impl CrashArgs {
    /// How crashes are looked for, if they are.
    pub fn persist(&self) -> Result<Option<Persist>, InputError> {
        let Some(name) = &self.persist else { return Ok(None) };
        let name = match (self.no_delalloc, name.as_str()) {
            (true, "ext4-ordered") => "ext4-ordered-no-delalloc",
            (true, name) if !name.starts_with("ext4-") => {
                let message =
                    format!("`--no-delalloc` is about ext4, and `{name}` is another persistency model");
                return Err(InputError::plain(InputKind::Unsupported, message, None));
            }
            (_, name) => name,
        };
        let theory = selvedge_kat::load_persistency(name).map_err(InputError::of_model)?;
        let model = Persistency::compile(&theory).map_err(InputError::of_model)?;
        Ok(Some(Persist { model, crashes: self.crashes, may_write: !self.read_only_recovery }))
    }

    /// How files are kept.
    pub fn disk(&self) -> DiskOptions {
        DiskOptions {
            block_size: self.block_size,
            max_file_size: self.max_file_size,
            syscall_errors: self.syscall_errors,
            short_io: self.short_io,
        }
    }
}
