import type { InclusionProof } from '@hamlet/contract';
import { type Checkpoint, isConsistent, keyId, leafHash, type NoteKey, openNote, readCheckpoint, readNote, readVerifierKey, rootByInclusion, sameBytes, type Sha256 } from '@hamlet/core';
import { type ProofCrypto, withHashes } from './proof-crypto.ts';
import { differencesOf, recordIdOf, type Shown } from './sealed-differences.ts';

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
async function historyFault(
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
function goesOnTo(growth: Growth | null, size: number): boolean {
  return growth?.kind === 'proof' && saidOf(growth.checkpoint)?.size === size;
}

/** What a signed note says, believed or not; null where it is no checkpoint. */
export function saidOf(note: string): Checkpoint | null {
  return readCheckpoint(readNote(note)?.text ?? '');
}

/** Whether a key has signed a note. Core asks at once whether a signature is good, so each is checked beforehand. */
async function isSigned(note: string, key: NoteKey, crypto: ProofCrypto): Promise<boolean> {
  const read = readNote(note);
  if (read === null) return false;
  const message = new TextEncoder().encode(read.text);
  const good = await Promise.all(
    read.signatures.map(async ({ signature }) =>
      (await crypto.verify(message, signature, key.publicKey)) ? signature.toHex() : null,
    ),
  );
  return withHashes(
    (sha256) =>
      openNote(note, key, { sha256, verify: (_message, signature) => good.includes(signature.toHex()) }) !== null,
    crypto.digest,
  );
}

/** The checkpoint of a log in a note that the log's key has signed; otherwise what is wrong with it. The origin of a log is the name of its key. */
async function openCheckpoint(note: string, key: NoteKey, crypto: ProofCrypto): Promise<Checkpoint | string> {
  if (!(await isSigned(note, key, crypto))) return 'The checkpoint is not signed by that key.';
  const said = saidOf(note);
  return said === null || said.origin !== key.name ? 'The checkpoint is not one of this log.' : said;
}
