import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { scoreByKind, type Answered } from '@hamlet/engine/recall';
import { bm25 } from '../baselines/bm25.ts';
import { generateDialogue, SIZES } from './generate.ts';
import { QUESTION_KINDS } from './questions.ts';

const PERSONAS = 6;
const all = Array.from({ length: PERSONAS }, (_, number) => generateDialogue(1, number, SIZES.standard));

test('a seed gives the same conversation each time, and another seed another one', () => {
  const [first, again, other] = [1, 1, 2].map((seed) => JSON.stringify(generateDialogue(seed, 0, SIZES.small)));
  equal(first, again);
  ok(first !== other);
});

test('each question names turns of its conversation, and only those for forgotten turns name none', () => {
  for (const { turns, questions, pinned, forgotten } of all) {
    const ids = new Set(turns.map(({ id }) => id));
    equal(ids.size, turns.length);
    const gone = new Set(forgotten);
    for (const id of [...pinned, ...forgotten]) ok(ids.has(id));
    for (const { question, evidence, kind } of questions) {
      ok(
        evidence.every((id) => ids.has(id) && !gone.has(id)),
        question,
      );
      equal(evidence.length === 0, kind === 'forgotten', question);
      if (evidence.length > 1) ok(['multi', 'contradiction', 'temporal'].includes(kind), question);
      else ok(kind !== 'multi' && kind !== 'contradiction', question);
      ok(!/[{}]|undefined/.test(question), question);
    }
  }
  const kinds = new Set(all.flatMap(({ questions }) => questions.map(({ kind }) => kind)));
  deepEqual([...kinds].toSorted(), QUESTION_KINDS.toSorted());
});

test('plain BM25 finds in the corpus about what it finds in LoCoMo: one turn in 60 to 80 of 100, several sessions in 30 to 40', async () => {
  const answered: Answered[] = [];
  for (const { turns, questions } of all) {
    const rank = bm25(turns);
    for (const asked of questions)
      answered.push({ ...asked, returned: await rank(asked.question, 10), tokens: 0, ms: 0 });
  }
  const kinds = scoreByKind(answered);
  const [single = 0, multi = 0] = ['single', 'multi'].map((kind) => kinds.get(kind)?.recall[10]);
  ok(single > 0.6 && single < 0.8, `single ${single}`);
  ok(multi > 0.3 && multi < 0.4, `multi ${multi}`);
});
