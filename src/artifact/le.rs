//! Little-endian numbers out of byte slices, without panics.

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(
        bytes.get(at..at.checked_add(2)?)?.try_into().ok()?,
    ))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(
        bytes.get(at..at.checked_add(4)?)?.try_into().ok()?,
    ))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(
        bytes.get(at..at.checked_add(8)?)?.try_into().ok()?,
    ))
}

/// The bytes of `start..end`, as far as they are there.
pub(super) fn clip(bytes: &[u8], start: u64, end: u64) -> &[u8] {
    let index = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(index(start)..index(end)).unwrap_or_default()
}
