import { type Checkpoint, isConsistent, type NoteKey, sameBytes } from '@hamlet/core';
import type { ProofCrypto } from './browser-crypto.ts';
import { openCheckpoint, saidOf } from './open-checkpoint.ts';
import { withHashes } from './with-hashes.ts';

/** A checkpoint that this browser has verified before, and the key that had signed it. */
export interface Kept {
  readonly key: string;
  readonly checkpoint: Checkpoint;
}
/** What says that the log goes on from what was kept: the proof, or that the village has no longer as many entries. */
export type Growth =
  | { readonly kind: 'proof'; readonly hashes: readonly string[]; readonly checkpoint: string }
  | { readonly kind: 'shorter' };
/** The log as it is now: its checkpoint, opened, and its key. */
export interface Present {
  readonly key: NoteKey;
  readonly keyText: string;
  readonly checkpoint: Checkpoint;
}

/** Whether the log is still the one that this browser has seen; otherwise what is wrong, in words. */
export async function historyFault(
  kept: Kept,
  growth: Growth | null,
  at: { readonly now: Present; readonly crypto: ProofCrypto },
): Promise<string | null> {
  const { now } = at;
  const size = kept.checkpoint.size;
  if (kept.key !== now.keyText.trim())
    return `This browser knows this village by another key: ${kept.key.split('+').slice(0, 2).join('+')}.`;
  if (growth === null || growth.kind === 'shorter' || now.checkpoint.size < size)
    return `The log had ${size.toLocaleString('en')} entries when this browser looked last, and has fewer now.`;
  return growthFault(kept, growth, at);
}

async function growthFault(
  { checkpoint: first }: Kept,
  growth: Growth & { readonly kind: 'proof' },
  { now, crypto }: { readonly now: Present; readonly crypto: ProofCrypto },
): Promise<string | null> {
  const second = await openCheckpoint(growth.checkpoint, now.key, crypto);
  if (typeof second === 'string') return 'What says that the log goes on is not signed by that key.';
  if (second.size === now.checkpoint.size && !sameBytes(second.root, now.checkpoint.root))
    return 'The village has signed two logs of one length.';
  const proof = growth.hashes.map((hash) => Uint8Array.fromBase64(hash));
  const goesOn = await withHashes((sha256) => isConsistent({ first, second, proof }, sha256), crypto.digest);
  return goesOn
    ? null
    : `The log does not go on from the ${first.size.toLocaleString('en')} entries that this browser has seen: it was rewritten.`;
}

/** Whether the growth that was shown ends at a length. */
export function goesOnTo(growth: Growth | null, size: number): boolean {
  return growth?.kind === 'proof' && saidOf(growth.checkpoint)?.size === size;
}
