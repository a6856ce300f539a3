import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { choosePipeline, type PipelineOffer, type RoutedTask } from './choose-pipeline.ts';

const PIPELINES: readonly PipelineOffer[] = [
  { id: 'full', modes: ['implement'], tags: ['code'], score: 10 },
  { id: 'quick', modes: ['implement', 'fix'], score: 5 },
  { id: 'look', modes: ['analysis_only'] },
  { id: 'any' },
  { id: 'any_again', modes: [], tags: [], score: 0 },
];

const aTask = (changes: Partial<RoutedTask> = {}): RoutedTask => ({ mode: null, tags: [], overrides: [], ...changes });

function chosen(task: Partial<RoutedTask>, pipelines = PIPELINES): string {
  const result = choosePipeline(pipelines, aTask(task));
  return result.ok ? result.pipeline.id : result.failure.code;
}

test('mode and tags decide which pipelines fit, the score which one is chosen, and the order between equal scores', () => {
  assert.equal(chosen({ mode: 'implement', tags: ['code', 'more'] }), 'full');
  assert.equal(chosen({ mode: 'implement' }), 'quick');
  assert.equal(chosen({ mode: 'fix', tags: ['code'] }), 'quick');
  assert.equal(chosen({ mode: 'talk' }), 'any');
  assert.equal(chosen({}), 'any');
  assert.equal(chosen({}, PIPELINES.toReversed()), 'any_again');
});

test('overrides change the choice of the pipeline', () => {
  const implement = { mode: 'implement', tags: ['code'] };
  assert.equal(chosen(implement), 'full');
  assert.equal(chosen({ ...implement, overrides: [{ kind: 'analysis_only' }] }), 'look');
  assert.equal(chosen({ ...implement, overrides: [{ kind: 'dry_run' }] }), 'full');
  const dry = [...PIPELINES, { id: 'dry', modes: ['dry_run'], tags: ['data'] }];
  assert.equal(chosen({ ...implement, overrides: [{ kind: 'dry_run' }] }, dry), 'full');
  assert.equal(chosen({ tags: ['data'], overrides: [{ kind: 'dry_run' }] }, dry), 'dry');
});

test('the decision has the reason of every candidate', () => {
  const result = choosePipeline(PIPELINES, aTask({ mode: 'implement', overrides: [{ kind: 'analysis_only' }] }));
  assert.deepEqual(result.decision, {
    kind: 'pipeline',
    chosen: 'look',
    reason: 'it names the mode analysis_only, and no other one does',
    candidates: [
      { id: 'full', fits: false, score: 10, reasons: ['it names the mode implement', 'the task lacks the tags code'] },
      { id: 'quick', fits: true, score: 5, reasons: ['it names the mode implement', 'it needs no tags'] },
      {
        id: 'look',
        fits: true,
        score: 0,
        reasons: ['it names the mode analysis_only of the override', 'it needs no tags'],
      },
      { id: 'any', fits: true, score: 0, reasons: ['it takes every mode', 'it needs no tags'] },
      { id: 'any_again', fits: true, score: 0, reasons: ['it takes every mode', 'it needs no tags'] },
    ],
  });
  const scored = choosePipeline(PIPELINES, aTask({ mode: 'fix' }));
  assert.equal(scored.decision.reason, 'it fits, and is the first of 3 with the highest score (5)');
});

test('a task that no pipeline fits is refused, with the reasons', () => {
  const result = choosePipeline(PIPELINES.slice(0, 1), aTask({ mode: 'talk', tags: ['x'] }));
  assert.ok(!result.ok);
  assert.deepEqual([result.failure.category, result.failure.code], ['routing', 'no_pipeline']);
  assert.match(result.failure.message, /no pipeline fits the mode talk and the tags x: correct the task, or add/);
  assert.equal(result.decision.chosen, null);
  assert.deepEqual(result.decision.candidates[0]?.reasons, [
    'it takes the modes implement, and the task has talk',
    'the task lacks the tags code',
  ]);
});

test('random choices: the same one twice, it fits, and no better one is left out', (context) => {
  const seed = seedOf();
  context.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  const some = (names: readonly string[]): readonly string[] => names.filter(() => dice.chance(0.3));
  for (let round = 0; round < 1_000; round += 1) {
    const pipelines = Array.from({ length: 1 + dice.below(5) }, (_, at) => ({
      id: `p${at}`,
      modes: some(['a', 'b', 'analysis_only']),
      tags: some(['x', 'y']),
      score: dice.below(3),
    }));
    const mode = dice.chance(0.3) ? null : dice.of(['a', 'b']);
    const overrides = dice.chance(0.3) ? [{ kind: 'analysis_only' } as const] : [];
    const task = aTask({ mode, tags: some(['x', 'y', 'z']), overrides });
    const result = choosePipeline(pipelines, task);
    assert.deepEqual(choosePipeline(pipelines, task), result);
    const fits = ({ modes, tags }: (typeof pipelines)[number], asked: string | null): boolean =>
      (asked === null ? modes.length === 0 : modes.includes(asked)) && tags.every((tag) => task.tags.includes(tag));
    const safe = overrides.length === 0 ? [] : pipelines.filter((pipeline) => fits(pipeline, 'analysis_only'));
    const usual = pipelines.filter((pipeline) => fits(pipeline, null) || (mode !== null && fits(pipeline, mode)));
    const open = safe.length > 0 ? safe : usual;
    const best = Math.max(...open.map(({ score }) => score));
    assert.equal(result.decision.chosen, open.find(({ score }) => score === best)?.id ?? null);
  }
});
