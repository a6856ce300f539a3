/** The village puts an idle agent to sleep and removes its pod; a message awakens it, and it answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../env/until.ts';
import type { Village } from '../env/village.ts';
import { agentOf, applyAgent, deleteAgents, podsOf, setPower, untilReady, village } from '../env/village.ts';

const NAME = `dora-${process.pid}`;

let place: Village;
let session = '';

/** Sends a message to the agent's conversation, and returns the state of its wake. */
async function send(text: string): Promise<string> {
  return (await place.admin.sendMessage({ session_id: session, text })).wake;
}

const answerTo = (text: string): Promise<string> =>
  until(`the agent answers ${text}`, async () => {
    const { messages } = await place.admin.listMessages({ session_id: session });
    return messages.find((message) => message.author.role === 'agent' && message.text.includes(text))?.text;
  });

before(async () => {
  place = await village();
  await applyAgent(place, NAME, { runtime: { name: 'stub' }, idleSleepAfter: '15s' });
  await untilReady(place, NAME);
  session = (await place.admin.createSession({ agent_id: NAME, title: 'Rest' })).session.session_id;
});
after(() => deleteAgents(place, [NAME]));

test('an awake agent answers, and loses its pod after idleSleepAfter without activity', async (t) => {
  assert.equal(await send('Good morning'), 'awake');
  await answerTo('Good morning');
  const answered = performance.now();
  await until('no pod is left', async () => (await podsOf(place, NAME)) === '');
  t.diagnostic(`no pod ${Math.round((performance.now() - answered) / 1000)} s after its last answer`);
  const asleep = await until('the API shows it asleep', async () => {
    const agent = await agentOf(place, NAME);
    return agent?.power === 'Asleep' && !agent.status.online ? agent : undefined;
  });
  assert.equal(asleep.status.health, 'asleep');
  assert.equal(await place.kubectl(['get', 'agent', NAME, '-o', 'jsonpath={.spec.power}']), 'Asleep');
});

test('a message awakens the agent, and it answers; the audit names who put it to sleep and who awakened it', async (t) => {
  const sent = performance.now();
  assert.equal(await send('Are you there?'), 'waking');
  await answerTo('Are you there?');
  t.diagnostic(`answered ${Math.round(performance.now() - sent)} ms after the message`);
  assert.notEqual(await podsOf(place, NAME), '');
  const { records } = await place.admin.listAudit({ object: NAME, kind: 'act' });
  // On a busy machine it may already be idle again.
  const slept = records.filter(({ action }) => /^(sleep|wake)_idle$/.test(action)).slice(-2);
  assert.deepEqual(
    slept.map(({ action, actor_role: role }) => [action, role]),
    [
      ['wake_idle', 'admin'],
      ['sleep_idle', 'system'],
    ],
  );
});

test('no message awakens an agent that a person suspended', async () => {
  await setPower(place, NAME, 'Asleep');
  await until('no pod is left', async () => (await podsOf(place, NAME)) === '');
  assert.equal(await send('Wake up'), 'suspended');
  assert.equal(await place.kubectl(['get', 'agent', NAME, '-o', 'jsonpath={.spec.power}']), 'Asleep');
});
