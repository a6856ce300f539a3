/** Seats that `admit` gives between two plans. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, GPU, LOW, MIDDLE, node, on, planned, room } from './testing/sample-village.ts';

test('a new agent gets the node of its volume, or another if that has no room', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  const plan = planned({ nodes });
  assert.equal(plan.admit(request('ada', 'low', { volumeOn: 'a' }))?.node, 'a');
  assert.equal(plan.admit(request('bob', 'low', { volumeOn: 'a' }))?.node, 'b');
});

test('a smaller tier is admitted at once, also on a node that is overfull', () => {
  const nodes = [node('a', room(400, 400, 0, 10), { taken: room(350, 350, 0, 0) })];
  const plan = planned({ nodes, requests: [request('ada', 'middle', on('a'))] });
  assert.deepEqual(plan.admit(request('ada', 'low', on('a', MIDDLE.size))), { granted: true, node: 'a' });
});

test('the room that a smaller tier returns is not given away before the pod is smaller', () => {
  const plan = planned({ nodes: [node('a', room(200, 200, 0, 10))], requests: [request('ada', 'middle', on('a'))] });
  assert.deepEqual(plan.admit(request('ada', 'low', on('a', MIDDLE.size))), { granted: true, node: 'a' });
  assert.deepEqual(plan.admit(request('bob', 'low')), {
    granted: false,
    node: 'a',
    reason: 'SeatClearing',
    blocking: 'node a',
  });
});

test('a larger tier without room waits for the next plan, and the agent keeps its seat', () => {
  const plan = planned({
    nodes: [node('a', room(250, 250, 0, 10))],
    requests: [request('ada', 'low', on('a')), request('bob', 'low', on('a'))],
  });
  assert.equal(plan.admit(request('ada', 'middle', on('a', LOW.size))), undefined);
  assert.deepEqual(
    [plan.decisionOf('village/ada'), plan.seatsOf('low')],
    [
      { granted: true, node: 'a' },
      { total: 2, free: 0 },
    ],
  );
});

test('after a change of its tier, an agent that waits to grow or whose node is gone waits for the next plan', () => {
  const nodes = [node('a', room(250, 250, 0, 10))];
  const growing = planned({
    nodes,
    requests: [request('ada', 'middle', on('a', LOW.size)), request('bob', 'middle', on('a', LOW.size))],
  });
  const waits = ['ada', 'bob'].find((name) => growing.decisionOf(`village/${name}`)?.reason !== undefined) ?? '';
  assert.equal(growing.admit(request(waits, 'low', on('a', LOW.size))), undefined);
  const gone = planned({ nodes, requests: [request('ada', 'middle', on('lost'))] });
  assert.equal(gone.admit(request('ada', 'low', on('lost'))), undefined);
});

test('a bought seat takes its device from the free room, and a device with a count of zero needs none', () => {
  const bought = planned({ requests: [request('ada', 'low', on('a'))] });
  assert.equal(
    bought.admit(request('ada', 'low', { ...on('a', LOW.size), seat: { rank: 9, size: room(100, 100, 1) } }))?.granted,
    true,
  );
  assert.equal(bought.seatsOf('high')?.free, 0);
  const none = planned({ tiers: [LOW], requests: [request('ada', 'low', on('a'))] });
  const size = { ...LOW.size, devices: { [GPU]: 0 } };
  assert.equal(none.admit(request('ada', 'low', { ...on('a'), seat: { rank: 9, size } }))?.granted, true);
});
