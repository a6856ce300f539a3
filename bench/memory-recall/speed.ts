import type { Memory } from '@hamlet/engine/memory';
import { p95, rememberDialogue } from '@hamlet/engine/recall';
import type { Row } from '../report.ts';
import { bm25 } from './baselines/bm25.ts';
import { generateDialogue, SIZES, type GeneratedDialogue } from './corpus/generate.ts';
import { askRank, withMemory } from './subjects.ts';

/** Memories in one store, and the time in which 95 % of the searches have to end. */
const STORES = [
  { name: '10k', memories: 10_000, targetMs: 5 },
  { name: '100k', memories: 100_000, targetMs: 25 },
] as const;
const QUESTIONS = 300;
/** Searches that fill caches, before the clock runs. */
const WARM_UP = 20;
const HITS = 10;
const EMPTY = { turns: [], pinned: [], forgotten: [], now: Date.UTC(2027, 0, 1) } as const;

/** Adds conversations of new personas until the memory has as many entries as asked; returns all questions and the turns. */
async function fill(
  memory: Memory,
  seed: number,
  memories: number,
): Promise<Pick<GeneratedDialogue, 'turns' | 'questions'>> {
  const dialogues: GeneratedDialogue[] = [];
  while (memory.stats().evidence < memories) {
    const dialogue = generateDialogue(seed, dialogues.length, SIZES.standard);
    dialogues.push(dialogue);
    await rememberDialogue(memory, dialogue.turns);
  }
  const turns = dialogues.flatMap((dialogue) => dialogue.turns);
  const questions = dialogues.flatMap((dialogue) => dialogue.questions);
  const every = Math.ceil(questions.length / QUESTIONS);
  return { turns, questions: questions.filter((_, at) => at % every === 0) };
}

async function timeSearches(memory: Memory, questions: readonly { readonly question: string }[]): Promise<number> {
  const times: number[] = [];
  for (const [at, { question }] of [...questions.slice(0, WARM_UP), ...questions].entries()) {
    const asked = performance.now();
    await memory.search(question, { audience: 'public', k: HITS });
    if (at >= WARM_UP) times.push(performance.now() - asked);
  }
  return p95(times);
}

async function measureStore(
  seed: number,
  { name, memories, targetMs }: (typeof STORES)[number],
): Promise<readonly Row[]> {
  return withMemory(EMPTY, async (memory) => {
    const begun = performance.now();
    const dialogue = await fill(memory, seed, memories);
    const { evidence, known, refused, bytes } = memory.stats();
    const remember = (performance.now() - begun) / dialogue.turns.length;
    console.log(
      `${evidence} memories of ${dialogue.turns.length} turns: ${known} known, ${refused} refused, ${bytes >> 20} MiB`,
    );
    const search = await timeSearches(memory, dialogue.questions);
    const words = await askRank(bm25(dialogue.turns), dialogue);
    const peers = { bm25: p95(words.map(({ ms }) => ms)) };
    return [
      { metric: `searchP95Ms${name}`, unit: 'ms', better: 'lower', ours: search, peers, target: targetMs },
      { metric: `rememberMs${name}`, unit: 'ms', better: 'lower', ours: remember, peers: {}, target: null },
    ];
  });
}

/** Times searches of one process among 10,000 and 100,000 memories for everybody; BM25 keeps its index in memory. */
export async function measureSpeed(seed: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const store of STORES) rows.push(...(await measureStore(seed, store)));
  return rows;
}
