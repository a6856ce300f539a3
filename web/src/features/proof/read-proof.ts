import { getLogConsistency, getLogKey, getLogProof, type InclusionProof } from '@hamlet/contract';
import type { Api, Reply } from '../../client/api.ts';
import { type Growth, type Kept, type ProofParts, checkpointIn } from './check-proof.ts';
import { recordIdOf, type Shown } from './sealed-differences.ts';

/**
 * Maximum number of times that the page reads both proofs. It repeats until both cover the same length, because the log
 * grows every second.
 */
const ATTEMPTS = 6;

/** Reads everything that a check of one record needs. */
export async function readProof(api: Api, shown: Shown, kept: Kept | null): Promise<Reply<ProofParts>> {
  const params = { record_id: recordIdOf(shown) };
  for (let attempt = 1; ; attempt += 1) {
    const [key, proof, growth] = await Promise.all([
      api.call(getLogKey, {}),
      api.call(getLogProof, { params }),
      kept === null ? null : readGrowth(api, kept),
    ]);
    if (!proof.ok) return proof;
    if (!key.ok) return key;
    if (growth !== null && !growth.ok) return growth;
    const parts: ProofParts = {
      shown,
      proof: proof.data,
      keyText: key.data,
      kept,
      growth: growth === null ? null : growth.data,
    };
    if (areOfOneLength(proof.data, parts.growth) || attempt === ATTEMPTS) return { ok: true, data: parts };
  }
}

async function readGrowth(api: Api, { checkpoint: { size } }: Kept): Promise<Reply<Growth>> {
  const reply = await api.call(getLogConsistency, { query: { from: size } });
  if (reply.ok)
    return { ok: true, data: { kind: 'proof', hashes: reply.data.hashes, checkpoint: reply.data.checkpoint } };
  return reply.refused.code === 'not_sealed' ? { ok: true, data: { kind: 'shorter' } } : reply;
}

function areOfOneLength({ checkpoint }: InclusionProof, growth: Growth | null): boolean {
  return growth?.kind !== 'proof' || checkpointIn(growth.checkpoint)?.size === checkpointIn(checkpoint)?.size;
}

/** The storage key of the newest verified checkpoint. Storage is per origin, so each village has its own. */
const STORAGE_KEY = 'hamlet-log';
const SPLIT = '\n\n';

type CheckpointStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The kept checkpoint; null if there is none, or it is unreadable. */
export function readKept(storage: CheckpointStorage): Kept | null {
  const text = storage.getItem(STORAGE_KEY) ?? '';
  const at = text.indexOf(SPLIT);
  const checkpoint = at < 0 ? null : checkpointIn(text.slice(at + SPLIT.length));
  return checkpoint === null ? null : { key: text.slice(0, at), checkpoint };
}

/**
 * Keeps a verified checkpoint.
 * @param note the signed note as received
 */
export function keepCheckpoint(storage: CheckpointStorage, keyText: string, note: string): void {
  storage.setItem(STORAGE_KEY, `${keyText.trim()}${SPLIT}${note}`);
}

/** Forgets the kept checkpoint, for a village that was installed again with a new log and key. */
export function forgetCheckpoint(storage: CheckpointStorage): void {
  storage.removeItem(STORAGE_KEY);
}
