import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { scoreRecall } from '@hamlet/engine/recall';
import { bm25 } from './baselines/bm25.ts';
import { generateDialogue, SIZES } from './corpus/generate.ts';
import { askOurs, askRank } from './subjects.ts';

test('the memory finds at least what BM25 finds, and returns no forgotten turn', async () => {
  const dialogue = generateDialogue(5, 0, SIZES.small);
  const { answered, forgottenReturned } = await askOurs(dialogue);
  const words = await askRank(bm25(dialogue.turns), dialogue);
  const [ours, theirs] = [scoreRecall(answered).recall, scoreRecall(words).recall];
  ok(ours[10] >= theirs[10], `ours ${ours[10]}, BM25 ${theirs[10]}`);
  equal(forgottenReturned, 0);
});
