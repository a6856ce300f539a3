import { getLogConsistency, getLogKey, getLogProof, type InclusionProof } from '@hamlet/contract';
import type { Api, Reply } from '../../client/api.ts';
import { type Growth, type Kept, type ProofParts, saidOf } from './check-proof.ts';
import { recordIdOf, type Shown } from './sealed-differences.ts';

/** The log grows each second: what proves the record and what proves the growth are asked for anew until both are of one length. */
const ATTEMPTS = 6;

/** Reads all that is needed to check one record. */
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
    if (isOfOneLength(proof.data, parts.growth) || attempt === ATTEMPTS) return { ok: true, data: parts };
  }
}

async function readGrowth(api: Api, { checkpoint: { size } }: Kept): Promise<Reply<Growth>> {
  const reply = await api.call(getLogConsistency, { query: { from: size } });
  if (reply.ok)
    return { ok: true, data: { kind: 'proof', hashes: reply.data.hashes, checkpoint: reply.data.checkpoint } };
  return reply.refused.code === 'not_sealed' ? { ok: true, data: { kind: 'shorter' } } : reply;
}

function isOfOneLength({ checkpoint }: InclusionProof, growth: Growth | null): boolean {
  return growth?.kind !== 'proof' || saidOf(growth.checkpoint)?.size === saidOf(checkpoint)?.size;
}

/** Where a browser keeps the newest checkpoint that it has verified. Storage is per origin, so each village has its own. */
const PLACE = 'hamlet-log';
const SPLIT = '\n\n';

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What was kept; null where nothing was, or what is there cannot be read. */
export function readKept(shelf: Shelf): Kept | null {
  const text = shelf.getItem(PLACE) ?? '';
  const at = text.indexOf(SPLIT);
  const checkpoint = at < 0 ? null : saidOf(text.slice(at + SPLIT.length));
  return checkpoint === null ? null : { key: text.slice(0, at), checkpoint };
}

/** Keeps a checkpoint that was verified. @param note the signed note as it was sent */
export function keep(shelf: Shelf, keyText: string, note: string): void {
  shelf.setItem(PLACE, `${keyText.trim()}${SPLIT}${note}`);
}

/** Forgets it: for a village that was made anew, with a log and a key of its own. */
export function forget(shelf: Shelf): void {
  shelf.removeItem(PLACE);
}
