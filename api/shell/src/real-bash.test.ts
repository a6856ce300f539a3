/**
 * Runs random commands as the tool `shell` does: the reader must report each one that starts the marker as `exec` or unclear, and
 * each one that opens a connection at least as `network`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { runInSession } from '@hamlet/test/env/hands/session-shell';
import { cases, FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import { readCommandOf } from './command-reader.ts';
import { openShell } from './open-shell.ts';
import { DATA, drawnCommand, FORMS, MARKER } from './testing/drawn-command.ts';

const COUNT = cases(300, 5_000);
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 24);
const COMMAND_MS = 5_000;
const LATE_MS = 1_000;
/** One in this many commands that the reader reports is run too, to prove that the commands can start the marker. */
const SAMPLE = 20;
const TOOLS =
  'bash sh ls cat sort sed find grep wc head diff uniq env timeout nice nohup xargs git tar install setsid stdbuf time touch tr cut'.split(
    ' ',
  );

const root = mkdtempSync(join(tmpdir(), 'shell-'));
after(() => rmSync(root, { recursive: true, force: true }));
const [bin, work, ran, session] = [join(root, 'bin'), join(root, 'work'), join(root, 'ran'), join(root, 'session')];

const which = (name: string): string =>
  spawnSync('bash', ['-c', 'type -P "$1"', 'which', name]).stdout.toString().trim();
/** Writes a program that creates a file named after its command, even if it starts after that command has ended. */
const program = (file: string): void =>
  writeFileSync(file, `#!/bin/sh\n: >${ran}/\${COMMAND:-none}\n`, { mode: 0o755 });
/** As in the hands: git takes these settings before those of a repository. */
const CLOSED = {
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'safe.bareRepository',
  GIT_CONFIG_VALUE_1: 'explicit',
  GIT_CONFIG_KEY_2: `url.${root}/served/.insteadOf`,
  GIT_CONFIG_VALUE_2: 'https://evil.test/',
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
  for (const folder of [session, join(work, '.config'), join(work, 'new'), join(work, '.git')])
    rmSync(folder, { recursive: true, force: true });
  for (const folder of [session, join(work, '.config')]) mkdirSync(folder, { recursive: true });
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

/** A repository whose files are settings that start the marker, in `~/.config/git` and in place of `.git`. */
function serve(): void {
  const at = join(work, 'settings');
  git('init', '--quiet', at);
  const files = {
    HEAD: 'ref: refs/heads/main\n',
    config: `[core]\n\trepositoryFormatVersion = 0\n[filter "x"]\n\tclean = ${join(bin, MARKER)}\n`,
    attributes: '* filter=x\n',
    '.gitattributes': '* filter=x\n',
    'info/attributes': '* filter=x\n',
    'objects/kept': '',
    'refs/kept': '',
  };
  for (const folder of ['info', 'objects', 'refs']) mkdirSync(join(at, folder));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  git('-C', at, 'add', '--all');
  git('-C', at, '-c', 'user.name=a', '-c', 'user.email=a@a.test', 'commit', '--quiet', '--message', 'a');
  for (const name of ['x', 'git', '.git.git']) git('clone', '--quiet', '--bare', at, join(root, 'served', name));
}
serve();

/** Numbers of the commands that connected to this process. Each has its own address of the loopback network. */
const connected = new Set<number>();
const addressOf = (number: number): string => `127.1.${number >> 8}.${number & 255}`;
const numberOf = (address: string): number => {
  const [, net, high = 0, low = 0] = address.split('.').map(Number);
  return net === 1 ? high * 256 + low : -1;
};
const server = createServer((socket) => {
  connected.add(numberOf(socket.localAddress ?? ''));
  socket.on('error', () => undefined).end('line\n');
}).listen(0, '0.0.0.0');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const datagrams = createSocket('udp4', (message) => connected.add(Number(message.toString()))).bind(port, '0.0.0.0');
await once(datagrams, 'listening');
after(() => {
  server.close();
  datagrams.close();
});

const placed = (command: string, number: number): string =>
  command.replaceAll('HOST', addressOf(number)).replaceAll('PORT', String(port)).replaceAll('DIR', work);

/** Runs a command. In a full run another one follows in its session, which loads the state that it left. */
async function run(command: string, number: number): Promise<void> {
  const way = placed('/dev/tcp/HOST/PORT', number);
  const env = { ...environment, way, COMMAND: String(number) };
  const place = { folder: session, workspace: work, env, own: ['COMMAND', 'way'], timeoutMs: COMMAND_MS };
  await runInSession(command, place);
  if (FULL_RUN) await runInSession(':', place);
}

const parse = await openShell();
const isSeen = (command: string): boolean => {
  const { classes, unclear } = readCommandOf(parse, command);
  return classes.includes('exec') || unclear.length > 0;
};
const isNetwork = (command: string): boolean => readCommandOf(parse, command).classes.includes('network');

test(`${COUNT} random commands (seed ${SEED}): the reader reports each one that starts the marker or connects`, async (context) => {
  const random = new Seeded(SEED);
  const drawn = [...FORMS, ...Array.from({ length: COUNT - FORMS.length }, () => drawnCommand(random))];
  const harmless = new Map<number, string>();
  let sampled = 0;
  for (const [at, text] of drawn.entries()) {
    const command = placed(text, at);
    if (!isSeen(command)) harmless.set(at, command);
    else if (at % SAMPLE === 0) sampled += 1;
    else continue;
    await run(command, at);
    furnish();
  }
  // Programs in the background may outlive their command.
  await setTimeout(LATE_MS);
  const started = readdirSync(ran).map(Number);
  const unseen = started.flatMap((at) => harmless.get(at) ?? []);
  const offline = [...connected].flatMap((at) => harmless.get(at) ?? []).filter((command) => !isNetwork(command));
  context.diagnostic(
    JSON.stringify({ harmless: harmless.size, sampled, started: started.length, connected: connected.size }),
  );
  assert.deepEqual({ unseen, offline }, { unseen: [], offline: [] });
  assert.ok(harmless.size > COUNT / 20, 'the reader still knows harmless commands');
  assert.ok(started.length > sampled / 4, 'many of the others do start it');
  assert.ok(connected.size > 5, 'some commands do connect');
});
