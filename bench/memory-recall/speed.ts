import type { Memory } from '@hamlet/engine/memory';
import { p95, rememberDialogue, type DialogueQuestion, type DialogueTurn } from '@hamlet/engine/recall';
import type { Row } from '../report.ts';
import { bm25 } from './baselines/bm25.ts';
import { generateDialogue, SIZES } from './corpus/generate.ts';
import { askRank, withMemory } from './subjects.ts';

/** Sizes at which the searches of one growing store are timed, and the time in which 95 % of them have to end. */
const STORES = [
  { name: '10k', memories: 10_000, targetMs: 5 },
  { name: '100k', memories: 100_000, targetMs: 25 },
] as const;
const QUESTIONS = 300;
/** Questions to BM25, which sorts all that it finds. */
const PEER_QUESTIONS = 60;
/** Searches that fill caches, before the clock runs. */
const WARM_UP = 20;
const HITS = 10;
const EMPTY = { turns: [], pinned: [], forgotten: [], now: Date.UTC(2027, 0, 1) } as const;

interface Corpus {
  readonly turns: DialogueTurn[];
  readonly questions: DialogueQuestion[];
  dialogues: number;
}

/**
 * Adds conversations of new personas until the memory has the requested number of entries. Returns the ms of each turn.
 */
async function fill(
  memory: Memory,
  corpus: Corpus,
  { seed, memories }: { seed: number; memories: number },
): Promise<number> {
  const from = corpus.turns.length;
  let ms = 0;
  while (memory.stats().evidence < memories) {
    const { turns: said, questions } = generateDialogue(seed, corpus.dialogues, SIZES.standard);
    // With the same speakers the memory would already know more and more of the small talk, and would grow more and
    // more slowly.
    const turns = said.map((turn) => ({ ...turn, speaker: `${turn.speaker} ${corpus.dialogues}` }));
    corpus.dialogues += 1;
    corpus.turns.push(...turns);
    corpus.questions.push(...questions);
    const begun = performance.now();
    await rememberDialogue(memory, turns);
    ms += performance.now() - begun;
  }
  return ms / (corpus.turns.length - from);
}

/** An even sample of all questions. */
const sampled = (questions: readonly DialogueQuestion[], count: number): readonly DialogueQuestion[] => {
  const every = Math.ceil(questions.length / count);
  return questions.filter((_, at) => at % every === 0);
};

const processorMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};

async function timeSearches(memory: Memory, questions: readonly DialogueQuestion[]) {
  const [times, processor]: [number[], number[]] = [[], []];
  for (const [at, { question }] of [...questions.slice(0, WARM_UP), ...questions].entries()) {
    const [asked, used] = [performance.now(), process.cpuUsage()];
    await memory.search(question, { audience: 'public', k: HITS });
    if (at < WARM_UP) continue;
    times.push(performance.now() - asked);
    processor.push(processorMs(used));
  }
  return { ms: p95(times), processorMs: p95(processor) };
}

async function measureStore(
  memory: Memory,
  corpus: Corpus,
  { seed, store: { name, memories, targetMs } }: { seed: number; store: (typeof STORES)[number] },
): Promise<readonly Row[]> {
  const remember = await fill(memory, corpus, { seed, memories });
  const { evidence, known, refused, bytes } = memory.stats();
  const counts = `${known} known, ${refused} refused, ${bytes >> 20} MiB`;
  console.log(
    `${evidence} memories of ${corpus.turns.length} turns: ${counts}; ${processorMs()} ms of processor so far`,
  );
  const search = await timeSearches(memory, sampled(corpus.questions, QUESTIONS));
  const asked = { turns: corpus.turns, questions: sampled(corpus.questions, PEER_QUESTIONS) };
  const words = await askRank(bm25(corpus.turns), asked);
  const row = { unit: 'ms', better: 'lower', peers: {}, target: null } as const;
  const peers = { bm25: p95(words.map(({ ms }) => ms)) };
  return [
    { ...row, metric: `searchP95Ms${name}`, ours: search.ms, peers, target: targetMs },
    { ...row, metric: `searchCpuP95Ms${name}`, ours: search.processorMs },
    { ...row, metric: `rememberMs${name}`, ours: remember },
  ];
}

/** Times searches of one process among 10,000 and 100,000 memories for everybody; BM25 keeps its index in memory. */
export async function measureSpeed(seed: number): Promise<readonly Row[]> {
  return withMemory(EMPTY, async (memory) => {
    const rows: Row[] = [];
    const corpus: Corpus = { turns: [], questions: [], dialogues: 0 };
    for (const store of STORES) rows.push(...(await measureStore(memory, corpus, { seed, store })));
    return rows;
  });
}
