/** The operator's stream, and the end of lives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { follow } from '@hamlet/test/env/client';
import { clientOf, eventually, TOKENS, startPlay } from '../testing/test-village.ts';

const { play } = await startPlay();

const operator = clientOf(play.url, TOKENS.operator);
const readInternal = (after?: string) =>
  follow((signal) => operator.openInternalStream(after === undefined ? {} : { after }, { signal }));
type Reading = ReturnType<typeof readInternal>;

const connect = (agentId: 'ada' | 'bob' | 'cleo') =>
  follow((signal) => play.as(agentId).openWakes({ agent_id: agentId }, { signal })).stop;

function presenceOf({ events }: Reading, agentId: string): readonly boolean[] {
  return events.flatMap((event) =>
    event.event === 'presence' && event.data.agent_id === agentId ? [event.data.connected] : [],
  );
}

test('a stream begins with a reset and a snapshot, and then carries the changes', async () => {
  const leave = connect('ada');
  await eventually('ada online', async () => (await play.agent('ada')).status.online);
  const reading = readInternal();
  await eventually('ada at the beginning', () => presenceOf(reading, 'ada').at(0) === true);
  assert.equal(reading.events[0]?.event, 'reset');
  leave();
  await eventually('ada leaving', () => presenceOf(reading, 'ada').at(-1) === false);
  const last = reading.events.findLast((event) => event.event === 'presence' && event.data.agent_id === 'ada');
  assert.ok(last?.event === 'presence');
  assert.equal(last.data.uid, (await play.agent('ada')).uid);
  reading.stop();
});

test('a stream resumes after the last received event, without a reset or a gap', async () => {
  const first = readInternal();
  // Events of the snapshot have no id, so bob connects after it.
  await eventually('the snapshot', () => first.events.some(({ event }) => event === 'synced'));
  const leave = connect('bob');
  const seen = await eventually('bob', () =>
    first.events.find((event) => event.event === 'presence' && event.data.agent_id === 'bob'),
  );
  first.stop();
  leave();
  await eventually('bob offline', async () => !(await play.agent('bob')).status.online);
  const second = readInternal(seen.id ?? '');
  await eventually('the missed events', () => presenceOf(second, 'bob').length > 0);
  assert.deepEqual(presenceOf(second, 'bob'), [false]);
  assert.ok(second.events.every((event) => event.event !== 'reset'));
  second.stop();
});

test('a stream that resumes from another epoch or an unknown event begins with a reset', async () => {
  for (const after of ['0123abc:1', `${'f'.repeat(32)}:99999`]) {
    const reading = readInternal(after);
    await eventually('the reset', () => reading.events[0]?.event === 'reset');
    reading.stop();
  }
});

test('the end of a life removes the agent from the world; the end of an older life does not', async () => {
  const operator = clientOf(play.url, TOKENS.operator);
  const { uid } = await play.agent('cleo');
  const inWorld = async (): Promise<boolean> => (await play.world()).agents.some((agent) => agent.agent_id === 'cleo');
  await operator.closeAgent({ agent_id: 'cleo', uid: 'an-older-life' });
  assert.equal(await inWorld(), true);
  await operator.closeAgent({ agent_id: 'cleo', uid });
  assert.equal(await inWorld(), false);
  assert.equal((await operator.closeAgent({ agent_id: 'cleo', uid })).closed, true);
});

test('the list of ledger balances has the stored state of each agent, in pages without gaps', async () => {
  const operator = clientOf(play.url, TOKENS.operator);
  const { uid } = await play.agent('ada');
  const leave = connect('ada');
  await eventually('ada online', async () => (await play.agent('ada')).status.online);
  const whole = await operator.listAgentBooks();
  assert.equal(whole.next, null);
  const ada = whole.agents.find(({ agent_id: agentId }) => agentId === 'ada');
  assert.deepEqual(
    [ada?.life_uid, ada?.presence?.uid, ada?.presence?.connected, ada?.standing?.quarantined, ada?.boost, ada?.claim],
    [uid, uid, true, false, null, null],
  );
  assert.equal(whole.agents.find(({ agent_id: agentId }) => agentId === 'cleo')?.life_uid, null, 'her life is closed');
  const walked: string[] = [];
  let next: string | null = null;
  do {
    const page: { readonly agents: readonly { readonly agent_id: string }[]; readonly next: string | null } =
      await operator.listAgentBooks(next === null ? { limit: 1 } : { limit: 1, after: next });
    walked.push(...page.agents.map(({ agent_id: agentId }) => agentId));
    next = page.next;
  } while (next !== null);
  assert.deepEqual(walked, pluck(whole.agents, 'agent_id'));
  assert.deepEqual(await operator.listScheduleBooks({ limit: 1 }), {
    schedules: [],
    next: null,
  });
  leave();
});
