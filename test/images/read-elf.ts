/** Reads machine, interpreter and needed libraries of an ELF file, like a dynamic linker. */
import { readFileSync } from 'node:fs';

const MAGIC = 0x7f_45_4c_46;
const MACHINE_AT = 18;
const CLASS_64 = 2;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;
const DT_RPATH = 15n;
const DT_RUNPATH = 29n;
const DYNAMIC_ENTRY_BYTES = 16;

export interface Elf {
  /** `e_machine`: 62 is x86-64, 183 is AArch64. */
  readonly machine: number;
  /** The dynamic linker; undefined for libraries and static programs. */
  readonly interpreter: string | undefined;
  readonly needed: readonly string[];
  /** Folders that the linker searches first, with `$ORIGIN` unresolved. */
  readonly searchPath: readonly string[];
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
  readonly bytes: number;
}

/** Reads a linked 64-bit ELF file; undefined for any other file. */
export function readElf(file: string): Elf | undefined {
  const bytes = readFileSync(file);
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== MAGIC || bytes[4] !== CLASS_64) return undefined;
  const segments = segmentsOf(bytes);
  const interpreter = segments.find(({ type }) => type === PT_INTERP);
  return {
    machine: bytes.readUInt16LE(MACHINE_AT),
    interpreter: interpreter === undefined ? undefined : textAt(bytes, interpreter.offset),
    ...dynamicOf(bytes, segments),
  };
}

function segmentsOf(bytes: Buffer): readonly Segment[] {
  const at = Number(bytes.readBigUInt64LE(32));
  const [size, count] = [bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const header = at + index * size;
    return {
      type: bytes.readUInt32LE(header),
      offset: Number(bytes.readBigUInt64LE(header + 8)),
      address: bytes.readBigUInt64LE(header + 16),
      bytes: Number(bytes.readBigUInt64LE(header + 32)),
    };
  });
}

function dynamicOf(bytes: Buffer, segments: readonly Segment[]): Pick<Elf, 'needed' | 'searchPath'> {
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  // A file of debug symbols has segment headers, but not the bytes of the segments.
  if (dynamic === undefined || dynamic.offset + dynamic.bytes > bytes.length) return { needed: [], searchPath: [] };
  const entries = Array.from({ length: dynamic.bytes / DYNAMIC_ENTRY_BYTES }, (_, index) => {
    const at = dynamic.offset + index * DYNAMIC_ENTRY_BYTES;
    return { tag: bytes.readBigInt64LE(at), value: bytes.readBigUInt64LE(at + 8) };
  });
  const strings = entries.find(({ tag }) => tag === DT_STRTAB);
  const home = segments.find(
    ({ type, address, bytes: length }) =>
      type === PT_LOAD && strings !== undefined && strings.value >= address && strings.value < address + BigInt(length),
  );
  if (strings === undefined || home === undefined) return { needed: [], searchPath: [] };
  const base = home.offset + Number(strings.value - home.address);
  const textsOf = (wanted: readonly bigint[]): string[] =>
    entries.filter(({ tag }) => wanted.includes(tag)).map(({ value }) => textAt(bytes, base + Number(value)));
  return {
    needed: textsOf([DT_NEEDED]),
    searchPath: textsOf([DT_RPATH, DT_RUNPATH]).flatMap((path) => path.split(':')),
  };
}

const textAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, bytes.indexOf(0, at));
