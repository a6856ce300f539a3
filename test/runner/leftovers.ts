/** Finds processes that outlive the tests which started them, by a mark in their environment. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const MARK = 'HAMLET_TEST_RUN';

/** Marks everything that this process starts from now on. */
export function markProcesses(): void {
  process.env[MARK] = randomUUID();
}

/** `PID command` of each marked process that still runs. */
export function leftovers(): readonly string[] {
  const mark = `${MARK}=${process.env[MARK]}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(mark))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 160)}`);
}

/** The file's text, or nothing: processes end while they are looked at. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
