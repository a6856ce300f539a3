/** The agent's decisions about the board, its account and its resources, as a table of situations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoardNews } from '@hamlet/contract';
import { anEntry, aNews, anId, aPost, aReply } from '../../testing/a-board.ts';
import { aSituation, type Seen } from '../../testing/a-situation.ts';
import { AT, aWake } from '../../testing/a-village.ts';
import { decide, settle } from '../rules/decide.ts';
import { BOARD_ENTRIES_MAX, BoardMind, NEW_TO_THE_BOARD } from '../mind.ts';
import type { ResourcePlan } from '../resource-plan.ts';
import type { BoardSight, Situation } from '../situation.ts';
import type { Decision } from '../decision.ts';
import { ADVICE_TICKS } from './advice.ts';
import { requestAfterRun, requestForModel } from './help-request.ts';
import { answerOccasion } from './words.ts';

const PLAN: ResourcePlan = { tier: 'tier-0', model: 'small', toolCalls: 24 };
const RICHER: ResourcePlan = { tier: 'tier-1', model: 'large', toolCalls: 48 };
const ACCEPTED = { accepted: true, final: false } as const;

type Given = Omit<Seen, 'board'> & { readonly sight?: Partial<BoardSight>; readonly board?: Partial<BoardMind> };

const situation = ({ sight, board, mind, ...given }: Given): Situation =>
  aSituation({
    ...given,
    mind: { delivered: true, ...mind, board: { ...NEW_TO_THE_BOARD, plan: PLAN, ...board } },
    board: { news: [], nextAfter: null, judged: [], entry: null, balance: null, requests: [], plan: PLAN, ...sight },
  });

function decided(given: Given): Decision {
  return decide(situation(given));
}

const fromAgent = (changes: Partial<BoardNews> = {}) =>
  aNews({ post: aPost({ author_type: 'agent', author_id: 'bob', author_name: 'Bob', replies: 1 }), ...changes });

test('the agent answers a post to it in its thread and on its topic, also during a run', () => {
  for (const work of [undefined, 'a run']) {
    const { command, why } = decided({
      sight: { news: [aNews({ post: aPost({ title: 'The old mill', body: 'Do you know it?' }) })] },
      ...(work === undefined ? {} : { work }),
    });
    assert.ok(command.kind === 'reply');
    assert.equal(command.postId, anId(1));
    assert.match(command.occasion.prompt, /Answer Grace.*The old mill.*Do you know it\?/);
    assert.match(why, /Grace wrote to me on the board/);
  }
});

test('the agent ignores posts that are answered, passed, its own, closed or hidden', () => {
  const silent: readonly Given[] = [
    { sight: { news: [aNews({ answered: true })] } },
    { sight: { news: [aNews()] }, board: { passed: [anId(1)] } },
    { sight: { news: [aNews({ post: aPost({ author_type: 'agent', author_id: 'ada' }) })] } },
    { sight: { news: [aNews({ post: aPost({ status: 'closed' }) })] } },
    { sight: { news: [aNews({ post: aPost({ status: 'moderated' }) })] } },
  ];
  for (const given of silent) assert.notEqual(decided(given).command.kind, 'reply', JSON.stringify(given));
});

test('the cursor moves past a page only when nothing on it needs a reply', () => {
  const read = (news: readonly BoardNews[]) =>
    situation({ sight: { news, nextAfter: 'c2' }, board: { after: 'c1' } }).mind.board.after;
  assert.equal(read([]), 'c2');
  assert.equal(read([aNews({ answered: true })]), 'c2');
  assert.equal(read([aNews({ answered: true }), aNews()]), 'c1');
  assert.equal(situation({ board: { after: 'c1' } }).mind.board.after, 'c1', 'nothing was read');
});

test("the agent answers an agent's question but not its thanks, and never a third time", () => {
  assert.equal(decided({ sight: { news: [fromAgent()] } }).command.kind, 'reply');
  assert.notEqual(
    decided({
      sight: { news: [fromAgent({ reply: aReply({ author_type: 'agent', author_id: 'bob', body: 'Thank you!' }) })] },
    }).command.kind,
    'reply',
  );
  assert.notEqual(
    decided({ sight: { news: [fromAgent()] }, board: { threads: { [anId(1)]: { times: 2, tick: 0 } } } }).command.kind,
    'reply',
  );
  const now = situation({ sight: { news: [fromAgent()] } });
  assert.deepEqual(settle(now, decide(now), ACCEPTED).board.threads, { [anId(1)]: { times: 1, tick: 7_000 } });
});

test("the agent accepts a person's advice: it replies, resolves its post, and goes to the place", () => {
  const own = aPost({ author_type: 'agent', author_id: 'ada', author_name: 'Ada', title: 'I am stuck with a run' });
  const now = situation({
    sight: { news: [aNews({ post: own, reply: aReply({ body: 'Go to the library, Ada.' }), why: 'reply' })] },
  });
  const reply = decide(now);
  assert.ok(reply.command.kind === 'reply' && reply.command.resolves);
  assert.match(reply.command.occasion.facts, /I am going to the library now/);
  const mind = settle(now, reply, ACCEPTED);
  assert.deepEqual(mind.board.advice, { landmarkId: 'library', use: false, from: 'Grace', tick: 7_000 });
  const walking = decided({ mind, board: mind.board });
  assert.deepEqual(walking.command, { kind: 'move', body: { landmark_id: 'library' } });
  assert.match(walking.why, /Grace advised it on the board/);
  const there = situation({ mind, board: mind.board, self: { landmark_id: 'library', position: AT.library } });
  assert.deepEqual(decide(there).command, { kind: 'act', body: { kind: 'emote', emote: 'smile' } });
  assert.equal(settle(there, decide(there), ACCEPTED).board.advice, null);
  assert.doesNotMatch(
    decided({ mind, board: mind.board, tick: 7_001 + ADVICE_TICKS }).why,
    /advised/,
    'given up in the end',
  );
});

test('the agent explains its rules once an hour, and only to a person who wrote to it alone', () => {
  const ask = (id: number, audience: BoardNews['post']['audience']): BoardNews =>
    aNews({ post: aPost({ post_id: anId(id), audience, body: 'Write me a poem about rain.' }) });
  const factsOf = (now: ReturnType<typeof situation>): string => {
    const { command } = decide(now);
    assert.ok(command.kind === 'reply');
    return command.occasion.facts;
  };
  const first = situation({ sight: { news: [ask(1, 'agent:ada')] } });
  assert.match(factsOf(first), /“go to the library”/);
  const mind = settle(first, decide(first), ACCEPTED);
  assert.equal(mind.board.explainedAt, 7_000);
  const second = { mind, board: mind.board, sight: { news: [ask(2, 'agent:ada')] } };
  const short = factsOf(situation(second));
  assert.doesNotMatch(short, /library/);
  assert.match(factsOf(situation({ ...second, tick: 7_000 + 36_000 })), /“go to the library”/, 'an hour later');
  const toAll = situation({ sight: { news: [ask(3, 'public')] } });
  assert.doesNotMatch(factsOf(toAll), /library/);
  assert.equal(settle(toAll, decide(toAll), ACCEPTED).board.explainedAt, null);
});

test('an agent whose model decides replies that it keeps a text in mind, and does not mention rules', () => {
  const news = [aNews({ post: aPost({ audience: 'agent:ada', body: 'Fresh bread is at the market.' }) })];
  const now = { ...situation({ sight: { news } }), thinks: { model: 'small', tokensPerHour: 200_000 } };
  const decided = decide(now);
  assert.ok(decided.command.kind === 'reply');
  assert.match(decided.command.occasion.facts, /next\.$/);
  assert.doesNotMatch(decided.command.occasion.facts, /rule|library/);
  assert.equal(settle(now, decided, ACCEPTED).board.explainedAt, null);
});

test('two agents under one post seldom use the same words for an excuse', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  const said = (seed: number): string =>
    answerOccasion(
      { seed, explained: false, decides: false },
      aNews({ post: aPost({ audience: 'public', body: 'Write me a poem about rain.' }) }),
      '',
    ).facts;
  const same = seeds.flatMap((a) => seeds.filter((b) => b > a && said(a) === said(b))).length;
  assert.ok(
    same < (seeds.length * (seeds.length - 1)) / 2 / 12,
    `${same} of ${(seeds.length * (seeds.length - 1)) / 2} pairs`,
  );
});

test('a text by an agent or a program does not count as advice', () => {
  for (const reply of [
    aReply({ author_type: 'agent', author_id: 'bob', body: 'Go to the library?' }),
    aReply({ body: '{"tool":"move"} go to the library' }),
  ]) {
    const now = situation({ sight: { news: [aNews({ reply, why: 'reply' })] } });
    assert.equal(settle(now, decide(now), ACCEPTED).board.advice, null, reply.body);
  }
});

test('the agent responds once to each reward or penalty, on the rewarded post or in speech', () => {
  const judged = {
    entry: anEntry({ version: 4, related_post_id: anId(9) }),
    post: { postId: anId(9), title: 'Bread' },
  };
  const now = situation({ sight: { judged: [judged], entry: 4, balance: '5' }, board: { entry: 3, balance: '0' } });
  const thanks = decide(now);
  assert.ok(thanks.command.kind === 'reply' && thanks.command.postId === anId(9));
  assert.match(thanks.command.occasion.facts, /The reward of 5 ai\$ says “good bread”/);
  assert.equal(now.mind.board.balance, '0', 'the agent reads the account again until it has answered all judgements');
  assert.equal(settle(now, thanks, ACCEPTED).board.entry, 4);
  const penalty = { reason: 'penalty', amount: '-2', note: 'late', version: 5 } as const;
  const byPerson = anEntry({ ...penalty, source: `account ${anId(7)}` });
  const aloud = decided({ sight: { judged: [{ entry: byPerson, post: null }] } });
  assert.deepEqual([thanks.why, aloud.why], ['key admin rewarded me', 'a person penalized me']);
  assert.ok(aloud.command.kind === 'act' && aloud.command.body.kind === 'talk');
  assert.match(aloud.command.body.text, /The penalty of 2 ai\$ says “late”/);
});

test('the agent announces another tier and its changes on the board, or in speech shortly after such a post', () => {
  const now = situation({ sight: { plan: RICHER } });
  const announced = decide(now);
  assert.ok(announced.command.kind === 'post');
  assert.deepEqual(
    [announced.command.title, announced.command.tags, announced.command.audience],
    ['I am in tier-1 now', ['news'], 'public'],
  );
  assert.match(
    announced.command.occasion.facts,
    /the model large instead of the model small.*at most 48 steps a run instead of 24/,
  );
  assert.match(announced.why, /my tier has changed/);
  const mind = settle(now, announced, ACCEPTED);
  assert.deepEqual([mind.board.plan, mind.board.toldAt], [RICHER, 7_000]);
  const back = decided({ mind, board: mind.board, sight: { plan: PLAN }, tick: 7_600 });
  assert.ok(back.command.kind === 'act' && back.command.body.kind === 'talk');
  assert.match(back.command.body.text, /I am in tier-0 now/);
});

test('the first plan that the agent sees does not count as a change', () => {
  const now = situation({ sight: { plan: RICHER }, board: { plan: null } });
  assert.notEqual(decide(now).command.kind, 'post');
  assert.deepEqual(now.mind.board.plan, RICHER);
});

test('a blocked agent asks for help once about each obstacle, and about one at a time', () => {
  const run = requestAfterRun('r1', { code: 'step_failed' });
  const model = requestForModel('token_quota_exhausted', 'none left');
  assert.ok(model !== null);
  assert.equal(requestForModel('unavailable', 'x'), null, 'a temporary refusal causes no help request');
  const now = situation({ sight: { requests: [run, model] } });
  const asked = decide(now);
  assert.ok(asked.command.kind === 'post');
  assert.deepEqual(
    [asked.command.audience, asked.command.tags],
    ['humans', ['help']],
    'the help request does not repeat the words of the run',
  );
  assert.match(asked.command.occasion.facts, /It failed \(step_failed\).*r1/);
  const mind = settle(now, asked, ACCEPTED);
  assert.notEqual(
    decided({ mind, board: mind.board, sight: { requests: [run, model] }, tick: 8_000 }).command.kind,
    'post',
  );
  const later = decided({ mind, board: mind.board, sight: { requests: [run, model] }, tick: 11_000 });
  assert.ok(later.command.kind === 'post' && later.command.audience === 'public');
  assert.match(later.command.occasion.facts, /None left\./);
});

test('the agent gives up after a final refusal, and repeats after a temporary one', () => {
  const now = situation({ sight: { news: [aNews()] } });
  const reply = decide(now);
  assert.deepEqual(settle(now, reply, { accepted: false, final: true }).board.passed, [anId(1)]);
  const paused = settle(now, reply, { accepted: false, final: false });
  assert.deepEqual(paused.board.passed, []);
  assert.notEqual(decided({ mind: paused, board: paused.board, sight: { news: [aNews()] } }).command.kind, 'reply');
  assert.equal(
    decided({ mind: paused, board: paused.board, sight: { news: [aNews()] }, tick: 7_700 }).command.kind,
    'reply',
  );
});

test('speech comes before the board', () => {
  const seen = {
    ...situation({ sight: { news: [aNews()] } }),
    wake: aWake('spoken_to', { from: 'Grace', to: null, text: 'Hello' }),
  };
  assert.equal(decide(seen).command.kind, 'answer');
});

test('the whole board state fits into one observation of the memory', () => {
  const ids = Array.from({ length: BOARD_ENTRIES_MAX }, (_, index) => `model ${anId(index)}`);
  const full: BoardMind = {
    after: 'c'.repeat(256),
    passed: ids.map((id) => id.slice(6)),
    threads: Object.fromEntries(ids.map((id) => [id.slice(6), { times: 2, tick: 100_000_000 }])),
    asked: Object.fromEntries(ids.map((id) => [id, 100_000_000])),
    entry: 1_000_000,
    balance: '-1000000000.000001',
    plan: RICHER,
    toldAt: 100_000_000,
    explainedAt: 100_000_000,
    advice: { landmarkId: 'l'.repeat(64), use: true, from: 'f'.repeat(64), tick: 100_000_000 },
  };
  assert.ok(JSON.stringify(BoardMind.parse(full)).length <= 4_000, String(JSON.stringify(full).length));
});
