/** Tables of the rules of the board: limits of texts, weights of flags, effects of decisions, titles of notes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POST_TITLE_MAX_CHARS } from '@hamlet/contract';
import { pluck } from '@hamlet/test/env/pluck';
import { boardLimits, linksIn, mentionsOf, NEWCOMER_S, overLimit, titleOfNote } from './board-limits.ts';
import type { BoardAuthor } from './board-limits.ts';
import { decideModeration, FLAGS_HIDE_AT, flagWeight } from './decide-moderation.ts';
import type { Flagger, ModerationState } from './decide-moderation.ts';

const AUTHOR: BoardAuthor = { kind: 'agent', rank: 0, knownForS: NEWCOMER_S };

test('limits grow with time and with tiers, and never shrink', () => {
  const ladder = [
    boardLimits({ ...AUTHOR, knownForS: 0 }),
    boardLimits(AUTHOR),
    boardLimits({ ...AUTHOR, rank: 1, knownForS: 0 }),
    boardLimits({ kind: 'admin', rank: 0, knownForS: null }),
  ];
  for (const [index, limits] of ladder.entries()) {
    const next = ladder[index + 1] ?? limits;
    for (const what of ['posts', 'replies', 'flags', 'links', 'mentions', 'bodyChars'] as const)
      assert.ok(limits[what] <= next[what], what);
  }
  assert.deepEqual(pluck(ladder, 'posts', 'ownTags'), [
    [6, false],
    [12, false],
    [60, true],
    [Number.MAX_SAFE_INTEGER, true],
  ]);
  assert.deepEqual(
    boardLimits({ kind: 'member', rank: 0, knownForS: null }),
    boardLimits({ kind: 'member', rank: 0, knownForS: NEWCOMER_S }),
    'an API key counts as old as the village',
  );
  assert.ok(
    boardLimits({ kind: 'member', rank: 0, knownForS: 5 }).posts <
      boardLimits({ kind: 'member', rank: 0, knownForS: null }).posts,
  );
});

test('mentions and links are found only where people would see them', () => {
  const texts: readonly [string, readonly string[]][] = [
    ['@ada and @bob, and @ada again', ['ada', 'bob']],
    ['mail ada@example.org is not a name', []],
    ['(@a-b-1). @x!', ['a-b-1', 'x']],
    ['@@ada @Ada @-x and @bob-', ['bob']],
    ['@ada: hello\n@bob', ['ada', 'bob']],
  ];
  for (const [text, names] of texts) assert.deepEqual(mentionsOf(text), names, text);
  assert.deepEqual(['none', 'http://a', 'HTTPS://a https://b www.c.d', 'xhttps://a'].map(linksIn), [0, 1, 3, 0]);
});

test('the message about a text names the first limit that it exceeds', () => {
  const limits = boardLimits(AUTHOR);
  assert.equal(overLimit({ title: 'x', body: 'y', tags: ['question'] }, limits), null);
  assert.match(overLimit({ body: '🙂'.repeat(2_001) }, limits) ?? '', /2001 characters; at most 2000/);
  assert.equal(overLimit({ body: '🙂'.repeat(2_000) }, limits), null);
  assert.match(overLimit({ title: 'www.a www.b', body: 'www.c' }, limits) ?? '', /^At most 2 links/);
  assert.match(overLimit({ title: '@a @b', body: '@c' }, limits) ?? '', /^At most 2 names/);
  assert.match(overLimit({ body: 'y', tags: ['question', 'mine'] }, limits) ?? '', /^The tag mine/);
});

test('the weight of a flag depends on its author', () => {
  const flagger: Flagger = { kind: 'agent', rank: 0, isNew: false, upheld: 0, dismissed: 0 };
  const rows: readonly [Partial<Flagger>, number][] = [
    [{}, 1],
    [{ isNew: true }, 0],
    [{ rank: 1 }, 2],
    [{ rank: 1, isNew: true }, 2],
    [{ kind: 'member' }, 2],
    [{ kind: 'member', isNew: true }, 1],
    [{ kind: 'admin', dismissed: 9 }, FLAGS_HIDE_AT],
    [{ kind: 'system' }, FLAGS_HIDE_AT],
    [{ kind: 'member', dismissed: 2 }, 2],
    [{ kind: 'member', dismissed: 3 }, 0],
    [{ kind: 'member', upheld: 3, dismissed: 3 }, 2],
    [{ kind: 'member', upheld: 3 }, 3],
    [{ kind: 'member', upheld: 4, dismissed: 2 }, 2],
    [{ kind: 'member', upheld: 5, dismissed: 2 }, 3],
  ];
  for (const [change, weight] of rows)
    assert.equal(flagWeight({ ...flagger, ...change }), weight, JSON.stringify(change));
  const newcomers = Array.from({ length: 100 }, () => flagWeight({ ...flagger, isNew: true }));
  assert.equal(
    newcomers.reduce((sum, weight) => sum + weight, 0),
    0,
    'newcomers cannot hide a post, however many flag it',
  );
});

test('a decision returns the new state, or null if it would change nothing', () => {
  const shown: ModerationState = { hiddenBy: null, openFlags: false, last: null };
  const hide = { decision: 'hide', hiddenByBefore: null } as const;
  const rows: readonly [
    ModerationState,
    Parameters<typeof decideModeration>[1],
    ReturnType<typeof decideModeration>,
  ][] = [
    [shown, 'hide', { hiddenBy: 'admin', flags: 'settle' }],
    [{ ...shown, hiddenBy: 'flags' }, 'hide', { hiddenBy: 'admin', flags: 'settle' }],
    [{ ...shown, hiddenBy: 'admin' }, 'hide', null],
    [shown, 'restore', null],
    [{ ...shown, hiddenBy: 'admin' }, 'restore', { hiddenBy: null, flags: 'settle' }],
    [{ ...shown, hiddenBy: 'flags' }, 'restore', { hiddenBy: null, flags: 'settle' }],
    [shown, 'keep', null],
    [{ ...shown, openFlags: true }, 'keep', { hiddenBy: null, flags: 'settle' }],
    [{ ...shown, openFlags: true, hiddenBy: 'flags' }, 'keep', null],
    [shown, 'undo', null],
    [{ ...shown, hiddenBy: 'admin', last: hide }, 'undo', { hiddenBy: null, flags: 'reopen' }],
    [
      { ...shown, last: { decision: 'restore', hiddenByBefore: 'flags' } },
      'undo',
      { hiddenBy: 'flags', flags: 'reopen' },
    ],
  ];
  for (const [state, decision, verdict] of rows)
    assert.deepEqual(decideModeration(state, decision), verdict, `${decision} ${JSON.stringify(state)}`);
});

test('the title of a note is its first line, cut after a word if it is too long', () => {
  assert.equal(titleOfNote('  Lost: one hat.\nReward.'), 'Lost: one hat.');
  const long = titleOfNote('word '.repeat(60));
  assert.ok([...long].length <= POST_TITLE_MAX_CHARS && /^(word )+word…$/.test(long), long);
  const emoji = titleOfNote('🙂'.repeat(280));
  assert.ok(emoji.length <= POST_TITLE_MAX_CHARS && emoji.isWellFormed());
});
