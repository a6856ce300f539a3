/** The first request of a run, as it leaves the pod: counted by a tokenizer, and read as the model reads it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { VILLAGE_TOOL_NAMES } from '@hamlet/contract';
import { narrowPolicy } from '@hamlet/core';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { aHandsKit } from '../testing/a-hands-kit.ts';
import { performTask, TASK_POLICY, tokensOf, type TaskKind } from '../testing/a-task-run.ts';
import { fixedToken } from '../village/agent-token.ts';
import type { StartedRun } from '../village/village.ts';
import { createModelPort } from './model-port.ts';

const TASK_TOKENS_MAX = 3_500;
const SYSTEM_TOKENS_MAX = 900;
const REQUEST_TOKENS_MAX = 4_500;

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
}

const bodies: Body[] = [];
const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const server = createServer((request, response) => {
  void request.toArray().then((parts) => {
    bodies.push(JSON.parse(Buffer.concat(parts).toString()) as Body);
    const delta = { choices: [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }] };
    const lines = [delta, { ...ANSWER, choices: [] }].map((each) => `data: ${JSON.stringify(each)}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${lines.join('')}data: [DONE]\n\n`);
  });
});
const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
after(() => server.close());

async function firstRequest({ hasHands = true, ...kind }: TaskKind & { readonly hasHands?: boolean }): Promise<Body> {
  const model = createModelPort({ url, tokens: fixedToken('t'), leaseOf: () => 1 });
  const hands = hasHands ? aHandsKit({ socket: '/nowhere', workspace: '/workspace' }) : null;
  const prompt = 'Clone the repository, make the failing test pass and deliver a patch.';
  await performTask({ model, hands, prompt, contextTokens: null }, kind);
  return bodies.pop() ?? assert.fail('the model got no request');
}

const namesIn = ({ tools }: Body): readonly string[] => tools.map((tool) => tool.function.name);
const systemOf = ({ messages }: Body): string => messages[0]?.content ?? '';
const wordsOf = ({ messages }: Body): string => messages.map(({ content }) => content).join('\n');

const TALK = {
  session: { session_id: 's', people: [{ id: 'person', name: 'Fabian' }] },
} as unknown as Partial<StartedRun>;
const WORKER = { parent_run_id: crypto.randomUUID(), call_id: '1.0', role: 'reader', depth: 1 };

test('the first request of a task fits: schemas, system text and all of it, by a tokenizer', async (context) => {
  for (const [kind, given] of Object.entries({ task: {}, talk: { started: TALK } } satisfies Record<
    string,
    TaskKind
  >)) {
    const body = await firstRequest(given);
    const counted = { tools: tokensOf(body.tools), system: tokensOf(systemOf(body)), all: tokensOf(body) };
    context.diagnostic(`${kind}: ${body.tools.length} tools, ${JSON.stringify(counted)}`);
    assert.ok(counted.tools <= TASK_TOKENS_MAX && counted.system <= SYSTEM_TOKENS_MAX, JSON.stringify(counted));
    assert.ok(counted.all <= REQUEST_TOKENS_MAX, JSON.stringify(counted));
  }
});

test('a task has the tools of work, and the village through find_tools', async () => {
  const body = await firstRequest({});
  const names = namesIn(body);
  for (const name of ['shell', 'wait_for', 'edit_file', 'todo', 'ask_human', 'deliver', 'delegate', 'find_tools'])
    assert.ok(names.includes(name), name);
  for (const name of ['buy', 'bid', 'pick_up', 'amend_personality', 'browser_open', 'forget', 'save_script'])
    assert.ok(!names.includes(name), name);
  assert.match(systemOf(body), /find_tools has more tools: village, board, market/);
  assert.ok(!/browser/.test(systemOf(body)), 'the tier has no memory for a browser');
});

test('the prompt says date and zone, budget, when to stop, how to finish, and what a person must allow', async () => {
  const words = wordsOf(await firstRequest({}));
  for (const part of [
    'Sat, 28 Nov 2026 (2026-11-28), 22:10 UTC, when this run began.',
    /This run may use \d+ answers, \d+ tokens/,
    'Begin a task with one line beside your first call: what you understood, and what you will hand over.',
    'An answer without a call ends this run',
    'To finish, hand over files and patches with deliver, then answer',
    'A person must allow: what sends something out of the village',
    'Ask with ask_human before you spend money',
  ])
    assert.ok(typeof part === 'string' ? words.includes(part) : part.test(words), `${part}\n${words}`);
  assert.ok(!/account [0-9a-f]{8}|\ba admin\b/.test(words), words);
});

test('only a conversation reads of the village, and a worker reads its task alone', async () => {
  const task = wordsOf(await firstRequest({}));
  assert.ok(!/aiDollars\.|In the village it is day/.test(task), task);
  const talk = wordsOf(await firstRequest({ started: TALK }));
  assert.match(talk, /In the village it is day 0, 10:00/);
  const worker = wordsOf(await firstRequest({ run: { worker: WORKER } }));
  assert.match(worker, /^# Identity\nYou are a worker of Ada[^]*Your role: reader/);
  assert.ok(!/board every morning|Patient|gardener|village it is/.test(worker), worker);
});

test('a worker sees exactly the tools that it was given', async () => {
  const tools = [['read_file', 'web_fetch', 'go_to']];
  const narrowed = narrowPolicy(TASK_POLICY, { lists: tools, safeMode: null }, () => new Uint8Array(32));
  const body = await firstRequest({
    run: { worker: { ...WORKER, tools } },
    started: { policy: narrowed },
    booked: { policy: narrowed },
  });
  assert.deepEqual([...namesIn(body)].toSorted(), ['go_to', 'read_file', 'web_fetch']);
  assert.ok(!/todo|edit_file|ask_human|find_tools/.test(systemOf(body)), systemOf(body));
});

test('an agent without hands has the tools of the village at once', async () => {
  const names = namesIn(await firstRequest({ hasHands: false }));
  for (const name of ['look_around', 'go_to', 'say', 'read_board']) assert.ok(names.includes(name), name);
  assert.ok(!names.includes('shell') && names.length < VILLAGE_TOOL_NAMES.length / 2);
});

test('no schema has what only a validator needs', async () => {
  const text = JSON.stringify((await firstRequest({})).tools);
  for (const noise of ['$schema', 'additionalProperties', 'maxLength', '"format"', '[0-9a-f', '9007199254740991'])
    assert.ok(!text.includes(noise), noise);
});
