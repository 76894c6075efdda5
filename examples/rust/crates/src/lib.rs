//! Clients of crates from the registry; the tests are what there is of them.
