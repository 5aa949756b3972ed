//! Built files made for a test: hosts of Linux and Windows with fatbin containers, and packages around them. Only headers are true to
//! life; the images have no code, since nothing is decompressed to tell their architectures.

/// Fatbin containers, one a line: `sm_80 sm_90a compute_90@8.7`, the PTX with its language version.
pub fn fatbin(containers: &[&str]) -> Vec<u8> {
    containers
        .iter()
        .flat_map(|images| container(images))
        .collect()
}

fn container(images: &str) -> Vec<u8> {
    let entries: Vec<u8> = images.split_whitespace().flat_map(entry).collect();
    let mut bytes = 0xba55_ed50_u32.to_le_bytes().to_vec();
    bytes.extend([1, 0, 16, 0]);
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    bytes
}

fn entry(image: &str) -> Vec<u8> {
    let (name, isa) = image.split_once('@').unwrap_or((image, "8.0"));
    let (kind, target) = name.split_once('_').unwrap();
    let number = target.trim_end_matches(['a', 'f']);
    let suffix = match &target[number.len()..] {
        "a" => 0x10_0000_u64,
        "f" => 0x20_0000,
        _ => 0,
    };
    let (major, minor) = isa.split_once('.').unwrap();
    let mut head = vec![0; 0x40];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &[if kind == "sm" { 2 } else { 1 }, 0, 1, 1, 0x40]);
    put(8, &8_u64.to_le_bytes());
    put(
        0x18,
        &[minor.parse().unwrap(), 0, major.parse().unwrap(), 0],
    );
    put(0x1c, &number.parse::<u32>().unwrap().to_le_bytes());
    put(0x28, &(0x11 | suffix).to_le_bytes());
    head.extend([0; 8]);
    head
}

/// A library of Linux with these containers; without any, with host code only.
pub fn elf(containers: &[&str]) -> Vec<u8> {
    let code = fatbin(containers);
    let names = b"\0.nv_fatbin\0.shstrtab\0";
    let mut bytes = vec![0; 0x40];
    bytes.extend(&code);
    let names_at = bytes.len() as u64;
    bytes.extend(names);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let table = bytes.len() as u64;
    let row = |name: u32, kind: u32, at: u64, size: u64| -> Vec<u8> {
        let mut row = [name, kind].map(u32::to_le_bytes).concat();
        row.extend([2_u64, 0, at, size, 0, 8, 0].map(u64::to_le_bytes).concat());
        row
    };
    let mut rows = vec![row(0, 0, 0, 0)];
    if !code.is_empty() {
        rows.push(row(1, 1, 0x40, code.len() as u64));
    }
    rows.push(row(12, 3, names_at, names.len() as u64));
    let count = rows.len() as u16;
    bytes.extend(rows.concat());
    let mut put = |at: usize, more: &[u8]| bytes[at..at + more.len()].copy_from_slice(more);
    put(0, b"\x7fELF\x02\x01\x01");
    put(16, &[3, 0, 62, 0, 1]);
    put(0x28, &table.to_le_bytes());
    put(0x34, &[0x40, 0, 0x38, 0, 0, 0, 0x40, 0]);
    put(0x3c, &[count, count - 1].map(u16::to_le_bytes).concat());
    bytes
}

/// A library of Windows with these containers.
pub fn pe(containers: &[&str]) -> Vec<u8> {
    let code = fatbin(containers);
    let mut bytes = vec![0; 0x200];
    let mut put = |at: usize, more: &[u8]| bytes[at..at + more.len()].copy_from_slice(more);
    put(0, b"MZ");
    put(0x3c, &[0x40]);
    put(0x40, b"PE\0\0\x64\x86\x01");
    put(0x54, &[0xf0, 0, 0x22, 0x20, 0x0b, 0x02]);
    put(0x148, b".nv_fatb");
    let size = (code.len() as u32).to_le_bytes();
    put(0x150, &size);
    put(0x154, &[0, 0x10]);
    put(0x158, &size);
    put(0x15c, &[0, 2]);
    bytes.extend(code);
    bytes
}

/// A zip archive of stored members; `flags` and `method` of each as they are to be written.
pub fn zip(members: &[(&str, &[u8])], flags: u16, method: u16) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let at = out.len() as u32;
        let mut fixed = [20, flags, method, 0, 0].map(u16::to_le_bytes).concat();
        let size = bytes.len() as u32;
        fixed.extend([crc.sum(), size, size].map(u32::to_le_bytes).concat());
        fixed.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        out.extend(b"PK\x03\x04");
        out.extend(&fixed);
        out.extend(name.as_bytes());
        out.extend(*bytes);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fixed);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = out.len() as u32;
    let count = members.len() as u16;
    let size = directory.len() as u32;
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].map(u16::to_le_bytes).concat());
    out.extend([size, start].map(u32::to_le_bytes).concat());
    out.extend([0, 0]);
    out
}
