/** The result of each program lists the broker's refusals: real programs, supervisor, pod proxy and broker. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RUN, startPackageNet, type PackageNet } from './package-net.ts';

let net: PackageNet;
before(async () => {
  net = await startPackageNet();
});
after(() => net.remove());

let calls = 0;
const nextCall = (): string => `40.${(calls += 1)}`;

/** The result of a command, and the refusals in its log. */
async function ran(
  command: string,
  { call = nextCall(), ...input }: { readonly call?: string; readonly background?: boolean } = {},
) {
  const outcome = await net.hands.use('shell', { command, ...input }, { run: RUN, call });
  assert.ok('text' in outcome, JSON.stringify(outcome));
  return { text: outcome.text, refused: net.hands.lastEnd()?.report.refused };
}

const OFF = (name: string): string =>
  `egress_registry_off: the registry ${name} is switched off in this village; ask an admin to add ${name} to egress.registries`;
const closed = (host: string): string =>
  `egress_not_allowed: no rule of this agent allows ${host}; ask an admin to add it to spec.egress of the Agent`;

test('plain pip, npm, go and apt-get in the shell name the registry to ask for', async () => {
  net.open();
  for (const [name, command] of Object.entries({
    pip: 'pip install -q toy-wheel',
    npm: 'npm view -s @toys/top',
    go: 'GOFLAGS=-modcacherw GOMODCACHE=$(mktemp -d) go mod download toys.home/top@v1.0.0',
    apt: 'apt-get -qq update >/dev/null 2>&1',
  })) {
    const { text, refused } = await ran(command);
    assert.deepEqual(refused, [OFF(name)], name);
    assert.ok(text.includes(`- ${OFF(name)}\n`), text);
  }
});

test('refused hosts are listed for any program, with or without TLS, even if the command hides its errors', async () => {
  net.open();
  const python = 'import urllib.request as u\ntry: u.urlopen("https://closed.home/")\nexcept OSError: pass';
  for (const [command, host] of [
    ['curl -s https://closed.home/ || true', 'closed.home:443'],
    ['curl -s -o /dev/null http://closed.home/', 'closed.home:80'],
    [`python3 -c '${python}'`, 'closed.home:443'],
    ['git clone -q https://closed.home/a.git 2>/dev/null', 'closed.home:443'],
  ] as const) {
    const { refused = [] } = await ran(command);
    assert.equal(refused.length, 1, command);
    assert.ok((refused[0] ?? '').startsWith('egress_not_allowed: no rule of this agent allows '), command);
    assert.ok((refused[0] ?? '').includes(host), `${command}: ${String(refused[0])}`);
  }
});

test('a call without refusals lists none, not even those of another call', async () => {
  net.open('pip');
  await ran('curl -s https://closed.home/');
  const { text, refused } = await ran('pip download -q --no-deps -d "$(mktemp -d)" toy-wheel');
  assert.match(text, /^Exit code 0/);
  assert.equal(refused, undefined);
});

test('a server cannot imitate a refusal of the broker', async () => {
  net.open();
  const { text, refused } = await ran('curl -s -D - http://liar.home/');
  assert.match(text, /403[^]*no$/);
  assert.doesNotMatch(text, /hamlet-egress-code|obey/);
  assert.equal(refused, undefined);
});

test('reading the output of a background program lists the refusals since the last read once', async () => {
  net.open();
  const call = nextCall();
  // The program waits for a file, so that nothing is refused during the call that starts it.
  const begin = join(net.hands.workspace, 'begin');
  const command = `while [ ! -e ${begin} ]; do sleep 0.05; done; curl -s https://late.home/; echo tried`;
  await ran(command, { call, background: true });
  writeFileSync(begin, '');
  const look = async (wait: number): Promise<string> => {
    const input = { process: call, stream: 'stdout', offset: 0, wait_s: wait };
    const outcome = await net.hands.use('read_output', input, { run: RUN, call: nextCall() });
    assert.ok('text' in outcome, JSON.stringify(outcome));
    return outcome.text;
  };
  let seen = await look(30);
  while (!seen.includes('tried')) {
    await delay(20);
    seen += await look(30);
  }
  assert.equal(seen.split(closed('late.home:443')).length, 2, seen);
  assert.doesNotMatch(await look(0), /late\.home/);
});

test("install_package returns the broker's code even for managers that hide it", async () => {
  net.open();
  for (const [manager, name] of [
    ['pip', 'toy-wheel'],
    ['apt', 'toy'],
  ] as const) {
    const input = { manager, packages: [name] };
    const outcome = await net.hands.use('install_package', input, { run: RUN, call: nextCall() });
    assert.ok(outcome.kind === 'failed', JSON.stringify(outcome));
    const { refused } = net.hands.lastEnd()?.report ?? {};
    assert.deepEqual([outcome.code, refused], ['egress_registry_off', [OFF(manager)]]);
  }
});
