/** git, pip, npm, curl, Python, Node and Chromium of a real pod, with the environment that the resident gives to programs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listEgress } from '@hamlet/contract';
import { authorOf, packageEnvironment } from '../../agent-image/resident/src/hands/package-environment.ts';
import { proxyEnvironment } from '../../agent-image/resident/src/hands/proxy-environment.ts';
import { fileServer, gitServer, npmFiles, pythonFiles } from '../../api/broker/src/testing/package-servers.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { closeVillage, openVillage, startOutside, TLS_PORT, type Outside } from '../env/egress/outside.ts';
import { MARK } from '../env/egress/probe.ts';
import { until } from '../env/until.ts';
import { applyAgent, dataOf, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const NAME = `tom-${process.pid}`;
/** The browser needs 2Gi. No balance opens this tier, and it costs nothing. */
const TIER = `tools-${process.pid}`;
const TIER_MANIFEST = ownTier(TIER, { models: ['small'], cpu: '500m', memory: '2Gi' });
const HOSTS = ['git.test', 'index.test', 'npm.test', 'read.test'] as const;
const at = (host: (typeof HOSTS)[number]): string => `https://${host}:${TLS_PORT}`;
const RUN = randomUUID();

let place: Village;
let outside: Outside;
let folder = '';
let pod = '';

/** A repository with one commit on the branch main. */
function makeRepository(): void {
  const [work, bare] = [join(folder, 'work'), join(folder, 'git/team/toy.git')];
  mkdirSync(work, { recursive: true });
  mkdirSync(join(folder, 'git/team'), { recursive: true });
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: work, stdio: 'ignore' });
  git('init', '--initial-branch=main', '.');
  writeFileSync(join(work, 'toy.txt'), 'a toy\n');
  git('add', '.');
  git('commit', '-m', 'a toy');
  git('clone', '--bare', '.', bare);
  execFileSync('git', ['-C', bare, 'config', 'http.receivepack', 'true']);
}

before(async () => {
  place = await village();
  outside = await startOutside();
  folder = mkdtempSync(join(tmpdir(), 'egress-tools-'));
  makeRepository();
  outside.hosts.set('git.test', gitServer(join(folder, 'git')));
  outside.hosts.set('index.test', fileServer(await pythonFiles(folder, '/packages/'), []));
  outside.hosts.set('npm.test', fileServer(await npmFiles(folder, at('npm.test')), []));
  await openVillage(place, outside, {
    names: { [outside.address]: HOSTS },
    openings: HOSTS.map((host) => ({ host, ports: [TLS_PORT] })),
    more: { registries: { pip: { url: `${at('index.test')}/simple/` }, npm: { url: `${at('npm.test')}/` } } },
  });
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(TIER_MANIFEST));
  await applyAgent(place, NAME, {
    entitlement: { policy: 'Pinned', name: TIER },
    repository: { url: `${at('git.test')}/team/toy.git` },
    egress: { allow: [{ host: 'read.test', ports: [TLS_PORT], methods: ['GET'] }] },
  });
  pod = (await untilReady(place, NAME)).pod ?? '';
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
  await outside.close();
  await closeVillage(place);
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a line of shell in the hands, in the environment of a call of the agent. */
async function run(line: string, call = 'call-1'): Promise<Ran> {
  const environment = {
    ...packageEnvironment(authorOf(null, { agentId: NAME, suffix: '(Harvest)' })),
    ...proxyEnvironment({ run: RUN, call }),
  };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const command = ['exec', pod, '-c', 'hands', '--', 'env', ...variables, 'sh', '-c', `cd /workspace && ${line}`];
  // On a busy machine the API may keep an attempt too late, and the broker asks for a further one.
  return until(line, async () => {
    const ran = await place.tryKubectl(command);
    return ran.output.includes('egress_log_unavailable') ? undefined : ran;
  });
}

async function succeeds(line: string, expected: RegExp): Promise<void> {
  const { code, output } = await run(line);
  assert.equal(code, 0, `${line}: ${output}`);
  assert.match(output, expected, line);
}

test('git clones the repository of the agent; a push without a live run and a foreign repository are refused with the reason', async () => {
  await succeeds(`git clone -q ${at('git.test')}/team/toy.git && cat toy/toy.txt`, /a toy/);
  await succeeds(
    `cd toy && git checkout -qb hamlet/${NAME}/fix && echo more >>toy.txt && git commit -qam more && git log -1 --format=%an`,
    new RegExp(`${NAME} \\(Harvest\\)`),
  );
  for (const target of ['HEAD', 'HEAD:main']) {
    const { code, output } = await run(`cd toy && git push origin ${target}`);
    assert.notEqual(code, 0);
    assert.match(output, /remote rejected.*egress_/s);
  }
  const branches = execFileSync(
    'git',
    ['-C', join(folder, 'git/team/toy.git'), 'branch', '--format=%(refname:short)'],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(branches.trim(), 'main');
  const foreign = await run(`git clone ${at('git.test')}/team/other.git`);
  assert.match(
    foreign.output,
    /egress_not_allowed: no rule of this agent allows GET .* ask an admin to add it to spec.egress/,
  );
});

test('pip and npm install from the registries that are on; one that is off says what to ask for', async () => {
  await succeeds('pip install -q toy-wheel && python3 -c "import toy_wheel; print(toy_wheel.ANSWER)"', /^42$/m);
  await succeeds('mkdir -p js && cd js && npm i --silent @toys/top && cat node_modules/@toys/top/index.js', /^42/m);
  const off = await run('GOFLAGS=-mod=mod curl -s "$GOPROXY/toys.home/top/@v/list"');
  assert.match(off.output, /egress_registry_off.*egress.registries/s);
});

test('curl, wget, Python, Node and Chromium reach an allowed host, and trust the certificate of the village', async () => {
  const url = `${at('read.test')}/page`;
  const marked = new RegExp(MARK);
  await succeeds(`curl -sS ${url}`, marked);
  await succeeds(`wget -qO- ${url}`, marked);
  await succeeds(`python3 -c "import urllib.request as r; print(r.urlopen('${url}').read().decode())"`, marked);
  await succeeds(`node -e "fetch('${url}').then((r) => r.text()).then(console.log)"`, marked);
  await succeeds(
    `env -u SSL_CERT_FILE openssl s_client -proxy 127.0.0.1:3128 -connect read.test:${TLS_PORT} -verify_return_error </dev/null`,
    /Verify return code: 0/,
  );
  await succeeds(`chromium --headless --proxy-server=http://127.0.0.1:3128 --dump-dom ${url} 2>/dev/null`, marked);
});

test('a host without a rule says which rule to ask for', async () => {
  const { code, output } = await run('curl -sS http://closed.test/');
  assert.equal(code, 0, output);
  assert.match(
    output,
    /no rule of this agent allows closed.test:80; ask an admin to add it to spec.egress of the Agent/,
  );
  const failed = await run('curl -sS https://closed.test/');
  assert.notEqual(failed.code, 0);
  assert.match(failed.output, /403/);
});

test('the record names run and call of each program', async () => {
  const { attempts } = dataOf(await place.admin.call(listEgress, { query: { run_id: RUN } }));
  const hosts = new Set(attempts.map(({ host }) => host));
  for (const host of HOSTS) assert.ok(hosts.has(host), host);
  for (const { agent_id, call_id, run_witnessed } of attempts)
    assert.deepEqual([agent_id, call_id, run_witnessed], [NAME, 'call-1', false]);
});
