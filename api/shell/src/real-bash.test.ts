/** Commands that bash runs: each one that starts the marker needs `exec`, or its effect is unclear to the reader. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cases, Seeded } from '@hamlet/test/env/seeded';
import { readCommandOf } from './command-reader.ts';
import { openShell } from './open-shell.ts';
import { DATA, drawnCommand, FORMS, MARKER } from './testing/drawn-command.ts';

const COUNT = cases(600, 5_000);
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 24);
const COMMAND_MS = 5_000;
/** One of so many commands that the reader knows to be `exec` is run too, to see that the grammar starts the marker. */
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
const program = (file: string): void => writeFileSync(file, `#!/bin/sh\n: >${ran}\n`, { mode: 0o755 });
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

mkdirSync(bin);
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

/** True if bash starts the marker. */
function runs(command: string): boolean {
  rmSync(ran, { force: true });
  spawnSync('bash', ['-c', command], {
    cwd: work,
    env: environment,
    stdio: 'ignore',
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  });
  return existsSync(ran);
}

const parse = await openShell();
const isSeen = (command: string): boolean => {
  const { classes, unclear } = readCommandOf(parse, command);
  return classes.includes('exec') || unclear.length > 0;
};

test(`${COUNT} drawn commands (seed ${SEED}): the reader sees each that starts a program of its own`, (context) => {
  const random = new Seeded(SEED);
  const [unseen, counts]: [string[], Record<string, number>] = [[], { seen: 0, harmless: 0, sampled: 0, started: 0 }];
  const drawn = [...FORMS, ...Array.from({ length: COUNT - FORMS.length }, () => drawnCommand(random))];
  for (const [at, command] of drawn.entries()) {
    const seen = isSeen(command);
    counts[seen ? 'seen' : 'harmless'] = (counts[seen ? 'seen' : 'harmless'] ?? 0) + 1;
    if (!seen && runs(command)) unseen.push(command);
    if (!seen || at % SAMPLE !== 0) continue;
    counts['sampled'] = (counts['sampled'] ?? 0) + 1;
    if (runs(command)) counts['started'] = (counts['started'] ?? 0) + 1;
    furnish();
  }
  context.diagnostic(JSON.stringify(counts));
  assert.deepEqual(unseen, []);
  assert.ok((counts['harmless'] ?? 0) > COUNT / 20, 'the reader still knows harmless commands');
  assert.ok((counts['started'] ?? 0) > (counts['sampled'] ?? 0) / 4, 'many of the others do start it');
});
