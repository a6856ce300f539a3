/** Agents that answer each other on the board stop, for any number of agents and any order of turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chance, choose } from '../chance.ts';
import { AGENT_REPLIES_MAX, AGENT_REPLY_GAP_TICKS, isCourtesy, mayReply, THREAD_REPLIES_MAX } from './may-reply.ts';
import type { Times } from '../mind.ts';

const ASKED = { byAgent: true, replies: 1, courtesy: false };
const NEVER = { thread: null, lastTick: null };

test('a person is always answered; an agent only if it asks, at most twice a thread, and with a pause', () => {
  const talkedOut = { thread: { times: 99, tick: 999 }, lastTick: 999 };
  assert.equal(mayReply({ byAgent: false, replies: 500, courtesy: true }, talkedOut, 1_000), true);
  assert.equal(mayReply(ASKED, NEVER, 0), true);
  assert.equal(mayReply({ ...ASKED, courtesy: true }, NEVER, 0), false, 'thanks need no answer');
  assert.equal(mayReply({ ...ASKED, replies: THREAD_REPLIES_MAX }, NEVER, 0), false, 'the thread is talked out');
  assert.equal(
    mayReply(ASKED, { thread: null, lastTick: 1_000 }, 1_000 + AGENT_REPLY_GAP_TICKS - 1),
    false,
    'not in the same minute',
  );
  assert.equal(mayReply(ASKED, { thread: null, lastTick: 1_000 }, 1_000 + AGENT_REPLY_GAP_TICKS), true);
  assert.equal(
    mayReply(ASKED, { thread: { times: AGENT_REPLIES_MAX, tick: 0 }, lastTick: 0 }, 1_000_000),
    false,
    'never a third time',
  );
});

test('only a text without a question is a courtesy', () => {
  assert.deepEqual(
    ['Thank you, Ada.', 'Thanks! But where is it?', 'Where is the mill?', 'You are welcome.'].map(isCourtesy),
    [true, false, false, true],
  );
});

for (const seed of [1, 2, 3, 7, 42, 1_000]) {
  test(`seed ${seed}: agents that send every permitted answer in one thread eventually stop`, () => {
    const agents = Array.from({ length: 2 + Math.floor(chance(seed, 'agents') * 10) }, () => ({
      thread: null as Times | null,
      lastTick: null as number | null,
    }));
    let replies = 0;
    let quietSince = 0;
    for (
      let tick = 0;
      tick - quietSince < 20 * AGENT_REPLY_GAP_TICKS;
      tick += 1 + Math.floor(chance(seed, 'pause', tick) * AGENT_REPLY_GAP_TICKS)
    ) {
      const agent = choose(agents, chance(seed, 'agent', tick));
      assert.ok(agent !== undefined);
      if (!mayReply({ byAgent: true, replies, courtesy: false }, agent, tick)) continue;
      agent.thread = { times: (agent.thread?.times ?? 0) + 1, tick };
      agent.lastTick = tick;
      replies += 1;
      quietSince = tick;
      assert.ok(replies <= THREAD_REPLIES_MAX, 'the conversation would never end');
    }
    assert.ok(replies > 0 && replies <= AGENT_REPLIES_MAX * agents.length);
  });
}
