import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TelemetrySink } from '../bus.ts';

/** Bytes after which the next write begins a new file. */
const MAX_BYTES = 16 << 20;
/** Files beside the current one: `path.1` is the newest of them. */
const KEPT_FILES = 4;
const NEWLINE = 0x0a;

type Limits = Readonly<{ maxBytes: number; keptFiles: number }>;

/**
 * Appends each event as a line of JSON, in files that only this process writes. A line that a crash or a full disk has cut stays alone on
 * its line, so a reader that skips lines it cannot parse reads all others.
 */
export function jsonlSink(
  path: string,
  { maxBytes, keptFiles }: Limits = { maxBytes: MAX_BYTES, keptFiles: KEPT_FILES },
): TelemetrySink {
  let current: Readonly<{ file: FileHandle; bytes: number }> | null = null;
  const end = async (): Promise<void> => {
    const { file } = current ?? {};
    current = null;
    await file?.close();
  };
  return {
    name: 'jsonl',
    write: async (events) => {
      const lines = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      current ??= await opened(path);
      if (current.bytes > 0 && current.bytes + lines.length > maxBytes) {
        await end();
        await rotate(path, keptFiles);
        current = await opened(path);
      }
      const { file, bytes } = current;
      try {
        await file.appendFile(lines);
        current = { file, bytes: bytes + lines.length };
      } catch (error) {
        // The next write opens the file again, and finds the cut line.
        await end();
        throw error;
      }
    },
    close: end,
  };
}

/** Opens the file for appending, after a line break if its last line has none. */
async function opened(path: string): Promise<Readonly<{ file: FileHandle; bytes: number }>> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    if (size === 0 || last[0] === NEWLINE) return { file, bytes: size };
    await file.appendFile('\n');
    return { file, bytes: size + 1 };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Renames from the oldest on, so that a crash between two renames loses no file but the oldest. */
async function rotate(path: string, keptFiles: number): Promise<void> {
  for (let number = keptFiles; number >= 1; number -= 1) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    await rename(from, `${path}.${number}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
