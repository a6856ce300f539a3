/** Finds processes that outlive the tests that started them, by a mark in their environment. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const MARK = 'HAMLET_TEST_RUN';

/** Marks all processes that this process starts after the call. */
export function markProcesses(): void {
  process.env[MARK] = randomUUID();
}

/** Time for a process to end after a signal. */
const ENDING_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** `PID command` of each marked process that does not end. */
export async function leftovers(): Promise<readonly string[]> {
  const untilMs = Date.now() + ENDING_MS;
  for (;;) {
    const left = running();
    if (left.length === 0 || Date.now() > untilMs) return left;
    await sleep(LOOK_EVERY_MS);
  }
}

function running(): readonly string[] {
  const mark = `${MARK}=${process.env[MARK]}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(mark))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 160)}`);
}

/** The file's text; empty when the process has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
