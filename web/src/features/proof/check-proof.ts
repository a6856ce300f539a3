import type { InclusionProof } from '@hamlet/contract';
import {
  type Checkpoint,
  keyId,
  leafHash,
  readVerifierKey,
  rootByInclusion,
  sameBytes,
  type Sha256,
} from '@hamlet/core';
import type { ProofCrypto } from './browser-crypto.ts';
import { goesOnTo, type Growth, historyFault, type Kept } from './check-history.ts';
import { openCheckpoint, saidOf } from './open-checkpoint.ts';
import { differencesOf, recordIdOf, type Shown } from './sealed-differences.ts';
import { withHashes } from './with-hashes.ts';

/** All that is needed to check one record, as it was read. `growth` is null where nothing was kept. */
export interface ProofParts {
  readonly shown: Shown;
  readonly proof: InclusionProof;
  readonly keyText: string;
  readonly kept: Kept | null;
  readonly growth: Growth | null;
}

/** What is known of a proof after it was checked. `fault` says in words what is not as it must be; null where all of it is. */
export interface Checked {
  readonly fault: string | null;
  /** What the checkpoint says, where it could be read at all; believed only where there is no fault. */
  readonly checkpoint: Checkpoint | null;
  readonly key: { readonly name: string; readonly id: string } | null;
  /** Whether the log was held to what this browser had kept. */
  readonly continues: boolean;
  /** Whether the fault is that this is another log than this browser has seen. */
  readonly another: boolean;
}

/** Checks a proof by the rules of the log alone: whoever sent it is not believed. */
export async function checkProof(parts: ProofParts, crypto: ProofCrypto): Promise<Checked> {
  const { proof, keyText, kept, growth } = parts;
  const key = await withHashes((sha256) => readVerifierKey(keyText, sha256), crypto.digest);
  if (key === null)
    return {
      fault: 'The key of the village cannot be read.',
      checkpoint: null,
      key: null,
      continues: false,
      another: false,
    };
  const id = await withHashes((sha256) => keyId(key, sha256).toHex(), crypto.digest);
  const known = { checkpoint: saidOf(proof.checkpoint), key: { name: key.name, id } };
  const checkpoint = await openCheckpoint(proof.checkpoint, key, crypto);
  if (typeof checkpoint === 'string') return { ...known, fault: checkpoint, continues: false, another: false };
  const history =
    kept === null ? null : await historyFault(kept, growth, { now: { key, keyText, checkpoint }, crypto });
  return {
    ...known,
    fault: history ?? (await inclusionFault(proof, checkpoint, crypto)) ?? leafFault(parts),
    continues: goesOnTo(growth, checkpoint.size),
    another: history !== null,
  };
}

async function inclusionFault(
  { position, leaf, hashes }: InclusionProof,
  { size, root }: Checkpoint,
  crypto: ProofCrypto,
): Promise<string | null> {
  const proof = hashes.map((hash) => Uint8Array.fromBase64(hash));
  const climb = (sha256: Sha256): Uint8Array | null =>
    rootByInclusion({ position, size, hash: leafHash(Uint8Array.fromBase64(leaf), sha256), proof }, sha256);
  const led = await withHashes(climb, crypto.digest);
  return led !== null && sameBytes(led, root)
    ? null
    : 'The record does not lead to the root that was signed: it is not in this log.';
}

/** Whether what is proven is what is seen. */
function leafFault({ proof, shown }: ProofParts): string | null {
  const differences = differencesOf(shown, Uint8Array.fromBase64(proof.leaf));
  if (differences === null) return 'What is proven is no record that could be read.';
  const id = differences.find(({ what }) => what === 'id');
  if (id !== undefined) return `What is proven is another record: ${id.sealed} in place of ${recordIdOf(shown)}.`;
  const [first] = differences;
  return first === undefined
    ? null
    : `What is shown is not what was sealed: ${first.what} is shown as “${first.shown}” and was sealed as “${first.sealed}”.`;
}
