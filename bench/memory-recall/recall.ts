import type { Embedder } from '@hamlet/engine/memory';
import { RECALL_AT, scoreByKind, scoreRecall, type Answered } from '@hamlet/engine/recall';
import type { Row } from '../report.ts';
import { generateDialogue, SIZES, type GeneratedDialogue } from './corpus/generate.ts';
import { askBaselines, askOurs, askVectors, BASELINES, type SubjectName } from './subjects.ts';

const PERSONAS_PER_SEED = 6;
const MULTI_HOP_TARGET = 1.3;

export type AllAnswers = Readonly<Record<SubjectName, readonly Answered[]>>;

type Figure = (answered: readonly Answered[]) => number;

function beside(
  metric: string,
  unit: string,
  { answers, figure }: { readonly answers: AllAnswers; readonly figure: Figure },
): Row {
  const peers = Object.fromEntries(BASELINES.map((name) => [name, figure(answers[name])]));
  const better = unit === '%' ? 'higher' : 'lower';
  return { metric, unit, better, ours: figure(answers.ours), peers, target: null };
}

/** Our figure divided by that of the best baseline. */
function overBest(
  metric: string,
  target: number,
  { answers, figure }: { readonly answers: AllAnswers; readonly figure: Figure },
): Row {
  const best = Math.max(...BASELINES.map((name) => figure(answers[name])));
  return { metric, unit: '×', better: 'higher', ours: figure(answers.ours) / best, peers: {}, target };
}

const recall =
  (k: (typeof RECALL_AT)[number], kind?: string): Figure =>
  (answered) =>
    100 * ((kind === undefined ? scoreRecall(answered) : scoreByKind(answered).get(kind))?.recall[k] ?? 0);

/** The share of updates whose newer turn ranks before all turns that it replaces, among the updates with both in the hits. */
export function newerFirst(dialogues: readonly GeneratedDialogue[]): Figure {
  const questions = dialogues.flatMap((dialogue) => dialogue.questions);
  return (answered) => {
    const decided = answered.flatMap(({ returned, evidence }, at) => {
      const stale = (questions[at]?.stale ?? []).map((id) => returned.indexOf(id)).filter((rank) => rank >= 0);
      const newest = returned.indexOf(evidence[0] ?? '');
      return stale.length > 0 && newest >= 0 ? [newest < Math.min(...stale) ? 1 : 0] : [];
    });
    return (100 * decided.reduce<number>((sum, each) => sum + each, 0)) / Math.max(1, decided.length);
  };
}

/** Rows of recall, tokens and time over all dialogues. */
export function recallRows(dialogues: readonly GeneratedDialogue[], answers: AllAnswers): readonly Row[] {
  const row = (metric: string, unit: string, figure: Figure): Row => beside(metric, unit, { answers, figure });
  const kinds = [...scoreByKind(answers.ours)].filter(([, { questions }]) => questions > 0).map(([kind]) => kind);
  return [
    ...RECALL_AT.map((k) => overBest(`recallAt${k}OverBestBaseline`, 1, { answers, figure: recall(k) })),
    overBest('multiHopOverBestBaseline', MULTI_HOP_TARGET, { answers, figure: recall(10, 'multi') }),
    ...RECALL_AT.map((k) => row(`recallAt${k}`, '%', recall(k))),
    ...kinds.flatMap((kind) => RECALL_AT.map((k) => row(`recallAt${k}.${kind}`, '%', recall(k, kind)))),
    row('newerFirst', '%', newerFirst(dialogues)),
    row('tokensOfTen', 'tokens', (answered) => scoreRecall(answered).tokens),
    row('searchP95Ms', 'ms', (answered) => scoreRecall(answered).p95Ms),
  ];
}

const dialoguesOf = (seeds: readonly number[]): readonly GeneratedDialogue[] =>
  seeds.flatMap((seed) =>
    Array.from({ length: PERSONAS_PER_SEED }, (_, number) => generateDialogue(seed, number, SIZES.standard)),
  );

/** The same memory with the vectors of a model, compared with hashed vectors and with the model's vectors alone. */
export async function measureModel(seeds: readonly number[], embedder: Embedder): Promise<readonly Row[]> {
  const answers: Record<'model' | 'hashed' | 'vector', Answered[]> = { model: [], hashed: [], vector: [] };
  for (const dialogue of dialoguesOf(seeds)) {
    answers.model.push(...(await askOurs(dialogue, embedder)).answered);
    answers.hashed.push(...(await askOurs(dialogue)).answered);
    answers.vector.push(...(await askVectors(dialogue, embedder)));
  }
  const row = (metric: string, figure: Figure): Row => ({
    metric: `${metric}.${embedder.id}`,
    unit: '%',
    better: 'higher',
    ours: figure(answers.model),
    peers: { hashed: figure(answers.hashed), vector: figure(answers.vector) },
    target: null,
  });
  return [
    ...RECALL_AT.map((k) => row(`recallAt${k}`, recall(k))),
    ...['multi', 'paraphrase'].map((kind) => row(`recallAt10.${kind}`, recall(10, kind))),
  ];
}

/** Asks our memory and the baselines all questions of six personas for each seed. */
export async function measureRecall(seeds: readonly number[]): Promise<readonly Row[]> {
  const dialogues = dialoguesOf(seeds);
  const answers: Record<SubjectName, Answered[]> = { ours: [], bm25: [], vector: [], rrf: [] };
  let forgottenReturned = 0;
  for (const [at, dialogue] of dialogues.entries()) {
    console.log(
      `conversation ${at + 1} of ${dialogues.length}: ${dialogue.turns.length} turns, ${dialogue.questions.length} questions`,
    );
    const ours = await askOurs(dialogue);
    forgottenReturned += ours.forgottenReturned;
    answers.ours.push(...ours.answered);
    const baselines = await askBaselines(dialogue);
    for (const name of BASELINES) answers[name].push(...baselines[name]);
  }
  const forgotten: Row = {
    metric: 'forgottenReturned',
    unit: '',
    better: 'lower',
    ours: forgottenReturned,
    peers: {},
    target: 0,
  };
  return [...recallRows(dialogues, answers), forgotten];
}
