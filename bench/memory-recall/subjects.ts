import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashedEmbedder, openMemory, type Embedder, type Memory } from '@hamlet/engine/memory';
import {
  askMemory,
  rememberDialogue,
  tokensOf,
  type Answered,
  type Dialogue,
  type DialogueTurn,
} from '@hamlet/engine/recall';
import { bm25 } from './baselines/bm25.ts';
import { fused } from './baselines/fused.ts';
import type { Rank } from './baselines/rank.ts';
import { vectorOnly } from './baselines/vector.ts';
import type { GeneratedDialogue } from './corpus/generate.ts';

export const BASELINES = ['bm25', 'vector', 'rrf'] as const;
export type SubjectName = 'ours' | (typeof BASELINES)[number];

const DAY_MS = 86_400_000;
const HITS = 20;
const READ_HITS = 10;

type Kept = Pick<GeneratedDialogue, 'turns' | 'pinned' | 'forgotten'>;
/** `now`: the time of the questions, by default a day after the last turn. `embedder`: by default the product's. */
type Life = Kept & { readonly now?: number; readonly embedder?: Embedder };

/** A memory in a folder of its own that remembers the turns, pins what the speaker asked to keep, and forgets the rest. */
export async function withMemory<Result>(
  { turns, pinned, forgotten, now = (turns.at(-1)?.at ?? 0) + DAY_MS, embedder = hashedEmbedder() }: Life,
  use: (memory: Memory, memoryOf: ReadonlyMap<string, string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-memory-recall-'));
  const memory = openMemory({ dir: folder, clock: () => now, embedder });
  try {
    const { memoryOf } = await rememberDialogue(memory, turns);
    const idsOf = (ids: readonly string[]): readonly string[] => ids.flatMap((id) => memoryOf.get(id) ?? []);
    for (const id of idsOf(pinned)) memory.pin(id, { audience: 'public' });
    memory.forget(idsOf(forgotten), { audience: 'public' });
    return await use(memory, memoryOf);
  } finally {
    memory.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks a ranking every question; tokens are those of the first ten turns. */
export async function askRank(rank: Rank, { turns, questions }: Dialogue): Promise<readonly Answered[]> {
  const texts = new Map(turns.map(({ id, text }) => [id, text]));
  const answered: Answered[] = [];
  for (const { question, evidence, kind } of questions) {
    const begun = performance.now();
    const returned = await rank(question, HITS);
    const ms = performance.now() - begun;
    const tokens = tokensOf(returned.slice(0, READ_HITS).map((id) => texts.get(id) ?? ''));
    answered.push({ kind, evidence, returned, tokens, ms });
  }
  return answered;
}

const isKept = ({ forgotten }: Kept): ((turn: DialogueTurn) => boolean) => {
  const gone = new Set(forgotten);
  return ({ id }) => !gone.has(id);
};

/** The answers of an embedder's vectors alone, without the forgotten turns. */
export async function askVectors(dialogue: GeneratedDialogue, embedder: Embedder): Promise<readonly Answered[]> {
  return askRank(await vectorOnly(dialogue.turns.filter(isKept(dialogue)), embedder), dialogue);
}

/** The answers of the baselines, which never had the forgotten turns. */
export async function askBaselines(
  dialogue: GeneratedDialogue,
): Promise<Readonly<Record<(typeof BASELINES)[number], readonly Answered[]>>> {
  const turns = dialogue.turns.filter(isKept(dialogue));
  const [words, vector] = [bm25(turns), await vectorOnly(turns, hashedEmbedder())];
  return {
    bm25: await askRank(words, dialogue),
    vector: await askRank(vector, dialogue),
    rrf: await askRank(fused(words, vector), dialogue),
  };
}

export interface OurAnswers {
  readonly answered: readonly Answered[];
  /** Forgotten turns among all hits. */
  readonly forgottenReturned: number;
}

export async function askOurs(dialogue: GeneratedDialogue, embedder = hashedEmbedder()): Promise<OurAnswers> {
  return withMemory({ ...dialogue, embedder }, async (memory, memoryOf) => {
    const answered = await askMemory(memory, dialogue.questions, memoryOf);
    const gone = new Set(dialogue.forgotten.map((id) => memoryOf.get(id) ?? id));
    const returned = answered.flatMap(({ returned: ids }) => ids);
    return { answered, forgottenReturned: returned.filter((id) => gone.has(id)).length };
  });
}
