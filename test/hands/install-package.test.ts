/** `install_package` with real package managers under a real supervisor, behind a real broker: allowed, refused, unknown, too slow, cancelled. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RUN, startPackageNet, type PackageNet, type Switch } from './package-net.ts';
import { DOOR, toyPreset } from './toy-preset.ts';

let net: PackageNet;
let workspace: string;

before(async () => {
  net = await startPackageNet();
  ({ workspace } = net.hands);
  mkdirSync(join(workspace, 'js'));
  writeFileSync(join(workspace, 'js/package.json'), '{"name":"a","version":"1.0.0"}');
  mkdirSync(join(workspace, 'rust/src'), { recursive: true });
  writeFileSync(join(workspace, 'rust/src/lib.rs'), '');
  writeFileSync(join(workspace, 'rust/Cargo.toml'), '[package]\nname = "a"\nversion = "1.0.0"\nedition = "2021"\n');
  mkdirSync(join(workspace, 'go'));
  writeFileSync(join(workspace, 'go/go.mod'), 'module a\n\ngo 1.20\n');
});
after(() => net.remove());
afterEach(() => net.serve());

interface Case {
  readonly registry: Switch;
  readonly folder?: string;
  readonly has: string;
  readonly version: RegExp;
  readonly lacks: string;
}
const CASES: Readonly<Record<string, Case>> = {
  pip: { registry: 'pip', has: 'toy-wheel', version: /^toy-wheel 1\.0$/m, lacks: 'no-such-wheel' },
  npm: { registry: 'npm', folder: 'js', has: '@toys/top', version: /^@toys\/top 1\.0\.0$/m, lacks: '@toys/none' },
  cargo: { registry: 'crates', folder: 'rust', has: 'toycrate', version: /^toycrate 1\.0\.0$/m, lacks: 'nocrate' },
  go: {
    registry: 'go',
    folder: 'go',
    has: 'toys.home/top',
    version: /^toys\.home\/top v1\.0\.0$/m,
    lacks: 'toys.home/no',
  },
  apt: { registry: 'apt', has: 'toy', version: /^toy 1\.0$/m, lacks: 'no-such-toy' },
};
const inputOf = (manager: string, name: string): object => {
  const folder = CASES[manager]?.folder;
  return { manager, packages: [name], ...(folder === undefined ? {} : { folder }) };
};
const reached = (): readonly string[] => [
  ...new Set(net.broker.village.attempts.map(({ host, run, call }) => [host, run, call].map(String).join(' '))),
];

for (const [at, [manager, { registry, has, version, lacks }]] of Object.entries(CASES).entries()) {
  test(`${manager} installs through the broker, and the result has the installed version`, async () => {
    net.open(registry);
    const text = await net.hands.textOf('install_package', inputOf(manager, has), { call: `10.${at}` });
    assert.match(text, version);
    assert.ok(
      reached().every((each) => each.endsWith(` ${RUN} 10.${at}`)),
      reached().join('\n'),
    );
    assert.ok(reached().length > 0);
    assert.match(String(net.hands.lastEnd()?.report.command), new RegExp(has));
    assert.equal(net.hands.lastEnd()?.report.exit, 0);
  });

  test(`${manager} reports that a package does not exist`, async () => {
    net.open(registry);
    assert.equal(await net.hands.codeOf('install_package', inputOf(manager, lacks)), 'no_such_package');
  });

  test(`${manager} cannot reach its registry while it is disabled`, async () => {
    net.open();
    const outcome = await net.hands.use('install_package', inputOf(manager, lacks));
    assert.equal(outcome.kind, 'failed', JSON.stringify(outcome));
    const recorded = new Set(net.broker.village.attempts.map(({ host, refused }) => `${host} ${refused}`));
    assert.deepEqual([net.seen, [...recorded]], [[], [`${registry} egress_registry_off`]]);
  });
}

test("the result of npm, go and cargo has the broker's code and names the registry to ask for", async () => {
  net.open();
  for (const manager of ['npm', 'go'])
    assert.equal(
      await net.hands.codeOf('install_package', inputOf(manager, CASES[manager]?.lacks ?? '')),
      'egress_registry_off',
      manager,
    );
});

test('pip installs into the virtual environment of the folder', async () => {
  net.open('pip');
  execFileSync('python3', ['-m', 'venv', '--without-pip', join(workspace, 'py/.venv')]);
  const text = await net.hands.textOf('install_package', { manager: 'pip', packages: ['toy-wheel'], folder: 'py' });
  assert.match(text, /^toy-wheel 1\.0$/m);
  const [python = ''] = readdirSync(join(workspace, 'py/.venv/lib'));
  assert.ok(existsSync(join(workspace, 'py/.venv/lib', python, 'site-packages/toy_wheel.py')));
});

test('apt treats a name as a literal, not a pattern, and an error names a folder without a project', async () => {
  net.open('apt', 'go', 'crates');
  assert.equal(await net.hands.codeOf('install_package', inputOf('apt', 't.y')), 'no_such_package');
  mkdirSync(join(workspace, 'empty'));
  for (const [manager, name] of [
    ['go', 'toys.home/top'],
    ['cargo', 'toycrate'],
  ] as const)
    assert.equal(
      await net.hands.codeOf('install_package', { manager, packages: [name], folder: 'empty' }),
      'no_project',
      manager,
    );
  assert.equal(
    await net.hands.codeOf('install_package', { manager: 'npm', packages: ['a'], folder: '../out' }),
    'outside',
  );
});

test('repeating a call installs once', async () => {
  net.open('pip');
  const place = { call: '20.1', run: 'again' };
  await net.hands.textOf('install_package', inputOf('pip', 'toy-wheel'), place);
  const before = [...net.seen];
  await net.hands.textOf('install_package', inputOf('pip', 'toy-wheel'), { ...place, attempt: 2 });
  assert.deepEqual(net.seen, before);
});

/** Finds processes of a call by their environment variables, on the whole machine. */
function processesOf(call: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const isDead = /\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return !isDead && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HAMLET_CALL=${call}\0`);
    } catch {
      return false;
    }
  });
}
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

test('when an index never answers, a timeout or a cancellation leaves no process behind', async (context) => {
  net.open('pip', 'npm', 'apt', 'go', 'crates');
  net.hang();
  const slow = { ...inputOf('pip', 'slow-wheel'), timeout_s: 10 };
  assert.equal(await net.hands.codeOf('install_package', slow, { call: '30.1' }), 'command_timed_out');
  await until(() => processesOf('30.1').length === 0);
  for (const [at, [manager, { lacks }]] of Object.entries(CASES).entries()) {
    const call = `31.${at}`;
    const cancel = new AbortController();
    const before = net.seen.length;
    const ended = net.hands.use('install_package', inputOf(manager, lacks), { call, signal: cancel.signal });
    await until(() => net.seen.length > before);
    const begun = performance.now();
    cancel.abort();
    assert.equal((await ended).kind, 'unknown', manager);
    await until(() => processesOf(call).length === 0);
    context.diagnostic(`${manager}: gone after ${Math.round(performance.now() - begun)} ms`);
  }
});

function toyHash(): string {
  const text = String(net.files.get('/@toys/top'));
  return (
    (JSON.parse(text) as { versions: Record<string, { dist: { integrity: string } }> }).versions['1.0.0']?.dist
      .integrity ?? ''
  );
}
const prepareToy = (integrity = toyHash()) => toyPreset({ ...net.hands, ...net }, integrity);
const fetched = (): number => net.seen.filter((path) => path.endsWith('.tgz')).length;

test('a preset is installed at its first use, once for parallel uses, and its files and start have the values of the run', async () => {
  net.open('npm');
  const prepare = prepareToy();
  const said: string[] = [];
  const [first, second] = await Promise.all([prepare({ said }), prepare()]);
  assert.deepEqual(said, ['Installing Toy 1.0.0 (1000 MB, MIT)', 'Installed Toy 1.0.0 (1000 MB, MIT)']);
  const home = join(net.folder, 'home/.hamlet');
  const program = join(home, 'programs/toy/1.0.0/node_modules/.bin/toy-top');
  assert.deepEqual(first, {
    name: 'Toy',
    version: '1.0.0',
    argv: [program, '--model=small'],
    env: { TOY_HOME: join(home, 'minds/toy') },
    mode: 'ask',
  });
  assert.deepEqual(second, first);
  assert.equal(readFileSync(join(home, 'minds/toy/toy.json'), 'utf8'), `{"url":"${DOOR}","context":128000}`);
  assert.equal(execFileSync(program).toString(), '1.0.0\n');
  assert.equal(fetched(), 1);
  await prepare({ said });
  assert.deepEqual([fetched(), said.length], [1, 2]);
});

test('a program that the image of the hands has is used as it is, without a download', async () => {
  net.open();
  const bin = join(net.folder, 'image-bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'toy-top'), '#!/bin/sh\n', { mode: 0o755 });
  const environmentOf: typeof net.environmentOf = (place) => {
    const given = net.environmentOf(place);
    return { ...given, PATH: `${bin}:${given['PATH'] ?? ''}` };
  };
  const said: string[] = [];
  const prepare = toyPreset({ ...net.hands, folder: net.folder, environmentOf }, toyHash());
  const { argv, version } = await prepare({ said });
  assert.deepEqual([argv, version, said, net.seen], [['toy-top', '--model=small'], null, [], []]);
});

test('a damaged program is installed again, and a new version replaces the old one', async () => {
  net.open('npm');
  const prepare = prepareToy();
  const programs = join(net.folder, 'home/.hamlet/programs/toy');
  await prepare();
  writeFileSync(join(programs, '1.0.0/node_modules/@toys/top/index.js'), 'broken');
  const said: string[] = [];
  const { argv } = await prepare({ said });
  assert.equal(execFileSync(argv[0]).toString(), '1.0.0\n');
  assert.equal(said.length, 2);
  await prepare({ version: '1.0.1' });
  assert.deepEqual(readdirSync(programs).toSorted(), ['.lock', '1.0.1']);
});

test('the hashes of a preset hold, although the settings of npm in the hands ignore lock files', async () => {
  net.open('npm');
  rmSync(join(net.folder, 'home/.hamlet/programs/toy'), { recursive: true, force: true });
  const environmentOf: typeof net.environmentOf = (place) => ({
    ...net.environmentOf(place),
    npm_config_package_lock: 'false',
  });
  const place = { ...net.hands, folder: net.folder, environmentOf };
  await assert.rejects(toyPreset(place, `sha512-${'A'.repeat(86)}==`)(), { code: 'program_changed' });
});

test('a preset that cannot be installed says why, and leaves nothing behind', async () => {
  const programs = join(net.folder, 'home/.hamlet/programs/toy');
  const left = (): readonly string[] => readdirSync(programs).filter((name) => name !== '.lock');
  net.open('npm');
  rmSync(programs, { recursive: true, force: true });
  await assert.rejects(prepareToy(`sha512-${'A'.repeat(86)}==`)(), { code: 'program_changed' });
  net.open();
  await assert.rejects(prepareToy()(), {
    code: 'program_registry_off',
    message: /^Toy 1\.0\.0 \(1000 MB, MIT\) was not installed\. .*egress\.registries/,
  });
  net.open('npm');
  net.hang();
  const cancel = new AbortController();
  const before = net.seen.length;
  const ended = assert.rejects(prepareToy()({ signal: cancel.signal }), { name: 'AbortError' });
  await until(() => net.seen.length > before);
  cancel.abort();
  await ended;
  net.serve();
  await prepareToy()();
  assert.deepEqual(left(), ['1.0.0']);
});
