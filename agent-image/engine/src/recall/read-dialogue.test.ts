import { deepEqual, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { readDialogue } from './read-dialogue.ts';

const lines = (...objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join('\n');
const turn = { session: '1', turn: 1, speaker: 'Mira', text: 'Lena moved to Porto', at: '2025-03-02T18:00:00Z' };
const question = { question: 'Where does Lena live?', evidence: ['1:1'] };

test('turns and questions are read in any order, with ids of session and turn', () => {
  const read = readDialogue(
    lines(
      { ...question, kind: 'single' },
      turn,
      { ...turn, session: 2, turn: 'D2:7', at: 5 },
      { ...question, evidence: ['D2:7', '1'] },
    ),
  );
  deepEqual(read, {
    ok: true,
    dialogue: {
      turns: [
        { id: '1:1', session: '1', speaker: 'Mira', text: turn.text, at: Date.UTC(2025, 2, 2, 18) },
        { id: '2:D2:7', session: '2', speaker: 'Mira', text: turn.text, at: 5 },
      ],
      questions: [
        { ...question, kind: 'single' },
        { ...question, evidence: ['2:D2:7', '1:1'], kind: 'all' },
      ],
    },
  });
});

const MISTAKES: readonly { readonly what: string; readonly file: string; readonly says: RegExp }[] = [
  { what: 'no turns', file: lines({ ...question, evidence: [] }), says: /^the file has no turns/ },
  { what: 'no questions', file: lines(turn), says: /^the file has no questions/ },
  { what: 'a line that is not JSON', file: `${lines(turn, question)}\n\n{"turn"`, says: /^line 4: it is not JSON/ },
  { what: 'a line with a list', file: `[1]\n${lines(turn, question)}`, says: /^line 1: it is not an object/ },
  {
    what: 'a turn without a speaker',
    file: lines({ ...turn, speaker: '' }, turn, question),
    says: /^line 1: speaker: .*expected \{session, turn/,
  },
  { what: 'a time in words', file: lines({ ...turn, at: 'yesterday' }, turn, question), says: /^line 1: at: / },
  {
    what: 'a text that is too long',
    file: lines({ ...turn, text: 'x'.repeat(16_001) }, turn, question),
    says: /^line 1: text: /,
  },
  { what: 'the same turn twice', file: lines(turn, question, turn), says: /^line 3: turn 1:1 was on line 1 already/ },
  {
    what: 'evidence without a turn',
    file: lines(turn, { ...question, evidence: ['1:9'] }),
    says: /^line 2: evidence 1:9 is not a turn/,
  },
  {
    what: 'evidence in two sessions',
    file: lines(turn, { ...turn, session: '2' }, { ...question, evidence: ['1'] }),
    says: /^line 3: several sessions have a turn 1; write SESSION:TURN/,
  },
];
for (const { what, file, says } of MISTAKES)
  test(`${what} is refused with the line`, () => {
    const read = readDialogue(file);
    ok(!read.ok);
    match(read.mistakes[0] ?? '', says);
  });

test('a file of mistakes ends after twenty', () => {
  const read = readDialogue('?\n'.repeat(10_000));
  ok(!read.ok);
  deepEqual([read.mistakes.length, read.mistakes.at(-1)?.slice(0, 8)], [20, 'line 20:']);
});
