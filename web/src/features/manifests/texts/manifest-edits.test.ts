import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  draftText,
  edited,
  type Edits,
  filesOf,
  markedLines,
  readDraftText,
  rebased,
  resolved,
  savedDraft,
  textsOf,
  withEdits,
} from './manifest-edits.ts';

const NONE: Edits = new Map();
const saved = textsOf({
  files: [
    { path: 'workflow.yaml', text: 'w1' },
    { path: 'agents.yaml', text: 'a1' },
  ],
});

test('edits change, add and delete files, in the order of the engine', () => {
  let edits = edited(saved, NONE, ['workflow.yaml', 'w2']);
  edits = edited(saved, edits, ['tools.yaml', 't1']);
  edits = edited(saved, edits, ['agents.yaml', null]);
  assert.deepEqual(filesOf(withEdits(saved, edits)), [
    { path: 'tools.yaml', text: 't1' },
    { path: 'workflow.yaml', text: 'w2' },
  ]);
  assert.deepEqual([...saved.keys()], ['agents.yaml', 'workflow.yaml'], 'the saved files stay');
});

test('a file that is again as it was has no edit', () => {
  const edits = edited(saved, edited(saved, NONE, ['agents.yaml', 'a2']), ['agents.yaml', 'a1']);
  assert.equal(edits.size, 0);
  assert.equal(edited(saved, edited(saved, NONE, ['tools.yaml', '']), ['tools.yaml', null]).size, 0);
});

test('a draft survives a reload; foreign values are left out', () => {
  const draft = { version: '7', edits: edited(saved, NONE, ['agents.yaml', null]) };
  assert.deepEqual(readDraftText(draftText(draft)), draft);
  assert.equal(draftText({ version: '7', edits: NONE }), '');
  for (const kept of ['', '{', '[]', '{"version":7,"edits":{"x.yaml":{"was":"a","now":"b"},"agents.yaml":{"was":4}}}'])
    assert.deepEqual(readDraftText(kept), { version: null, edits: NONE });
});

test('edits of files that others left alone are kept on top of the new version', () => {
  const edits = edited(saved, NONE, ['workflow.yaml', 'w2']);
  const current = { version: '8', texts: new Map([...saved, ['agents.yaml', 'a9']]) };
  const after = rebased({ version: '7', edits }, current);
  assert.deepEqual(after, { version: '8', edits, conflicts: [] });
  assert.deepEqual(
    [...withEdits(current.texts, after.edits)],
    [
      ['agents.yaml', 'a9'],
      ['workflow.yaml', 'w2'],
    ],
  );
});

test('an edit that another person made too is dropped; a different one is a conflict until a person chooses', () => {
  let edits = edited(saved, NONE, ['workflow.yaml', 'w2']);
  edits = edited(saved, edits, ['agents.yaml', 'a2']);
  const texts = new Map([
    ['agents.yaml', 'a2'],
    ['workflow.yaml', 'w9'],
  ]);
  const after = rebased({ version: '7', edits }, { version: '8', texts });
  assert.deepEqual(
    [after.version, [...after.edits.keys()], after.conflicts],
    ['7', ['workflow.yaml'], ['workflow.yaml']],
  );
  const choose = (whose: 'mine' | 'theirs'): object => {
    const chosen = rebased(
      { version: '7', edits: resolved(after.edits, texts, ['workflow.yaml', whose]) },
      { version: '8', texts },
    );
    return [chosen.version, chosen.conflicts, withEdits(texts, chosen.edits).get('workflow.yaml')];
  };
  assert.deepEqual(choose('mine'), ['8', [], 'w2']);
  assert.deepEqual(choose('theirs'), ['8', [], 'w9']);
});

test('a file that one deleted and the other changed is a conflict', () => {
  const deleted = { version: '7', edits: edited(saved, NONE, ['agents.yaml', null]) };
  assert.deepEqual(rebased(deleted, { version: '8', texts: new Map([['agents.yaml', 'a9']]) }).conflicts, [
    'agents.yaml',
  ]);
  const changed = { version: '7', edits: edited(saved, NONE, ['agents.yaml', 'a2']) };
  assert.deepEqual(rebased(changed, { version: '8', texts: new Map() }).conflicts, ['agents.yaml']);
});

test('text typed during a save stays unsaved', () => {
  const sent = edited(saved, edited(saved, NONE, ['workflow.yaml', 'w2']), ['agents.yaml', 'a2']);
  const texts = withEdits(saved, sent);
  const newest = edited(saved, sent, ['workflow.yaml', 'w3']);
  const after = savedDraft(newest, texts, { version: '8', texts });
  assert.deepEqual(after, { version: '8', edits: new Map([['workflow.yaml', { was: 'w2', now: 'w3' }]]) });
  assert.equal(savedDraft(sent, texts, { version: '8', texts }).edits.size, 0);
});

test('lines between the common beginning and end are marked on both sides', () => {
  const signs = (mine: string, theirs: string): readonly string[] =>
    Object.values(markedLines(mine, theirs)).map((lines) =>
      lines.map(({ text, differs }) => (differs ? `!${text}` : text)).join(' '),
    );
  assert.deepEqual(signs('a\nb\nc', 'a\nx\ny\nc'), ['a !b c', 'a !x !y c']);
  assert.deepEqual(signs('a\na', 'a'), ['a !a', 'a']);
  assert.deepEqual(signs('a', 'a'), ['a', 'a']);
});
