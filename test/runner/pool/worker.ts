/**
 * A process that runs test files one after the other, as its parent names them. Modules are loaded and compiled once for
 * all of them. Each file is a suite, so its hooks are its own.
 */
import { flushCompileCache } from 'node:module';
import { after, describe } from 'node:test';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Longer than any child process of a test needs to end after a signal, and than timers of a minute. */
const GRACE_MS = Number(process.env['HAMLET_TEST_GRACE_MS'] ?? 90_000);
const LOOK_EVERY_MS = 10;
/** Events whose listeners a test file must remove. */
const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'message'] as const;

/** Errors since the last check that no test awaited; node:test names them only when the process ends. Mutable. */
const unawaited: unknown[] = [];
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error: unknown) => unawaited.push(error));

interface ProcessState {
  /** State that must be the same after the file, by name: variables, the working folder, globals, listeners. */
  readonly facts: ReadonlyMap<string, string>;
  /** Resources that keep the process alive, such as timers, servers and connections. */
  readonly open: readonly string[];
}

const observeProcess = (): ProcessState => ({
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

/** Waits until what the file opened is closed. Throws an error that lists its leftovers. */
async function checkLeaks({ open, facts }: ProcessState): Promise<void> {
  const untilMs = performance.now() + GRACE_MS;
  while (added(open).length > 0 && performance.now() < untilMs) await sleep(LOOK_EVERY_MS);
  const left = added(open);
  assert.ok(left.length === 0, `its tests are done, but these stay open: ${left.join(', ')}. Fix: close it in after()`);
  const now = observeProcess().facts;
  const changed = [...new Set([...facts.keys(), ...now.keys()])].filter((name) => facts.get(name) !== now.get(name));
  const late = unawaited.splice(0).map((error) => ` An error that no test awaits: ${inspect(error)}`);
  assert.ok(
    changed.length === 0,
    `its tests have changed ${changed.join(', ')}. Fix: undo it in after()${late.join('')}`,
  );
}

/** Resources opened since `before`. The timer of the caller's pause has already ended. */
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

process.on('message', ({ file }: { readonly file: string }) => {
  describe(file, async () => {
    const before = observeProcess();
    process.argv[1] = resolve(file);
    try {
      await import(pathToFileURL(resolve(file)).href);
      // The processes that the file starts load some of its modules.
      flushCompileCache();
    } finally {
      // Hooks run in the order of their registration: this one runs after those of the file.
      after(() => checkLeaks(before));
    }
  });
});
