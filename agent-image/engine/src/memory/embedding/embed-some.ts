import type { Embedder } from '../memory.ts';
import type { GuardedStore } from '../store/guarded-store.ts';
import { inTransaction } from '../store/open-store.ts';
import { indexedText, type Parts } from '../store/parts.ts';
import { quantized } from '../store/vector-index.ts';

/** Number of texts that one step embeds. */
const EMBEDDED_A_STEP = 64;

type Vectors = readonly (Uint8Array | null)[];

/** The quantized vectors of texts; null where the embedder failed or has no vector for a text. */
export async function vectorsOf({ embed, dimensions }: Embedder, texts: readonly string[]): Promise<Vectors> {
  if (texts.length === 0) return [];
  try {
    const vectors = await embed(texts);
    return texts.map((_, index) => {
      const vector = vectors[index];
      return vector === undefined ? null : quantized(vector, dimensions);
    });
  } catch {
    // The memories stay findable by words, and the next step tries again.
    return texts.map(() => null);
  }
}

type Waiting = Readonly<{ seq: number; text: string }>;

/**
 * Embeds the next memories without a vector after the row `after`. Pass `next` as `after` of the next step; it is null once
 * no row is left.
 */
export async function embedSome(
  store: Pick<GuardedStore, 'read'>,
  embedder: Embedder,
  after: number,
): Promise<Readonly<{ embedded: number; next: number | null }>> {
  const waiting = store.read(({ table }) =>
    table.withoutVector(after, EMBEDDED_A_STEP).map(({ seq, memory }): Waiting => ({ seq, text: indexedText(memory) })),
  );
  const last = waiting.at(-1);
  if (last === undefined) return { embedded: 0, next: null };
  const texts = waiting.map(({ text }) => text);
  const vectors = await vectorsOf(embedder, texts);
  return { embedded: store.read((parts) => addVectors(parts, waiting, vectors)), next: last.seq };
}

/** Stores vectors of memories that are still there. Returns how many it stored. */
function addVectors(parts: Parts, waiting: readonly Waiting[], vectors: Vectors): number {
  const there = new Map(parts.table.rows(waiting.map(({ seq }) => seq)).map((row) => [row.seq, row.memory]));
  return inTransaction(parts.database, () => {
    let added = 0;
    for (const [index, { seq }] of waiting.entries()) {
      const [memory, vector] = [there.get(seq), vectors[index] ?? null];
      if (memory === undefined || vector === null) continue;
      parts.vectors.add(seq, parts.audiences.numberOf(memory.audience), vector);
      added += 1;
    }
    return added;
  });
}
