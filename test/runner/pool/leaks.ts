/** Traces that a test file may leave in its process: nothing, because the next file runs there too. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any child process of a test needs to end after a signal, and than timers of a minute. */
const GRACE_MS = Number(process.env['HAMLET_TEST_GRACE_MS'] ?? 90_000);
const LOOK_EVERY_MS = 10;
/** Events that a test file has to stop listening to. */
const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'message'] as const;

export interface ProcessState {
  /** State that must be the same after the file, by name: variables, the working folder, globals, listeners. */
  readonly facts: ReadonlyMap<string, string>;
  /** Resources that keep the process alive, such as timers, servers and connections. */
  readonly open: readonly string[];
}

export const observeProcess = (): ProcessState => ({
  facts: new Map([
    ['the working folder', process.cwd()],
    // node:test sets it for an error that no test awaits.
    ['the exit code', String(process.exitCode)],
    ...Object.entries(process.env).map(([name, value]) => [`the variable ${name}`, value ?? ''] as const),
    ...Object.getOwnPropertyNames(globalThis)
      .filter((name) => !name.startsWith('__'))
      .map((name) => [`the global ${name}`, 'set'] as const),
    ...EVENTS.map((event) => [`listeners to ${event}`, String(process.listenerCount(event))] as const),
  ]),
  open: openResources(),
});

/** Waits until what the file opened is closed. Throws with what it has left behind. */
export async function checkLeaks({ open, facts }: ProcessState): Promise<void> {
  const untilMs = performance.now() + GRACE_MS;
  while (added(open).length > 0 && performance.now() < untilMs) await sleep(LOOK_EVERY_MS);
  const left = added(open);
  assert.ok(left.length === 0, `its tests are done, but this stays open: ${left.join(', ')}. Fix: close it in after()`);
  const now = observeProcess().facts;
  const changed = [...new Set([...facts.keys(), ...now.keys()])].filter((name) => facts.get(name) !== now.get(name));
  assert.ok(changed.length === 0, `its tests have changed ${changed.join(', ')}. Fix: undo it in after()`);
}

/** The open resources that were not there before. The timer of the caller's pause has ended when it looks. */
function added(before: readonly string[]): readonly string[] {
  const rest = [...before];
  return openResources().filter((kind) => {
    const index = rest.indexOf(kind);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

/** The resources that keep the process alive. Node also counts sockets that nothing reads or writes, so sockets are left out. */
const openResources = (): readonly string[] =>
  process.getActiveResourcesInfo().filter((kind) => kind !== 'TCPSocketWrap');
