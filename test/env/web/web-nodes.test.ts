/** In a real browser: the page Nodes, which says why a box is slow, and the charts of the last hour of nodes and an agent. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { AgentFigures, NodeFigures } from '@hamlet/contract';
import { inTransaction, pauseAgents, putShortage } from '@hamlet/store';
import { openFiguresStore } from '../../../api/server/src/figures/figures-store.ts';
import { visit } from '../browser.ts';
import { until } from '../until.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const GIB = 2 ** 30;
const POINTS = 240;

const calm = (at: string): NodeFigures => ({
  name: 'sparky2',
  ready: true,
  at,
  problem: null,
  cpu: { cores: 20, used_cores: 2.4, pressure_percent: 1 },
  memory: { total_bytes: 121 * GIB, available_bytes: 88 * GIB, source: 'kubelet', pressure_percent: 0 },
  disk: { total_bytes: 3_700 * GIB, available_bytes: 2_900 * GIB, pressure_percent: 0 },
  network: { received_per_s: 20_480, sent_per_s: 1_024 },
  temperature_celsius: null,
  gpus: [],
  pods: 3,
  users: [{ kind: 'agent', name: 'bob', cpu_cores: 0.3, memory_bytes: 0.4 * GIB }],
});
const slow = (at: string): NodeFigures => ({
  ...calm(at),
  name: 'sparky1',
  cpu: { cores: 20, used_cores: 17.2, pressure_percent: 12 },
  memory: { total_bytes: 121 * GIB, available_bytes: 5 * GIB, source: 'kernel', pressure_percent: 38 },
  temperature_celsius: 71.5,
  gpus: [
    {
      id: '0',
      model: 'NVIDIA GB10',
      busy_percent: 97,
      memory_used_bytes: null,
      memory_total_bytes: null,
      temperature_celsius: 83,
      power_watts: 118.4,
      agent_ids: ['ada'],
    },
  ],
  pods: 9,
  users: [
    { kind: 'namespace', name: 'models', cpu_cores: 9.5, memory_bytes: 96 * GIB },
    { kind: 'village', name: 'hamlet-postgres-0', cpu_cores: 0.2, memory_bytes: 0.7 * GIB },
    { kind: 'agent', name: 'ada', cpu_cores: 1.25, memory_bytes: 0.5 * GIB },
  ],
});

/** True if there are this many charts, and each canvas has a pixel with colour. */
const allDrawn = (charts: number): string => `[...document.querySelectorAll('.usage-chart canvas')].filter(
  (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0),
).length === ${charts}`;

/** An hour of ada, which ends at `endMs`; its network is idle at first. */
const adaAt = (endMs: number, point: number): AgentFigures => ({
  agent_id: 'ada',
  node: 'sparky1',
  at: new Date(endMs - (POINTS - 1 - point) * 15_000).toISOString(),
  cpu_cores: 0.6 + 0.5 * Math.sin(point / 9),
  memory_bytes: Math.round(0.3 * GIB + point * 800_000),
  disk_bytes: GIB,
  received_per_s: point < 60 ? 0 : 40_000 * Math.abs(Math.sin(point / 20)),
  sent_per_s: point < 60 ? 0 : 9_000,
  gpu_percent: 50 + 40 * Math.sin(point / 14),
});

let stage: ViewerStage;

before(async () => {
  stage = await startViewerStage({ kim: 'member' });
  const store = openFiguresStore(stage.village.redis.url, { namespace: 'hamlet', log: () => undefined });
  // The agents of this village were created a moment ago, and earlier points are those of other agents.
  const endMs = Date.now() + 3_700_000;
  const now = Date.now();
  const nodesAt = (point: number): NodeFigures[] => {
    const at = new Date(now - (POINTS - 1 - point) * 15_000).toISOString();
    const cores = 9 + 8.2 * Math.sin(point / 30 + 1);
    return [point < POINTS - 1 ? { ...slow(at), cpu: { ...slow(at).cpu, used_cores: cores } } : slow(at), calm(at)];
  };
  await until('Redis is connected', () =>
    store.write({ nodes: nodesAt(0), agents: [adaAt(endMs, 0)], meters: {} }).then(
      () => true,
      () => false,
    ),
  );
  for (let point = 1; point < POINTS; point += 1)
    await store.write({ nodes: nodesAt(point), agents: [adaAt(endMs, point)], meters: {} });
  store.close();
  const since = new Date(Date.now() - 300_000);
  await inTransaction(stage.village.openDb(), async (tx) => {
    await putShortage(tx, 'sparky1', {
      node: 'sparky1',
      tightReadings: 2,
      since,
      steppedAt: since,
      easySince: null,
      readAt: since,
    });
    await pauseAgents(tx, 'sparky1', ['bob', 'cleo']);
  });
});
after(() => stage?.remove());

testOnDevices('the page Nodes says why a box is slow, and who uses it', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '?view=nodes');
  const card = page.locator('.node-card[data-node="sparky1"]');
  await card.waitFor();
  const text = await card.innerText();
  assert.match(text, /Work waited for memory in 38 % of the last minute; the namespace models uses the most, 96 GiB\./);
  assert.match(text, /5\.0 GiB free of 121 GiB/);
  const notice = page.locator('[data-notice="short-of-memory"]');
  assert.match(
    await notice.innerText(),
    /gives no seats\. It became short \d+ min ago\.[^]*2 agents wait for it[^]*bob, cleo\. [^]*server of the model/i,
  );
  assert.equal(await notice.count(), 1, 'the other node has memory');
  assert.match(text, /NVIDIA GB10[^]*97 %[^]*Shares the memory of the node[^]*83 °C[^]*118 W/);
  assert.deepEqual(
    await card.locator('[data-user]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-user'))),
    ['models', 'hamlet-postgres-0', 'ada'],
  );
  assert.match(await page.locator('.node-card[data-node="sparky2"]').innerText(), /Nothing is short\./);
  assert.match(
    await card.locator('[data-chart="Work that waited"]').innerText(),
    /For the processor now 12 %, at most 12 %; For memory now 38 %, at most 38 %/,
  );
  assert.match(await card.locator('[data-chart="Processor"]').innerText(), /In use now 17 cores, at most 17 cores/);
  // The calm node has no GPU.
  await until('each chart has a line', () => page.evaluate<boolean>(allDrawn(11)));
  await stage.shot(viewer, `nodes-${name}`);
  await assertSound(viewer);
  await card.locator('[data-user="ada"] [data-agent="ada"]').click();
  await page.locator('.inspector').waitFor();
});

testOnDevices('the panel draws the last hour of an agent, with a text beside each chart', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, '?agent=ada&tab=now');
  const chart = (title: string) => page.locator(`.usage-chart[data-chart="${title}"]`);
  await chart('GPU').locator('canvas').waitFor();
  assert.match(await chart('Processor').innerText(), /In use now [\d.]+ cores, at most 1\.1 cores/);
  assert.match(
    await chart('Network').innerText(),
    /Received now [\d.]+ KiB\/s, at most 39 KiB\/s; Sent now 8\.8 KiB\/s/,
  );
  await until('each chart has a line', () => page.evaluate<boolean>(allDrawn(5)));
  await chart('Network').scrollIntoViewIfNeeded();
  await stage.shot(viewer, `usage-${name}`);
  await assertSound(viewer);
});
