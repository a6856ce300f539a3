import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentView } from './transform.ts';
import type { AgentView } from './views.ts';

const raw = (
  generation: number,
  parts: { readonly uid?: string; readonly spec?: object; readonly status?: object } = {},
): Parameters<typeof agentView>[0] => ({
  metadata: { name: 'ada', namespace: 'village', uid: parts.uid ?? 'life', resourceVersion: '1', generation },
  spec: parts.spec ?? { power: 'Awake' },
  status: parts.status ?? {},
});

const READ: AgentView = agentView(raw(1));

test('a change of the status alone reads no spec anew', () => {
  const next = agentView(raw(1, { status: { cycle: 7 } }), READ);
  assert.equal(next.spec, READ.spec);
  assert.deepEqual([next.status.cycle, next.problem], [7, undefined]);
});

test('another generation is read, and so is another life', () => {
  assert.equal(agentView(raw(2, { spec: { power: 'Asleep' } }), READ).spec?.power, 'Asleep');
  assert.equal(agentView(raw(1, { uid: 'next-life', spec: { power: 'Asleep' } }), READ).spec?.power, 'Asleep');
});

test('a spec that cannot be read stays a problem until it is another', () => {
  const broken = agentView(raw(2, { spec: { power: 'Dozing' } }), READ);
  assert.equal(broken.spec, undefined);
  assert.match(broken.problem ?? '', /power/);
  assert.equal(agentView(raw(2, { spec: { power: 'Dozing' } }), broken).problem, broken.problem);
  assert.equal(agentView(raw(3), broken).spec?.power, 'Awake');
});
