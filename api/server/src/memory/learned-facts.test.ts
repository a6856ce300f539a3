/** Facts that a resident makes once a conversation has rested: said in one chat, used in another, seen and corrected by the person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentMemory } from '@hamlet/contract';
import { OPENAI_WIRE, startWireServer, type WireAnswer } from '@hamlet/models/testing';
import { setVariables, untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { payForModels } from '../testing/hands-village.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { testResidents } from '../testing/resident-process.ts';
import { eventually, startPlay } from '../testing/test-village.ts';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly response_format?: { readonly json_schema?: { readonly name?: string } };
  readonly tools?: readonly object[];
}

/** The texts that the model read for answers to people, and for facts. */
const read = { chats: [] as string[], passages: [] as string[] };
const json = (value: object): WireAnswer => OPENAI_WIRE.stream({ text: [JSON.stringify(value)] });

/** The city in the newest message of a passage, as a fact that replaces the known one. */
function factsIn(passage: string): WireAnswer {
  const cities = [...passage.matchAll(/I live in (\w+)/g)];
  const city = cities.at(-1)?.[1];
  if (city === undefined) return json({ facts: [] });
  const known = /^(f\d+): "Mia lives in/m.exec(passage)?.[1] ?? null;
  const fact = {
    text: `Mia lives in ${city}.`,
    sources: ['m1'],
    supersedes: known,
    until: '2099-12-31',
    importance: 0.7,
  };
  return json({ facts: [fact] });
}

const mind = untilEnd(
  await startWireServer([], {
    otherwise: ({ method, body }) => {
      if (method === 'GET')
        return { chunks: [JSON.stringify({ object: 'list', data: [{ id: 'up-model', object: 'model' }] })] };
      const { messages, response_format: format, tools = [] } = body as Body;
      const last = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      if (format?.json_schema?.name === 'facts') {
        read.passages.push(last);
        return factsIn(last);
      }
      if (tools.length > 0) read.chats.push(last);
      return OPENAI_WIRE.stream({ text: ['Good day.'] });
    },
  }),
);
const { play } = await startPlay({ villageSpeed: 20, models: wireModels(mind.url) });
const talk = new SessionPlay(play.url);
const residents = testResidents(play);
await payForModels(play, ['ada']);
const mia = await invite(await firstAdmin(talk.play.url), talk.play.url, { name: 'Mia', role: 'member' });

/** The next resident's clock is this many minutes ahead. */
const clockAhead = (minutes: number): void =>
  setVariables({
    NODE_OPTIONS: `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()%2B${minutes * 60_000}`,
  });

/** A message in a new conversation, and the run's whole request. */
async function say(text: string): Promise<string> {
  const { run } = dataOf(await talk.say(mia.client, (await talk.open(mia.client, 'ada')).session_id, text));
  assert.equal((await talk.ended(run.run_id)).state, 'done');
  return read.chats.findLast((chat) => chat.includes(text)) ?? '';
}

const memories = async (kind: AgentMemory['kind']): Promise<readonly AgentMemory[]> =>
  (await mia.client.listAgentMemory({ agent_id: 'ada', kind })).memories.filter(({ audience }) => audience !== null);

const believed = (text: string): Promise<AgentMemory> =>
  eventually(`the fact “${text}”`, async () =>
    (await memories('fact')).find((each) => each.text === text && each.until === null),
  );

test('words of a person in a chat that rests become a fact, which the next chat knows and a newer fact ends', async () => {
  const first = await residents.start('ada');
  await say('Hello, I live in York now.');
  await eventually('the words', async () => (await memories('evidence')).find(({ text }) => /York/.test(text)));
  assert.deepEqual([read.passages, await memories('fact')], [[], []], 'the conversation has not rested');
  await residents.kill(first);

  clockAhead(15);
  const second = await residents.start('ada');
  const york = await believed('Mia lives in York.');
  const words = (await memories('evidence')).find(({ text }) => /York/.test(text));
  assert.deepEqual(pluck([york], 'about', 'certainty', 'may_change', 'outside', 'run_id', 'session_id'), [
    ['Mia', 'noted', true, false, words?.run_id, words?.session_id],
  ]);
  const from = await mia.client.listAgentMemory({ agent_id: 'ada', run_id: york.run_id ?? '', kind: 'evidence' });
  assert.ok(
    from.memories.some(({ memory_id }) => memory_id === words?.memory_id),
    'from where it is known',
  );
  assert.match(await say('Where is my home?'), /\[From memory\]\n- as Mia said: Mia lives in York\./);
  await say('I have moved: I live in Leeds.');
  await eventually('the new words', async () => (await memories('evidence')).find(({ text }) => /Leeds/.test(text)));
  await residents.kill(second);

  clockAhead(30);
  await residents.start('ada');
  const leeds = await believed('Mia lives in Leeds.');
  assert.equal(leeds.replaces, york.memory_id);
  const asked = await say('Where is my home these days?');
  const [now, before] = [asked.indexOf('as Mia said: Mia lives in Leeds.'), asked.indexOf('York')];
  assert.ok(now >= 0 && (before < 0 || now < before), asked);
  assert.doesNotMatch(asked, /Mia lives in York/);
});

test('a person corrects a learned fact, and the next chat knows only the correction', async () => {
  const { memory_id } = await believed('Mia lives in Leeds.');
  await mia.client.correctAgentMemory({ agent_id: 'ada', memory_id, text: 'Mia lives in Hull.' });
  const asked = await say('Where do I live?');
  assert.match(asked, /- about Mia: Mia lives in Hull\./);
  assert.doesNotMatch(asked, /Mia lives in (Leeds|York)/);
});
