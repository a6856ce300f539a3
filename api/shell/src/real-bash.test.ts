/** Runs random commands in bash: the reader must report each one that starts the marker as `exec` or unclear. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { cases, Seeded } from '@hamlet/test/env/seeded';
import { readCommandOf } from './command-reader.ts';
import { openShell } from './open-shell.ts';
import { DATA, drawnCommand, FORMS, MARKER } from './testing/drawn-command.ts';

const COUNT = cases(600, 5_000);
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 24);
const COMMAND_MS = 5_000;
const LATE_MS = 1_000;
/** One in this many commands that the reader reports is run too, to prove that the commands can start the marker. */
const SAMPLE = 20;
const TOOLS =
  'bash sh ls cat sort sed find grep wc head diff uniq env timeout nice nohup xargs git tar install setsid stdbuf time tr cut'.split(
    ' ',
  );

const root = mkdtempSync(join(tmpdir(), 'shell-'));
after(() => rmSync(root, { recursive: true, force: true }));
const [bin, work, ran] = [join(root, 'bin'), join(root, 'work'), join(root, 'ran')];

const which = (name: string): string =>
  spawnSync('bash', ['-c', 'type -P "$1"', 'which', name]).stdout.toString().trim();
/** Writes a program that creates a file named after its command, even if it starts after that command has ended. */
const program = (file: string): void =>
  writeFileSync(file, `#!/bin/sh\n: >${ran}/\${COMMAND:-none}\n`, { mode: 0o755 });
/** As in the hands: git takes these settings before those of a repository. */
const CLOSED = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'safe.bareRepository',
  GIT_CONFIG_VALUE_1: 'explicit',
};
const environment = { ...DATA, ...CLOSED, PATH: bin, HOME: work, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: work, env: { PATH: process.env['PATH'], HOME: work, GIT_CONFIG_NOSYSTEM: '1' } });

for (const folder of [bin, ran]) mkdirSync(folder);
for (const name of TOOLS) {
  const at = which(name);
  if (at !== '') symlinkSync(at, join(bin, name));
}
program(join(bin, MARKER));
/** The files again as they were, because commands may write to them. */
function furnish(): void {
  // The first number of a descriptor that bash chooses itself is 10.
  for (const folder of ['planted', '10']) {
    mkdirSync(join(work, folder), { recursive: true });
    for (const name of ['ls', 'echo']) program(join(work, folder, name));
  }
  for (const name of ['plant', '.bashrc', '.bash_profile', '.profile']) writeFileSync(join(work, name), `${MARKER}\n`);
  writeFileSync(join(work, 'lines'), 'b\na\n');
  writeFileSync(join(work, 'big'), 'some line\n'.repeat(2_000));
  writeFileSync(join(work, DATA['option'] ?? ''), '');
}
furnish();
for (const [name, kind] of [
  ['tree', '--no-bare'],
  ['bare', '--bare'],
] as const) {
  git('init', '--quiet', kind, name);
  git('-C', name, 'config', 'core.fsmonitor', join(bin, MARKER));
}
git('-C', 'bare', 'config', 'core.bare', 'false');
git('-C', 'bare', 'config', 'core.worktree', work);

function run(command: string, number: number): void {
  spawnSync('bash', ['-c', command], {
    cwd: work,
    env: { ...environment, COMMAND: String(number) },
    stdio: 'ignore',
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  });
}

const parse = await openShell();
const isSeen = (command: string): boolean => {
  const { classes, unclear } = readCommandOf(parse, command);
  return classes.includes('exec') || unclear.length > 0;
};

test(`${COUNT} random commands (seed ${SEED}): the reader reports each one that starts the marker`, async (context) => {
  const random = new Seeded(SEED);
  const drawn = [...FORMS, ...Array.from({ length: COUNT - FORMS.length }, () => drawnCommand(random))];
  const harmless = new Map<number, string>();
  let sampled = 0;
  for (const [at, command] of drawn.entries()) {
    if (!isSeen(command)) harmless.set(at, command);
    else if (at % SAMPLE === 0) sampled += 1;
    else continue;
    run(command, at);
    furnish();
  }
  // Programs in the background may outlive their command.
  await setTimeout(LATE_MS);
  const started = readdirSync(ran).map(Number);
  const unseen = started.flatMap((at) => harmless.get(at) ?? []);
  context.diagnostic(JSON.stringify({ harmless: harmless.size, sampled, started: started.length }));
  assert.deepEqual(unseen, []);
  assert.ok(harmless.size > COUNT / 20, 'the reader still knows harmless commands');
  assert.ok(started.length > sampled / 4, 'many of the others do start it');
});
