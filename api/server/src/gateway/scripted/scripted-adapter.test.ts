import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import { ModelFault, type AdapterDelta, type ChatRequest } from '@hamlet/models';
import { createScriptedAdapter } from './scripted-adapter.ts';
import { promptTokensOf, scriptedText, tokensOf, topicOf } from './scripted-text.ts';

const adapter = createScriptedAdapter();

async function answered(
  changes: Partial<ChatRequest> & { said?: string; model?: string } = {},
): Promise<{ text: string; end: readonly AdapterDelta[] }> {
  const { said = 'Can you explain the windmill behind the orchard?', model = 'small', ...others } = changes;
  const messages = [{ role: 'user' as const, content: said }];
  const request: ChatRequest = { messages, maxTokens: 500, seed: 1, stop: [], ...others };
  const { signal } = new AbortController();
  const deltas = await Array.fromAsync(adapter.ask({ request, model, stream: true, signal }));
  return {
    text: deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join(''),
    end: deltas.filter(({ kind }) => kind !== 'text'),
  };
}

test('the same request gives the same answer; another seed may give another', async () => {
  const texts = await Promise.all([1, 1, 2, 3, 4, 5, 6].map(async (seed) => (await answered({ seed })).text));
  assert.equal(texts[0], texts[1]);
  assert.ok(new Set(texts).size > 1);
});

test('answers keep to the topic; the large model covers more of it in more sentences', async () => {
  const small = (await answered()).text;
  const large = (await answered({ model: 'large' })).text;
  assert.match(small, /windmill|orchard/);
  assert.match(large, /windmill/);
  assert.match(large, /orchard/);
  assert.ok(large.split('. ').length > small.split('. ').length);
});

test('the model says that it is scripted when asked', async () => {
  for (const model of ['small', 'large'])
    assert.match((await answered({ model, said: 'Which model are you?' })).text, /scripted/);
});

test('the request in a text determines the occasion; the subject does not', async () => {
  const thanks = 'Thank admin, who wrote about “I am stuck with a run”: Go to the library.';
  for (const seed of [1, 2, 3, 4]) assert.match((await answered({ said: thanks, seed })).text, /thank/i);
  for (const seed of [1, 2, 3, 4])
    assert.match(
      (await answered({ said: 'Ask for help: I am blocked. My plan was to thank Bob.', seed })).text,
      /help|know/i,
    );
});

test('the usage at the end equals the counted tokens and stays within the limit', async () => {
  const whole = await answered();
  const messages = [{ role: 'user' as const, content: 'Can you explain the windmill behind the orchard?' }];
  assert.deepEqual(whole.end, [
    { kind: 'usage', usage: { promptTokens: promptTokensOf(messages), completionTokens: tokensOf(whole.text) } },
    { kind: 'end', finish: 'stop', raw: null },
  ]);
  const cut = await answered({ maxTokens: 4 });
  assert.ok(tokensOf(cut.text) <= 4);
  assert.partialDeepStrictEqual(cut.end.at(-1), { finish: 'length' });
  assert.ok(whole.text.startsWith(cut.text));
});

test('the scripted model refuses a schema, JSON and a required call, and ignores offered tools', async () => {
  const tools = [{ name: 'go_to', description: '', parameters: {} }];
  assert.match((await answered({ tools })).text, /windmill|orchard/);
  for (const asked of [
    { tools, toolChoice: 'required' as const },
    { tools, toolChoice: { name: 'go_to' } },
    { responseSchema: { name: 'plan', schema: {} } },
    { jsonObject: true },
  ])
    await assert.rejects(answered(asked), (error) => error instanceof ModelFault && error.code === 'bad_request');
});

test('the topic is the quoted text, or else the meaningful words in their order', () => {
  assert.deepEqual(topicOf('They wrote about “the old mill”: help', 5), ['the old mill']);
  assert.deepEqual(topicOf('Where is the windmill, and what about bread?', 2), ['windmill', 'bread']);
  assert.deepEqual(topicOf('who are you', 2), []);
  assert.deepEqual(topicOf('I ask “What is\n there?”', 2), ['What is there'], 'one line, without its stop');
});

const ASKED = [
  'Ask for help: I am blocked. I was asked: “Find Zoe.”',
  'Give thanks for a reward, given for: good bread',
  'Say that my plan changes with my tier. I am in tier-1 now, and was in tier-0 before.',
  'Which model are you?',
  'Hello there!',
  'Can you explain the windmill behind the orchard?',
  'The bread is ready.',
  'plan: ""',
  '“ ” help',
  'a “broken quote',
  '',
  'who are you',
  '@bob {topic} {x}',
  'Ärger über Öl?',
  'thanks\n\nthanks',
];

test('every template gives whole sentences for every occasion, style and starting point', () => {
  for (const text of ASKED) {
    for (const style of [
      { topicWords: 2, moreSentences: 0 },
      { topicWords: 5, moreSentences: 2 },
      { topicWords: 1, moreSentences: 9 },
    ]) {
      for (let seed = 0; seed < 24; seed += 1)
        assert.deepEqual(sentenceFaults(scriptedText([{ role: 'user', content: text }], style, seed)), []);
    }
  }
});
