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
  return markedProcesses().map(({ pid, command }) => `${pid} ${command.join(' ').slice(0, 160)}`);
}

interface Process {
  readonly pid: number;
  readonly command: readonly string[];
  readonly environment: readonly string[];
}

/** All processes that this process or its descendants have started since `markProcesses`. */
export function markedProcesses(): readonly Process[] {
  const mark = `${MARK}=${process.env[MARK]}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => ({
      pid: Number(pid),
      command: words(`/proc/${pid}/cmdline`),
      environment: words(`/proc/${pid}/environ`),
    }))
    .filter(({ environment }) => environment.includes(mark));
}

const words = (file: string): readonly string[] => read(file).split('\0').slice(0, -1);

/** The file's text; empty when the process has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
