/**
 * Checks everything that an Agent promises, with real hands and real sockets. Each problem has a cause and a fix, and stops
 * nothing.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { AgentConfig, ResidentReport } from '@hamlet/contract';
import { mindOfRuntime } from '@hamlet/core/mind';
import type { Answer } from '../village/village.ts';
import { surveyHands } from '../hands/survey-hands.ts';
import { runtimeThat } from '../testing/a-runtime.ts';
import { aConfig } from '../testing/a-village.ts';
import { brokerCapability, machineCapabilities, modelCapability } from './capability.ts';
import { createAsyncEvent } from '../process/async-event.ts';
import { ServerStates } from './server-states.ts';
import { checkCapabilities, watchCapabilities, type WatchPorts } from './watch-capabilities.ts';

const SERVER = { name: 'files', url: null, command: ['files'], class: null, tools: null, call_timeout_ms: 1_000 };
const MODEL = { provider: 'up', name: 'up-model', scripted: false, reason: 'the default' };
const REPOSITORY = { url: 'https://example.org/a.git', branch: 'main' };
const NOTHING = { repository: null, mcp_servers: [], can_browse: true };

const folder = testFolder('capabilities');
const hands = untilEnd(await startHands());

const lines = (report: Pick<ResidentReport, 'capabilities'>): readonly string[] =>
  report.capabilities.map(({ kind, name, ok }) => `${kind} ${name} ${ok ? 'ok' : 'missing'}`);

function ports(changes: Partial<WatchPorts> = {}): WatchPorts {
  return {
    cycle: 3,
    village: {
      config: async () => ({ kind: 'ok', value: aConfig() }),
      models: async () => ({ kind: 'ok', value: ['up-model'] }),
    },
    work: { reportCapabilities: async () => ({ kind: 'ok', value: { stored: true } }) },
    skills: {
      find: async ({ skills }) =>
        skills.map(({ name, from }) => ({
          ok: false,
          broken: { name, from, sha256: null, paths: [], problem: 'it has no SKILL.md: add one' },
        })),
    },
    machine: async () => ({ hands: await surveyHands(hands.socket, () => ({})) }),
    servers: new ServerStates(),
    openServers: async () => undefined,
    runtime: async () => ({
      ok: true,
      name: 'engine',
      runtime: runtimeThat(async () => ''),
      mind: mindOfRuntime('engine'),
    }),
    runtimeChanged: createAsyncEvent(),
    broker: null,
    hasProxy: false,
    folders: { workspace: folder, memory: folder },
    log: { warn: () => {} },
    stop: new AbortController().signal,
    rest: async () => {},
    random: () => 0,
    ...changes,
  };
}

test('a complete agent has every capability; an incomplete one reports what is missing, why, and the fix', async () => {
  const whole = await checkCapabilities(ports(), aConfig({ model: MODEL, repository: REPOSITORY }));
  for (const line of [
    'runtime engine ok',
    'model model ok',
    'workspace workspace ok',
    'memory memory ok',
    'hands hands ok',
    'shell shell ok',
    'git git ok',
  ])
    assert.ok(lines(whole).includes(line), lines(whole).join(', '));
  assert.deepEqual([whole.cycle, whole.capabilities.every(({ ok }) => ok)], [3, true]);
  const servers = new ServerStates();
  const openServers = async () =>
    servers.note('files', { ok: false, code: 'mcp_unreachable', message: 'no such program' });
  const skill = { name: 'lost', from: 'image' as const, sha256: null };
  const broken = ports({
    servers,
    openServers,
    machine: async () => ({ hands: 'silent' }),
    folders: { workspace: `${folder}/no`, memory: folder },
  });
  const lacking = await checkCapabilities(broken, aConfig({ mcp_servers: [SERVER], skills: [skill] }));
  assert.deepEqual(
    lines(lacking).filter((line) => line.endsWith('missing')),
    ['workspace workspace missing', 'hands hands missing', 'mcp files missing', 'skill lost missing'],
  );
  for (const { ok, why, fix } of lacking.capabilities) assert.ok(ok || (why !== '' && fix !== null), why);
  assert.deepEqual(pluck(lacking.skills, 'name', 'state'), [['lost', 'broken']]);
});

test('only promised capabilities count as missing: no git without a repository, no browser in a slim image', () => {
  const of = (
    programs: readonly ('git' | 'chromium' | 'playwright')[],
    promised: Partial<typeof NOTHING> | object = {},
  ) => lines({ capabilities: [...machineCapabilities({ programs, hasGuide: true }, { ...NOTHING, ...promised })] });
  assert.deepEqual(of([]), ['hands hands ok', 'shell shell ok']);
  assert.ok(of([], { repository: REPOSITORY }).includes('git git missing'));
  assert.ok(of(['git', 'chromium']).includes('browser browser ok'));
  assert.deepEqual(of(['chromium'], { can_browse: false }), ['hands hands ok', 'shell shell ok']);
  assert.ok(of(['playwright']).includes('browser browser missing'));
  assert.ok(of([], { mcp_servers: [{ ...SERVER, command: ['playwright-mcp'] }] }).includes('browser browser missing'));
  assert.deepEqual(machineCapabilities(null, { ...NOTHING, repository: REPOSITORY }), []);
});

test('a broker is reachable, silent or gone; without a broker nothing is promised', async () => {
  const server = createServer();
  const url = new URL(`http://127.0.0.1:${await listenOnLoopback(server)}`);
  const state = async (hasProxy: boolean) => lines({ capabilities: [...(await brokerCapability(url, hasProxy))] });
  assert.deepEqual([await state(true), await state(false)], [['egress egress ok'], ['egress egress missing']]);
  server.close();
  await once(server, 'close');
  assert.deepEqual(await state(true), ['egress egress missing']);
  assert.deepEqual(await brokerCapability(null, true), []);
});

test('the runtime engine is promised a model, and the gateway must serve it', async () => {
  const models = (value: Answer<readonly string[]>) => ({ models: async () => value });
  const served = models({ kind: 'ok', value: ['up-model'] });
  const of = async (village: typeof served, config: Partial<AgentConfig>) =>
    lines({ capabilities: [...(await modelCapability(village, aConfig(config)))] });
  assert.deepEqual(await of(served, { model: MODEL }), ['model model ok']);
  assert.deepEqual(await of(models({ kind: 'ok', value: [] }), { model: MODEL }), ['model model missing']);
  assert.deepEqual(await of(models({ kind: 'unreachable', why: 'x' }), { model: MODEL }), ['model model missing']);
  const engine = { runtime: { name: 'engine', named: true, config: {} }, model: null };
  assert.deepEqual(await of(served, engine), ['model model missing']);
  assert.deepEqual(await of(served, { runtime: { name: 'scripted', named: false, config: {} }, model: null }), []);
});

test('checks are reported until the process ends, even after a failed check', async () => {
  const stop = new AbortController();
  const reports: ResidentReport[] = [];
  let tries = 0;
  const warned: string[] = [];
  const watched = watchCapabilities(
    ports({
      stop: stop.signal,
      log: { warn: (event) => void warned.push(event) },
      machine: async () => {
        tries += 1;
        if (tries === 1) throw new Error('the disk is gone');
        return { hands: 'silent' };
      },
      work: {
        reportCapabilities: async (report) => {
          reports.push(report);
          if (reports.length === 2) stop.abort();
          return { kind: 'ok', value: { stored: true } };
        },
      },
    }),
    aConfig(),
    1,
  );
  await watched;
  assert.equal(reports.length, 2);
  assert.deepEqual(warned, ['capabilities_not_checked']);
});

test('a runtime that does not start is missing with its cause; a changed mind is reported without waiting for the next check', async () => {
  const why = 'the runtime acp does not start: no preset';
  const warning = { code: 'acp_misconfigured', message: `${why}.` };
  const mind = mindOfRuntime('acp');
  const failed = { ok: false as const, name: 'acp', warning, mind };
  const { capabilities } = await checkCapabilities(ports({ runtime: async () => failed }), aConfig());
  const found = capabilities.filter(({ kind }) => kind === 'runtime');
  assert.deepEqual(pluck(found, 'ok', 'why', 'mind'), [[false, why, mind]]);
  const stop = new AbortController();
  const reported: (string | undefined)[] = [];
  let now = 'engine';
  await watchCapabilities(
    ports({
      stop: stop.signal,
      runtime: async () => ({ ok: true, name: now, runtime: runtimeThat(async () => ''), mind: mindOfRuntime(now) }),
      work: {
        reportCapabilities: async ({ capabilities }) => {
          reported.push(capabilities[0]?.mind?.runtime);
          if (reported.length === 2) stop.abort();
          now = 'command';
          return { kind: 'ok', value: { stored: true } };
        },
      },
    }),
    aConfig(),
    1,
  );
  assert.deepEqual(reported, ['engine', 'command']);
});

test('a changed mind is reported as soon as a run uses it, without a pause', async () => {
  const [stop, runtimeChanged] = [new AbortController(), createAsyncEvent()];
  const reported: (string | undefined)[] = [];
  let now = 'scripted';
  await watchCapabilities(
    ports({
      stop: stop.signal,
      runtimeChanged,
      runtime: async () => ({ ok: true, name: now, runtime: runtimeThat(async () => ''), mind: mindOfRuntime(now) }),
      work: {
        reportCapabilities: async ({ capabilities }) => {
          reported.push(capabilities[0]?.mind?.runtime);
          if (reported.length === 2) stop.abort();
          now = 'engine';
          runtimeChanged.set();
          return { kind: 'ok', value: { stored: true } };
        },
      },
    }),
    aConfig(),
  );
  assert.deepEqual(reported, ['scripted', 'engine']);
});
