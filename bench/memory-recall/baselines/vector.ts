import type { Embedder } from '@hamlet/engine/memory';
import type { DialogueTurn } from '@hamlet/engine/recall';
import { best, spoken, type Rank } from './rank.ts';

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
};

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Cosine over all turns, by the embedder that our memory uses. */
export async function vectorOnly(turns: readonly DialogueTurn[], embedder: Embedder): Promise<Rank> {
  const vectors = (await embedder.embed(turns.map(spoken))).map(unit);
  const ids = turns.map(({ id }) => id);
  return async (question, k) => {
    const [asked = new Float32Array()] = (await embedder.embed([question])).map(unit);
    return best(
      ids,
      vectors.map((vector) => product(vector, asked)),
      k,
    );
  };
}
