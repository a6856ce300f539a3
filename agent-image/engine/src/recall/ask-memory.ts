import type { Memory, RememberResult } from '../memory/index.ts';
import { byBytes } from '../context/text-piece.ts';
import { BYTES_PER_TOKEN } from '../loop/compaction.ts';
import type { DialogueQuestion, DialogueTurn } from './dialogue.ts';
import { RECALL_AT, type Answered } from './score.ts';

const countTokens = byBytes(BYTES_PER_TOKEN);
const BATCH = 500;
/** Number of hits that an agent reads, for the count of tokens. */
const READ_HITS = 10;
const ASKED_HITS = Math.max(...RECALL_AT);

export interface RememberedDialogue {
  /** The memory that stands for each turn: its own, or an earlier one with the same words. A refused turn is absent. */
  readonly memoryOf: ReadonlyMap<string, string>;
  /** Turns that the memory did not keep, by reason. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Stores every turn as evidence for everybody, in order, and completes the work that waits for an idle agent. */
export async function rememberDialogue(memory: Memory, turns: readonly DialogueTurn[]): Promise<RememberedDialogue> {
  const memoryOf = new Map<string, string>();
  const refused = new Map<string, number>();
  const keep = (turn: DialogueTurn, result: RememberResult | undefined): void => {
    if (result === undefined) return;
    if (result.outcome === 'refused') refused.set(result.reason, (refused.get(result.reason) ?? 0) + 1);
    else memoryOf.set(turn.id, result.id);
  };
  for (let from = 0; from < turns.length; from += BATCH) {
    const batch = turns.slice(from, from + BATCH);
    const results = await memory.remember(
      batch.map(({ id, session, speaker, text, at }, index) => {
        return { kind: 'evidence', id, session, turn: from + index, speaker, text, at, audience: 'public' } as const;
      }),
    );
    for (const [index, turn] of batch.entries()) keep(turn, results[index]);
  }
  while ((await memory.maintain()).more);
  return { memoryOf, refused };
}

/** Tokens of texts, estimated by their bytes as for a model that has not counted yet. */
export const tokensOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + countTokens(text), 0);

/** Asks the memory each question, as everybody. Evidence counts as found if the memory that stands for it is returned. */
export async function askMemory(
  memory: Memory,
  questions: readonly DialogueQuestion[],
  memoryOf: ReadonlyMap<string, string>,
): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  for (const { question, evidence, kind } of questions) {
    const begun = performance.now();
    const hits = await memory.search(question, { audience: 'public', k: ASKED_HITS });
    const ms = performance.now() - begun;
    answered.push({
      kind,
      evidence: evidence.map((id) => memoryOf.get(id) ?? id),
      returned: hits.map((hit) => hit.memory.id),
      tokens: tokensOf(hits.slice(0, READ_HITS).map((hit) => hit.memory.text)),
      ms,
    });
  }
  return answered;
}
