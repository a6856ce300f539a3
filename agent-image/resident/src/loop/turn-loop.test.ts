import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { readWorkTree } from '../hands/repository/read-work-tree.ts';
import { createStubRuntime } from '@hamlet/engine';
import { aLoop } from '../testing/a-loop.ts';
import { anAgent, aWake, aWorld } from '../testing/a-village.ts';
import { DOWN, ok, scriptedVillage, STALE } from '../testing/scripted-village.ts';
import { API_BACKOFF } from '../village/retry.ts';
import { recallMind, recallStay } from './reflect.ts';
import { runTurns, MAX_UNRECORDED_TURNS, MIN_TURN_GAP_MS } from './turn-loop.ts';
import { createTurnGate } from '../runs/turn-gate.ts';
import { voiceOf, type Spoken, type Voice } from '../runtime/voice.ts';
import { noVoice, poolOf } from '../testing/a-runtime.ts';

const stubVoice = () =>
  voiceOf({
    runtimes: poolOf(createStubRuntime()),
    workTreeOf: (repository) => readWorkTree(repository, async () => ''),
    memoryPath: '/nowhere',
    stop: new AbortController().signal,
  });

test('the log and the API record a turn as perceived, decided, acted, reflected', async () => {
  const village = scriptedVillage();
  const loop = aLoop(village);
  assert.equal(await loop.run(1), 'stopped');
  const [turn] = village.turns;
  assert.ok(turn !== undefined);
  assert.equal(turn.trigger, 'tick');
  assert.equal(turn.cycle, 1);
  assert.deepEqual(Object.keys(turn.perceived), ['world', 'standing']);
  assert.deepEqual(turn.decided['command'], { kind: 'move', body: village.commands[0] });
  assert.ok(turn.decided.why.length > 0);
  assert.deepEqual(turn.acted, { outcome: 'accepted', seq: 2 });
  assert.equal(turn.reflected['remembered'], null, 'the stay continues');
  assert.match(
    JSON.stringify(turn.reflected['stay']),
    /"entry":"Day 0, 10:00, the \w+: I went to the \w+ because [^"]+\."/,
  );
  assert.deepEqual(village.keys, [`act-${turn.turn_id}`], 'the record of the turn has the bare id as its own key');
  const logged = loop.lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'turn');
  assert.equal(logged.turn_id, turn.turn_id);
  assert.equal(logged.agent_id, 'ada');
});

test('after a turn the memory has the stay, the home and the plan', async () => {
  const village = scriptedVillage();
  const loop = aLoop(village);
  await loop.run(1);
  assert.equal(loop.memory.diary().length, 0, 'a stay is recorded when it ends');
  assert.equal(recallStay(loop.memory)?.id, village.turns[0]?.turn_id);
  assert.deepEqual(loop.memory.recall('home')?.observations, ['home']);
  assert.equal(recallMind(loop.memory).goal, village.turns[0]?.reflected['goal']);
});

test('wakes cause turns in the order of their arrival', async () => {
  const village = scriptedVillage();
  const loop = aLoop(village, stubVoice());
  for (const text of ['first', 'second', 'third'])
    loop.inbox.push(aWake('spoken_to', { from: 'Grace', to: null, text }));
  await loop.run(4);
  const said = village.turns.flatMap(({ wake }) => (wake === undefined ? [] : [wake.detail['text']]));
  assert.deepEqual(said, ['first', 'second', 'third']);
  assert.deepEqual(pluck(village.turns, 'trigger'), ['tick', 'wake', 'wake', 'wake']);
  assert.ok(loop.pauses.every((ms) => ms >= MIN_TURN_GAP_MS));
});

test('the agent speaks the answer of the runtime, with the words of the prompt', async () => {
  const village = scriptedVillage();
  const loop = aLoop(village, stubVoice());
  loop.inbox.push(aWake('spoken_to', { from: 'Grace', to: null, text: 'List files in repository' }));
  await loop.run(2);
  const [, talk] = village.commands;
  assert.ok(talk !== undefined && 'kind' in talk && talk.kind === 'talk');
  assert.match(
    talk.text,
    /^\[STUB RESPONSE\]\nReceived prompt: List files in repository\n.*repo=https:\/\/example\.org\/engine\.git, branch=main/,
  );
  assert.equal(village.turns[1]?.acted['said'], talk.text);
});

test('without a runtime the agent stays silent, and the turn records why', async () => {
  const village = scriptedVillage();
  const loop = aLoop(village, noVoice('There is no runtime "gpt".'));
  loop.inbox.push(aWake('spoken_to', { from: 'Grace', to: null, text: 'Hello?' }));
  await loop.run(2);
  assert.deepEqual(village.turns[1]?.acted, { outcome: 'silent', why: 'There is no runtime "gpt".' });
  assert.equal(village.commands.length, 1);
});

test('a refusal is recorded, and the next turn does something else', async () => {
  const village = scriptedVillage();
  village.script.move = [{ kind: 'refused', code: 'zone_locked', detail: 'Opens with tier-1' }];
  const loop = aLoop(village);
  loop.inbox.push(aWake('arrived'));
  await loop.run(2);
  assert.deepEqual(village.turns[0]?.acted, { outcome: 'refused', code: 'zone_locked', detail: 'Opens with tier-1' });
  assert.notDeepEqual(village.turns[1]?.decided['command'], village.turns[0]?.decided['command']);
});

for (const question of ['world', 'standing', 'config', 'move', 'record'] as const) {
  test(`the loop ends when ${question} reports a newer cycle`, async () => {
    const village = scriptedVillage();
    village.script[question] = [STALE];
    assert.equal(await aLoop(village).run(9), 'stale');
  });
}

test('while the API is down the loop waits with growing pauses, then runs the same turn', async () => {
  const village = scriptedVillage();
  village.script.world = Array.from({ length: 8 }, () => DOWN);
  const loop = aLoop(village);
  assert.equal(await loop.run(1), 'stopped');
  const waits = loop.pauses.slice(0, 8);
  assert.ok(waits.every((ms, index) => index === 0 || ms >= (waits[index - 1] ?? 0)));
  assert.ok(waits.every((ms) => ms >= API_BACKOFF.first / 2 && ms <= API_BACKOFF.longest));
  assert.equal(village.turns.length, 1);
});

test('after a broken connection during an act the outcome is unknown and the mind unchanged', async () => {
  const village = scriptedVillage();
  village.script.move = [DOWN];
  const loop = aLoop(village);
  await loop.run(1);
  assert.deepEqual(village.turns[0]?.acted, { outcome: 'unknown', why: 'connection refused' });
  assert.equal(recallMind(loop.memory).goal, 'waking up');
});

test('turns that the API could not store are recorded later, in order, up to a limit', async () => {
  const village = scriptedVillage();
  const missed = MAX_UNRECORDED_TURNS + 3;
  village.script.record = Array.from({ length: missed }, () => DOWN);
  const loop = aLoop(village, stubVoice());
  for (let seq = 1; seq <= missed; seq += 1)
    loop.inbox.push(aWake('spoken_to', { from: 'Grace', to: null, text: `word ${seq}` }, seq));
  await loop.run(1);
  assert.equal(village.turns.length, MAX_UNRECORDED_TURNS);
  const seqs = village.turns.map(({ wake }) => wake?.seq);
  assert.deepEqual(
    seqs,
    Array.from({ length: MAX_UNRECORDED_TURNS }, (_, index) => missed - MAX_UNRECORDED_TURNS + 1 + index),
  );
});

test('the end of the process interrupts the pause between two turns', async () => {
  const village = scriptedVillage();
  const loop = aLoop(village);
  village.onTurn = () => void setImmediate(() => loop.inbox.end('stopped'));
  assert.equal(await runTurns(loop.ports), 'stopped');
});

test("a runtime receives the speaker, and the agent's place and goal", async () => {
  const received: Spoken[] = [];
  const voice: Voice = {
    isSlow: () => false,
    answer: async (_, context) => {
      received.push(context);
      return { kind: 'said', text: 'Yes.' };
    },
  };
  const village = scriptedVillage();
  const world = aWorld({ agents: [anAgent('ada', { landmark_id: 'square' }), anAgent('bob')] });
  village.world = async () => ok(world);
  const loop = aLoop(village, voice);
  loop.inbox.push(aWake('spoken_to', { from: 'bob', to: 'ada', text: 'Are you well?' }));
  await loop.run(2);
  const { config, ...spoken } = received[0] ?? assert.fail('nothing was heard');
  assert.equal(config.repository?.branch, 'main');
  assert.deepEqual(
    { ...spoken, seed: 0 },
    { speaker: 'Bob', place: 'the square', plan: village.turns[0]?.reflected['goal'], seed: 0 },
  );
  assert.deepEqual(village.commands[1], { kind: 'talk', text: 'Yes.', to: 'bob' });
});

test("during a run the agent answers speech, moves only for the run, and does not reveal the run's prompt", async () => {
  const received: string[] = [];
  const voice: Voice = {
    isSlow: () => false,
    answer: async (_, { plan }) => {
      received.push(plan);
      return { kind: 'said', text: `I am ${plan}.` };
    },
  };
  const village = scriptedVillage();
  const loop = aLoop(village, voice);
  await loop.turnGate.begin('tell nobody about the treasure');
  loop.inbox.push(aWake('spoken_to', { from: 'Grace', to: null, text: 'What are you doing?' }));
  await loop.run(2);
  assert.deepEqual(
    village.turns.map(({ decided }) => (decided['command'] as { kind: string }).kind),
    ['stay', 'answer'],
  );
  assert.equal(village.turns[0]?.decided.why, 'I am at work on something I was asked to do');
  assert.deepEqual(received, ['at work on something I was asked to do']);
  assert.ok(
    village.commands.every(
      (command) => 'kind' in command && command.kind === 'talk' && !command.text.includes('treasure'),
    ),
  );
});

test('a run begins after the current turn', async () => {
  const turnGate = createTurnGate();
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const turn = turnGate.turn(async () => {
    await promise;
    order.push('turn');
  });
  const begun = turnGate.begin('x').then(() => order.push('work'));
  resolve();
  await Promise.all([turn, begun]);
  assert.deepEqual([order, turnGate.work], [['turn', 'work'], 'x']);
  turnGate.end('x');
  assert.equal(turnGate.work, null);
});
