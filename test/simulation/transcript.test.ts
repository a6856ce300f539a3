/**
 * A conversation as a person reads it: the agent restates the task, asks about open points, confirms constraints, and
 * admits a failure. The model is scripted; the test checks prompts, history, tool results, and what the person sees.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Permission, type SessionMessage } from '@hamlet/contract';
import type { ScriptedAnswer } from '@hamlet/models/testing';
import { textOf, type Chat } from '@hamlet/test/env/minds/chat-server';
import { until } from '@hamlet/test/env/until';
import { dataOf } from '../env/client.ts';
import { NAME, startWiredVillage, type WiredVillage } from './wired-village.ts';

const TASK = 'Answer the baker on the board. Use under ten words, and name no prices.';
const RESTATED = 'I understand: one short answer to the baker, without prices.';
const QUESTION = 'Shall I sign it with my name?';
const REPLY = 'Yes, sign it.';
const CONFIRMED = 'So: under ten words, no prices, and signed. Shall I answer now?';
const GO_AHEAD = 'Yes, go ahead.';
const GONE = '00000000-0000-4000-8000-000000000000';
const OWNED_UP = 'I did not answer the baker: there is no such post. I tried it once and changed nothing.';
const SILENCE = 'Say nothing at all.';
const ASKED_AGAIN = 'And which rules did I give you?';

let village: WiredVillage;
let sessionId = '';

const call = (name: string, input: object): NonNullable<ScriptedAnswer['calls']> => [
  { id: `call-${name}`, name, pieces: [JSON.stringify(input)] },
];

function answer(chat: Chat): ScriptedAnswer {
  if (chat.response_format !== undefined)
    return { text: [JSON.stringify({ option: 'stay', why: 'I wait', say: null, over: true })] };
  const last = chat.messages.at(-1);
  const result = last?.role === 'tool' ? (last.content ?? '') : null;
  switch (textOf(chat, 'user')) {
    case TASK:
      return result === null
        ? { text: [RESTATED], calls: call('ask_human', { question: QUESTION }) }
        : { text: [result.includes(REPLY) ? CONFIRMED : `no reply: ${result}`] };
    case GO_AHEAD:
      return result === null
        ? {
            text: ['I answer the baker.'],
            calls: call('reply_on_board', { post_id: GONE, body: 'Bread, please. Bob' }),
          }
        : { text: [result.includes('no_such_post') ? OWNED_UP : `unexpected: ${result}`] };
    case ASKED_AGAIN:
      return { text: ['Under ten words, and no prices.'] };
    default:
      return { text: [''] };
  }
}

before(async () => {
  village = await startWiredVillage(
    '  displayName: Bob\n  persona:\n    identity: A helper\n    personality: Plain\n    instructions: Be brief.',
    answer,
  );
  ({ session_id: sessionId } = await village.play.open(village.play.play.admin, NAME));
});
after(() => village.remove());

/** Sends a message; returns it, and the line that answers it. */
async function say(text: string): Promise<{ readonly asked: SessionMessage; readonly answered: SessionMessage }> {
  const { admin } = village.play.play;
  const { message } = dataOf(await village.play.say(admin, sessionId, text));
  return until(`the end of “${text}”`, async () => {
    const transcript = await village.play.transcript(admin, sessionId);
    const asked = transcript.find(({ message_id: id }) => id === message.message_id);
    const answered = transcript.find(({ number, author }) => number > message.number && author.role !== 'admin');
    return asked !== undefined && answered !== undefined && { asked, answered };
  });
}

const question = (): Promise<Permission> =>
  until('its question', async () => {
    const query = { session_id: sessionId, state: 'pending' } as const;
    return (await village.play.play.admin.listPermissions(query)).permissions.at(0);
  });

/** The requests that followed a message of the person. */
const requestsAfter = (text: string): readonly Chat[] =>
  village.chats().filter((chat) => chat.response_format === undefined && textOf(chat, 'user') === text);

const contents = ({ messages }: Chat): readonly (string | null)[] => messages.map(({ content }) => content);

test('the agent restates the task, asks about open points, and confirms the constraints', async () => {
  const ended = say(TASK);
  const asked = await question();
  assert.deepEqual([asked.why, asked.question], ['question', QUESTION]);
  await village.play.play.admin.answerPermission({ permission_id: asked.permission_id, answer: 'allow', reply: REPLY });
  const { answered } = await ended;
  assert.deepEqual([answered.author.role, answered.text], ['agent', CONFIRMED]);
  const [first, second] = requestsAfter(TASK);
  assert.match(
    textOf(first ?? assert.fail(), 'system'),
    /Ask with ask_human before you spend money[^]*if only a person can know/,
  );
  assert.ok(contents(second ?? assert.fail()).includes(RESTATED), 'its own words are in its history');
  assert.match(textOf(second ?? assert.fail(), 'tool'), /Yes, sign it\./);
});

test('the prompt has the constraints of earlier turns, and model and person both see a failure', async () => {
  const { answered } = await say(GO_AHEAD);
  assert.deepEqual([answered.author.role, answered.text], ['agent', OWNED_UP]);
  for (const chat of requestsAfter(GO_AHEAD)) {
    const shown = contents(chat).join('\n');
    for (const words of [TASK, RESTATED, REPLY, CONFIRMED]) assert.ok(shown.includes(words), words);
  }
  const failed = textOf(requestsAfter(GO_AHEAD).at(-1) ?? assert.fail(), 'tool');
  assert.match(failed, /^The call failed \(no_such_post\)/);
  const events = await village.play.events(answered.run_id ?? '');
  const settled = events.flatMap(({ event, witnessed, detail }) =>
    event === 'call_settled' ? [{ witnessed, detail }] : [],
  );
  assert.equal(settled.length, 1);
  assert.partialDeepStrictEqual(settled[0], { witnessed: true, detail: { tool: 'reply_on_board', outcome: 'failed' } });
});

test('a run without effects and text fails, and the person reads why', async () => {
  const { asked, answered } = await say(SILENCE);
  assert.equal(asked.state, 'failed');
  const run = await village.play.get(asked.run_id ?? '');
  assert.deepEqual([run.state, run.error?.code], ['failed', 'empty_answer']);
  assert.deepEqual([answered.author.role, answered.in_reply_to], ['system', asked.message_id]);
  assert.match(answered.text, /no answer in words/);
});

test('the prompt begins with the cacheable part in a fixed order, and later turns include the failure', async () => {
  await say(ASKED_AGAIN);
  const [last] = requestsAfter(ASKED_AGAIN);
  assert.ok(contents(last ?? assert.fail()).some((text) => text?.startsWith('The call failed (no_such_post)')));
  assert.ok(contents(last ?? assert.fail()).includes(TASK));
  const systems = village
    .chats()
    .flatMap((chat) => (chat.response_format === undefined ? [textOf(chat, 'system')] : []));
  const headings = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('# '));
  for (const system of systems) assert.equal(system, systems[0]);
  assert.deepEqual(headings(systems[0] ?? ''), [
    '# Identity',
    '# Personality',
    '# Instructions',
    '# Work',
    '# Machine',
  ]);
  const situated = contents(last ?? assert.fail()).filter((text) => text?.includes('[Situation]'));
  assert.deepEqual(
    situated.map((text) => headings(text ?? '')),
    [['# Now', '# Village', '# Run']],
  );
  assert.ok(systems.length >= 6);
});
