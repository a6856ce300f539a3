/** Looks for texts in a pod: in the memory and environment of its processes, from outside of it, and in its files. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { mainProcessOf, type Village } from '../village.ts';

export type Container = 'resident' | 'hands';

/** Bytes of memory that are read at once. A text may cross the border of two parts. */
const PART_BYTES = 4 << 20;
const OVERLAP_BYTES = 512;
/** Larger mappings are reserved, not used: this is its only content. */
const MAPPING_BYTES = 512 << 20;

/** The processes of a container, by their ids on this machine. */
export async function processesOf(place: Village, pod: string, container: Container): Promise<readonly number[]> {
  const main = await mainProcessOf(place, pod, container);
  const space = readlinkSync(`/proc/${main}/ns/pid`);
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/ns/pid`) === space;
      } catch {
        return false;
      }
    });
}

interface Mapping {
  readonly begin: number;
  readonly end: number;
}

function mappingsOf(pid: number): readonly Mapping[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, begin, end, name = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw..\s\S+\s\S+\s\d+\s*(.*)$/.exec(line) ?? [];
      if (begin === undefined || end === undefined || name.startsWith('/dev/')) return [];
      const mapping = { begin: Number.parseInt(begin, 16), end: Number.parseInt(end, 16) };
      return mapping.end - mapping.begin > MAPPING_BYTES ? [] : [mapping];
    });
}

function inMapping(memory: number, { begin, end }: Mapping, wanted: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  const buffer = Buffer.alloc(PART_BYTES);
  for (let at = begin; at < end; at += PART_BYTES - OVERLAP_BYTES) {
    let length = 0;
    try {
      length = readSync(memory, buffer, 0, Math.min(PART_BYTES, end - at), at);
    } catch {
      continue;
    }
    const part = buffer.subarray(0, length);
    for (const text of wanted)
      if (part.includes(text, 0, 'latin1') || part.includes(text, 0, 'utf16le')) found.add(text);
  }
  return [...found];
}

/** Those of the texts that are in the writable memory or the environment of a process. */
export function textsInProcess(pid: number, texts: readonly string[]): readonly string[] {
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
  const found = new Set(texts.filter((text) => environment.includes(text)));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const mapping of mappingsOf(pid))
      for (const text of inMapping(memory, mapping, new Set(texts))) found.add(text);
  } finally {
    closeSync(memory);
  }
  return [...found];
}

/** Folders whose files may change while a pod runs. The rest is the image. */
const FOLDERS = [
  '/etc',
  '/root',
  '/workspace',
  '/tmp',
  '/var',
  '/run',
  '/dev/shm',
  '/home',
  '/app/.compile-cache',
  '/usr/local/share',
];

/** Files of a container that have one of the texts, which reach its program by its input and so are in no command line. */
export async function filesWith(
  place: Village,
  pod: string,
  { container, texts }: { readonly container: Container; readonly texts: readonly string[] },
): Promise<readonly string[]> {
  const script = `grep -rlasF -D skip -f - ${FOLDERS.join(' ')} 2>/dev/null; true`;
  const output = await place.kubectl(
    ['exec', '-i', pod, '-c', container, '--', 'sh', '-c', script],
    `${texts.join('\n')}\n`,
  );
  return output.split('\n').filter((line) => line !== '');
}
