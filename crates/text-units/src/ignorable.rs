//! The characters that Unicode says to show as nothing.

/// `Default_Ignorable_Code_Point` of DerivedCoreProperties (Unicode 15 to 17: the same set),
/// as inclusive ranges in ascending order.
const DEFAULT_IGNORABLE: [(u32, u32); 17] = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

/// Whether a character is a default-ignorable code point (Unicode Character Database,
/// DerivedCoreProperties): soft hyphen, zero-width characters, direction marks, variation
/// selectors, fillers, tags.
///
/// ```
/// assert!(text_units::is_default_ignorable('\u{200B}'));
/// assert!(!text_units::is_default_ignorable(' '));
/// ```
#[must_use]
pub fn is_default_ignorable(c: char) -> bool {
    let code = u32::from(c);
    code >= 0xAD
        && DEFAULT_IGNORABLE
            .binary_search_by(|&(first, last)| {
                if last < code {
                    std::cmp::Ordering::Less
                } else if first > code {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
}
