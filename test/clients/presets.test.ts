/**
 * Each preset of the runtime `acp` at its exact version, as a real program in real hands: a permission refused and one allowed, a
 * cancel, and a reboot in the middle of the conversation. Its model is a scripted one, through the door of a pod and the gateway; it
 * reaches nothing else, because telemetry and updates are off.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { randomUUID } from 'node:crypto';
import { ACP_PRESETS } from '@hamlet/contract';
import { PRESETS } from '../../agent-image/resident/src/acp/presets/programs.ts';
import type { AcpLaunch, Preset } from '../../agent-image/resident/src/acp/preset.ts';
import { handsPrograms } from '../../agent-image/resident/src/hands/hands-programs.ts';
import { packageEnvironment } from '../../agent-image/resident/src/hands/package-environment.ts';
import {
  BROKER_HOST,
  LOOPBACK_PROXY,
  proxyEnvironment,
} from '../../agent-image/resident/src/hands/proxy-environment.ts';
import { CACHE } from '../../local/village/paths.ts';
import { atEnd, untilEnd } from '../env/at-end.ts';
import { startHands } from '../env/hands/start-hands.ts';
import { listenOnLoopback } from '../env/net/loopback.ts';
import { startProgram, turnOf } from './acp-driver.ts';
import { ENDLESS, FINISHED, writing } from './coder-mind.ts';
import { CONTEXT_TOKENS, MODEL, startModelRig } from './model-rig.ts';

/** Programs are large, so all checkouts share their folder. */
const INSTALLED = join(CACHE, 'clients');

const rig = await startModelRig();
const hands = untilEnd(await startHands());
const { workspace: cwd, socket } = hands;
const home = join(dirname(cwd), 'home');
mkdirSync(join(home, '.hamlet'), { recursive: true });
mkdirSync(INSTALLED, { recursive: true });
symlinkSync(INSTALLED, join(home, '.hamlet/programs'));
/** The hosts that programs wanted to reach: the pod's proxy, which refuses all. */
const reached: string[] = [];
const proxy = createServer((request, response) => {
  reached.push(String(request.url));
  response.writeHead(403).end();
}).on('connect', (request, socket) => {
  reached.push(String(request.url));
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
});
const port = await listenOnLoopback(proxy);
atEnd(() => proxy.close());

const installing = () => ({
  ...rig.variables(),
  HOME: home,
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
});
const working = () => {
  const inPod = Object.entries(proxyEnvironment({ run: 'run', call: 'mind' }));
  const { host, port: usual } = LOOPBACK_PROXY;
  const own = inPod.map(([name, value]) => [
    name,
    value.replace(`${host}:${String(usual)}`, `${host}:${String(port)}`),
  ]);
  const packages = packageEnvironment({ name: 'ada', email: 'ada@agents.test' });
  return { ...packages, ...(Object.fromEntries(own) as Record<string, string>), ...installing() };
};

function prepared(program: Preset): Promise<AcpLaunch> {
  const programs = handsPrograms(socket, {
    environmentOf: installing,
    trees: null,
    workspace: cwd,
    ended: () => undefined,
  });
  const { signal } = new AbortController();
  return PRESETS.prepare(program, {
    run: ({ stdin = '', ...rest }) => {
      const id = randomUUID();
      return programs.run({ id, owner: id, cwd: '/', env: {}, stdin, ...rest }, { onOutput: () => undefined, signal });
    },
    progress: (words) => console.log(words),
    home,
    values: { model: MODEL, context: String(CONTEXT_TOKENS) },
    signal,
  });
}

const has = (file: string): boolean => existsSync(join(cwd, file));

for (const [preset, program] of Object.entries(PRESETS.programs)) {
  const { title, version, asks } = ACP_PRESETS[preset as keyof typeof ACP_PRESETS];

  test(`${title} ${version} asks as its preset says, ends at a cancel, and continues after a reboot`, async () => {
    const place = { socket, cwd, environmentOf: working };
    reached.length = 0;
    const first = await startProgram(await prepared(program), place);
    const refused = await turnOf(first, { text: writing(`${preset}-1.txt`), answer: 'reject_once' });
    assert.deepEqual([refused.asked > 0, has(`${preset}-1.txt`)], [asks, !asks], JSON.stringify(refused));
    const allowed = await turnOf(first, { text: writing(`${preset}-2.txt`) });
    assert.deepEqual([allowed.end, allowed.asked > 0, has(`${preset}-2.txt`)], ['answered', asks, true]);
    assert.match(allowed.words, new RegExp(FINISHED));
    assert.equal((await turnOf(first, { text: ENDLESS, cancelAt: 'one' })).end, 'cancelled');
    assert.equal(first.isOver(), false, 'the program ends its turn, and stays for the next');
    await hands.restart();
    const second = await startProgram(await prepared(program), place, first.session);
    assert.deepEqual([second.session, second.isNew], [first.session, false]);
    const later = await turnOf(second, { text: writing(`${preset}-3.txt`) });
    assert.deepEqual([later.end, has(`${preset}-3.txt`)], ['answered', true]);
    const outside = reached.filter((url) => !url.startsWith(`http://${BROKER_HOST}/npm/`));
    assert.deepEqual(outside, [], 'the program reaches its model, and at most the registry');
  });
}
