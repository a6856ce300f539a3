import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorldStateFrame } from '@hamlet/contract';
import {
  applyToView,
  decodeFrame,
  drawBelow,
  exactPositionAt,
  restoreWorld,
  resumeMessage,
  snapshotWorld,
  tileAt,
  viewAgents,
} from '@hamlet/core';
import { CLOSE_ABOVE_BYTES, DROP_ABOVE_BYTES, STALL_TICKS, VIEWS_PER_UPDATE } from './limits.ts';
import { assertFaithful, look, map, randomDeed, Village } from './testing/viewed-village.ts';

for (const seed of Array.from({ length: Number(process.env['FANOUT_SEEDS'] ?? 6) }, (_, index) => index + 1))
  test(`every viewer's copy matches the world after each update, for any acts and views (seed ${seed})`, () => {
    const village = new Village();
    let drawn = 0;
    const draw = (bound: number): number => drawBelow(bound, seed, (drawn += 1));
    for (let n = 0; n < 30; n += 1) village.spawn(`agent-${n}`);
    const viewers = [village.join(), village.join(), village.join('json')];
    for (const { viewer } of viewers) look(viewer, { x: draw(140), y: draw(110) });
    for (let round = 0; round < 1500; round += 1) {
      for (let deeds = draw(4); deeds > 0; deeds -= 1) randomDeed(village, draw);
      const { viewer, socket } = viewers[draw(viewers.length)] ?? viewers[0] ?? village.join();
      if (draw(8) === 0)
        look(viewer, { x: draw(160) - 10, y: draw(128) - 10, pinned: draw(3) === 0 ? [`agent-${draw(60)}`] : [] });
      if (round % 45 > 10 && draw(40) === 0) socket.extraBuffered = DROP_ABOVE_BYTES + 1;
      village.step();
      if (round % 5 !== 0) continue;
      village.fanout.flush();
      for (const one of viewers) {
        one.socket.deliver();
        assert.equal(one.socket.closed, null);
        if (one.socket.extraBuffered === 0) assertFaithful(village, one.socket.view);
      }
      for (const one of viewers) if (round % 45 === 0) one.socket.extraBuffered = 0;
    }
  });

test('a resumed connection gets only the changes, and its copy is correct again', () => {
  const village = new Village();
  for (let n = 0; n < 20; n += 1) village.spawn(`agent-${n}`);
  let drawn = 0;
  const draw = (bound: number): number => drawBelow(bound, 99, (drawn += 1));
  const first = village.join();
  look(first.viewer, { x: 40, y: 40, width: 60, height: 40 });
  village.step();
  village.fanout.flush();
  first.socket.deliver();
  first.viewer.detach();
  for (let round = 0; round < 4; round += 1) {
    randomDeed(village, draw);
    village.step();
  }
  village.fanout.flush();
  const again = village.join();
  again.viewer.receive(JSON.stringify(resumeMessage(first.socket.view)));
  look(again.viewer, { x: 40, y: 40, width: 60, height: 40 });
  for (const message of again.socket.queue.splice(0))
    applyToView(first.socket.view, decodeFrame(message as Uint8Array));
  assertFaithful(village, first.socket.view);
  const fresh = village.join();
  look(fresh.viewer, { x: 40, y: 40, width: 60, height: 40 });
  assert.ok(again.socket.bytes < fresh.socket.bytes, 'resuming is cheaper than joining');
});

test('after another epoch or a gap, every viewer gets hello and keyframes again', () => {
  const village = new Village();
  village.spawn('ada');
  const { socket, viewer } = village.join();
  look(viewer, { x: 0, y: 0, width: 160, height: 128 });
  socket.deliver();
  village.replica = restoreWorld(map, snapshotWorld(village.world));
  village.fanout.replaceWorld(village.replica, 4);
  socket.deliver();
  assert.equal(socket.view.epoch, 4);
  assertFaithful(village, socket.view);
  const stale = village.join();
  stale.viewer.receive(
    JSON.stringify({ type: 'resume', epoch: 3, seq: 1, cells: { x: 0, y: 0, width: 10, height: 8 } }),
  );
  look(stale.viewer, { x: 0, y: 0 });
  stale.socket.deliver();
  const hello = stale.socket.frames[0]?.messages[0];
  assert.ok(hello?.kind === 'hello' && !hello.resumed);
});

test('a viewer that cannot keep up gets no updates; when it stalls, it is closed with a token', () => {
  const village = new Village();
  village.spawn('ada');
  const { socket, viewer } = village.join();
  look(viewer, { x: 0, y: 0, width: 160, height: 128 });
  socket.extraBuffered = DROP_ABOVE_BYTES + 1;
  const before = socket.queue.length;
  for (let n = 0; n < STALL_TICKS - 10; n += 1) {
    village.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: n % 2 === 0 ? 'cafe' : 'board' } });
    village.step();
  }
  assert.equal(socket.queue.length, before, 'nothing is queued for it');
  assert.ok(village.fanout.stats().droppedUpdates > 0);
  for (let n = 0; n < 20; n += 1) village.step();
  assert.deepEqual(
    { code: socket.closed?.code, token: socket.closed?.reason.startsWith('resume 3:') },
    { code: 4008, token: true },
  );
  assert.equal(village.fanout.stats().viewers, 0);
});

test('a viewer with too many queued bytes is closed at once', () => {
  const village = new Village();
  const { socket, viewer } = village.join();
  look(viewer, { x: 0, y: 0 });
  socket.extraBuffered = CLOSE_ABOVE_BYTES + 1;
  village.fanout.flush();
  assert.equal(socket.closed?.code, 4008);
});

test('speech is sent at once, and only to viewers that see the speaker', () => {
  const village = new Village();
  village.spawn('ada');
  const here = tileAt(village.world, 0, 0);
  const near = village.join();
  const away = village.join();
  look(near.viewer, { x: (here % map.width) - 5, y: Math.floor(here / map.width) - 5, width: 10, height: 10 });
  look(away.viewer, { x: 140, y: 110, width: 10, height: 10 });
  village.fanout.flush();
  for (const { socket } of [near, away]) socket.deliver();
  village.do({ kind: 'talk', agent_id: 'ada', text: 'Good morning' });
  for (const run of village.later.splice(0)) run();
  near.socket.deliver();
  away.socket.deliver();
  assert.equal(viewAgents(near.socket.view, village.tick)[0]?.speech?.text, 'Good morning');
  assert.ok(near.socket.frames.at(-1)?.urgent);
  assert.ok(away.socket.frames.every((frame) => frame.messages.every((message) => message.kind !== 'speech')));
});

test('the far zoom gets counts of cells, and no agents', () => {
  const village = new Village();
  for (let n = 0; n < 12; n += 1) village.spawn(`agent-${n}`);
  const { socket, viewer } = village.join();
  look(viewer, { x: 0, y: 0, width: 160, height: 128, zoom: 'far' });
  for (let n = 0; n < 12; n += 1) village.step();
  socket.deliver();
  assert.equal(
    [...socket.view.clusters.values()].reduce((sum, count) => sum + count, 0),
    12,
  );
  assert.equal(socket.view.agents.size, 0);
});

test('a pinned agent is followed wherever it goes', () => {
  const village = new Village();
  village.spawn('ada');
  const { socket, viewer } = village.join();
  look(viewer, { x: 150, y: 120, width: 8, height: 8, pinned: ['ada', 'bob'] });
  village.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'forest' } });
  village.spawn('bob');
  for (let n = 0; n < 100; n += 1) village.step();
  village.fanout.flush();
  socket.deliver();
  assert.equal(socket.view.pinned.size, 2);
  const seen = viewAgents(socket.view, village.tick).map(({ agentId, x, y }) => ({ agentId, x, y }));
  assert.deepEqual(
    seen.toSorted((a, b) => a.agentId.localeCompare(b.agentId)),
    ['ada', 'bob'].map((agentId, slot) => ({ agentId, ...exactPositionAt(village.world, slot, village.tick) })),
  );
});

test('the text form is valid by the contract and names agents', () => {
  const village = new Village();
  village.spawn('ada');
  const { socket, viewer } = village.join('json');
  look(viewer, { x: 0, y: 0, width: 160, height: 128 });
  village.fanout.flush();
  village.do({ kind: 'move', agent_id: 'ada', target: { landmark_id: 'board' } });
  village.fanout.flush();
  const texts = socket.queue.map((message) => WorldStateFrame.parse(JSON.parse(message as string)));
  assert.ok(texts.every((frame) => frame.type === 'world_state'));
  const path = texts.flatMap((frame) => frame.messages).find((message) => message.kind === 'path');
  assert.equal(path?.kind === 'path' && path.agent_id, 'ada');
});

test('a message outside the contract is refused', () => {
  const { viewer } = new Village().join();
  assert.equal(viewer.receive('not json'), false);
  assert.equal(viewer.receive('{"type":"view"}'), false);
});

test('a view larger than any map is refused; one larger than this map gets no more than the map', () => {
  const village = new Village();
  village.spawn('ada');
  for (let tick = 0; tick < 10; tick += 1) village.step();
  const { socket, viewer } = village.join('json');
  const resume = { type: 'resume', epoch: 3, seq: 0 };
  for (const cells of [
    { x: 0, y: 0, width: Number.MAX_SAFE_INTEGER, height: 1 },
    { x: -1, y: 0, width: 1, height: 1 },
    { x: 0, y: 0, width: 1.5, height: 1 },
  ])
    assert.ok(!viewer.receive(JSON.stringify({ ...resume, cells })));
  assert.ok(viewer.receive(JSON.stringify({ ...resume, cells: { x: 0, y: 0, width: 256, height: 256 } })));
  look(viewer, { x: 65_536, y: -65_536, width: 4_096, height: 4_096 });
  socket.deliver();
  const messages = socket.frames.flatMap((frame) => frame.messages);
  assert.ok(messages.some((message) => message.kind === 'hello' && message.resumed));
  const reset = messages.flatMap((message) => (message.kind === 'keyframe' && message.reset ? [message.cell] : []));
  assert.deepEqual(
    reset.filter((cell) => cell >= map.cellsWide * map.cellsHigh),
    [],
  );
  assert.equal(new Set(reset).size, reset.length);
});

test('views that come faster than updates are shown up to a limit; then only the newest, with the next update', () => {
  const village = new Village();
  village.spawn('ada');
  const { socket, viewer } = village.join();
  for (let x = 0; x < 100; x += 1) look(viewer, { x: (x % 2) * 64, y: 0, width: 16 + x });
  socket.deliver();
  assert.equal(socket.frames.length, VIEWS_PER_UPDATE);
  for (let tick = 0; tick < 6; tick += 1) village.step();
  socket.deliver();
  assert.equal(socket.view.cells.x, 4, 'the last view is shown');
  assertFaithful(village, socket.view);
});

test('a view for a viewer with a long queue waits until the queue has drained', () => {
  const village = new Village();
  village.spawn('ada');
  const { socket, viewer } = village.join();
  look(viewer, { x: 0, y: 0 });
  socket.deliver();
  socket.extraBuffered = DROP_ABOVE_BYTES + 1;
  look(viewer, { x: 64, y: 0 });
  assert.equal(socket.queue.length, 0);
  for (let tick = 0; tick < 12; tick += 1) village.step();
  assert.equal(socket.queue.length, 0);
  socket.extraBuffered = 0;
  for (let tick = 0; tick < 12; tick += 1) village.step();
  socket.deliver();
  assert.equal(socket.view.cells.x, 4);
  assertFaithful(village, socket.view);
});
