import { closeSync, openSync, readSync } from 'node:fs';

const MAGIC = 0x7f_45_4c_46;
const HEADER_BYTES = 20;
const MACHINE_AT = 18;

/** The machine of an ELF file; undefined for other files. Reads 20 bytes. */
export function elfMachineOf(file: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const handle = openSync(file, 'r');
  try {
    if (readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES || header.readUInt32BE(0) !== MAGIC)
      return undefined;
    return header.readUInt16LE(MACHINE_AT);
  } finally {
    closeSync(handle);
  }
}
