import type { Embedder } from '@hamlet/engine/memory';
import type { DialogueTurn } from '@hamlet/engine/recall';
import { best, spoken, type Rank } from './rank.ts';

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
};

/** Cosine over all turns, by the embedder that our memory uses. */
export async function vectorOnly(turns: readonly DialogueTurn[], embedder: Embedder): Promise<Rank> {
  const vectors = (await embedder.embed(turns.map(spoken))).map(unit);
  const ids = turns.map(({ id }) => id);
  return async (question, k) => {
    const [asked = new Float32Array()] = (await embedder.embed([question])).map(unit);
    const scores = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0));
    return best(ids, scores, k);
  };
}
