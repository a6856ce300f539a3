/** Each client of the table does a small task through the gateway, at its newest version and at the previous one. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CACHE } from '../../local/village/paths.ts';
import { atEnd } from '../env/at-end.ts';
import { CLIENTS, type ClientRow } from './client-table.ts';
import { writing } from './coder-mind.ts';
import { MODEL, startModelRig } from './model-rig.ts';

const execute = promisify(execFile);
const INSTALL_MS = 900_000;
const TASK_MS = 180_000;
const OUTPUT_BYTES = 16 << 20;
const MADE = 'made.txt';

/** The commands that install packages into the folder `$1`. */
const INSTALL: Readonly<Record<ClientRow['from'], string>> = {
  npm: 'npm install --prefix "$@" --no-audit --no-fund --loglevel=error',
  pypi: 'python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"',
};
const BIN: Readonly<Record<ClientRow['from'], string>> = { npm: 'node_modules/.bin', pypi: 'bin' };

const folderOf = (packages: readonly string[]): string =>
  join(CACHE, 'clients', createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 16));

/** Installs the packages into their folder, which all checkouts share. A lock makes concurrent calls wait for each other. */
async function installed(from: ClientRow['from'], packages: readonly string[]): Promise<string> {
  const folder = folderOf(packages);
  if (existsSync(join(folder, 'done'))) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const script = `test -e "$1/done" || { rm -rf "$1" && mkdir "$1" && ${INSTALL[from]} && touch "$1/done"; }`;
  const args = [`${folder}.lock`, 'bash', '-c', script, 'install', folder, ...packages];
  await execute('flock', args, { maxBuffer: OUTPUT_BYTES, timeout: INSTALL_MS });
  return folder;
}

const rig = await startModelRig();
const work = mkdtempSync(join(tmpdir(), 'hamlet-clients-'));
atEnd(() => rmSync(work, { recursive: true, force: true }));

/** The file that the client was asked to write, else what it prints. */
async function answerOf({ from, run }: ClientRow, packages: readonly string[], folder: string): Promise<string> {
  const [program, home] = [await installed(from, packages), join(folder, 'home')];
  const task = writing(MADE);
  const { argv, env, files = {} } = run({ bin: join(program, BIN[from]), ...rig, home, task });
  for (const [path, text] of Object.entries({ '.keep': '', ...files })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const [command, ...args] = argv;
  // Scripts find their packages from the folder that they start in; programs write there.
  const cwd = command === 'node' ? program : folder;
  const running = execute(command, args, {
    cwd,
    timeout: TASK_MS,
    maxBuffer: OUTPUT_BYTES,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      TASK: task,
      OPENAI_BASE_URL: `${rig.url}/v1`,
      OPENAI_API_KEY: rig.token,
      ANTHROPIC_BASE_URL: rig.url,
      ANTHROPIC_AUTH_TOKEN: rig.token,
      ANTHROPIC_MODEL: MODEL,
      ...env,
    },
  });
  // Some clients read further words from an open input.
  running.child.stdin?.end();
  const { stdout, stderr } = await running;
  const made = join(folder, MADE);
  return existsSync(made) ? readFileSync(made, 'utf8') : `${stdout}${stderr}`;
}

for (const row of CLIENTS)
  for (const packages of row.versions)
    test(`${row.name} does a small task (${packages.join(', ')})`, async (context) => {
      // The cache keeps the newest version of each.
      if (packages !== row.versions[0])
        context.after(() => rmSync(folderOf(packages), { recursive: true, force: true }));
      const folder = mkdtempSync(join(work, 'client-'));
      assert.match(await answerOf(row, packages, folder), /^bread$/m);
    });
