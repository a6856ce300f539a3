import { getLogConsistency, getLogKey, getLogProof, type InclusionProof } from '@hamlet/contract';
import type { Checkpoint, NoteKey, Sha256 } from '@hamlet/core';
import {
  isConsistent,
  keyId,
  leafHash,
  openNote,
  readCheckpoint,
  readNote,
  readVerifierKey,
  rootByInclusion,
  sameBytes,
} from '@hamlet/core';
import { type ProofCrypto, withHashes } from './proof-crypto.ts';
import { differencesOf, recordIdOf, type Shown } from './sealed-differences.ts';
import type { Api, Reply } from '../../client/api.ts';

/** The answers of the API that a check of one record needs. `growth` is null if the browser has kept no checkpoint. */
export interface ProofParts {
  readonly shown: Shown;
  readonly proof: InclusionProof;
  readonly keyText: string;
  readonly kept: Kept | null;
  readonly growth: Growth | null;
}

/** The result of a check. `fault` is null if the proof holds. */
export interface Checked {
  readonly fault: string | null;
  /** The checkpoint, if it could be read. Trust it only if `fault` is null. */
  readonly checkpoint: Checkpoint | null;
  readonly key: { readonly name: string; readonly id: string } | null;
  /** True if the log is proven to continue the kept checkpoint. Trust it only if `fault` is null. */
  readonly continues: boolean;
  /** True if the fault is that the log is not proven to continue the checkpoint kept in this browser. */
  readonly differentLog: boolean;
}

/** Checks a proof by the rules of the log alone, without trust in the village that sent it. */
export async function checkProof(parts: ProofParts, crypto: ProofCrypto): Promise<Checked> {
  const { proof, keyText, kept, growth } = parts;
  const key = await withHashes((sha256) => readVerifierKey(keyText, sha256), crypto.digest);
  if (key === null)
    return {
      fault: 'The key of the village cannot be read.',
      checkpoint: null,
      key: null,
      continues: false,
      differentLog: false,
    };
  const id = await withHashes((sha256) => keyId(key, sha256).toHex(), crypto.digest);
  const known = { checkpoint: checkpointIn(proof.checkpoint), key: { name: key.name, id } };
  const checkpoint = await openCheckpoint(proof.checkpoint, key, crypto);
  if (typeof checkpoint === 'string') return { ...known, fault: checkpoint, continues: false, differentLog: false };
  const history =
    kept === null ? null : await historyFault(kept, growth, { now: { key, keyText, checkpoint }, crypto });
  return {
    ...known,
    fault: history ?? (await inclusionFault(proof, checkpoint, crypto)) ?? leafFault(parts),
    continues: continuesTo(growth, checkpoint.size),
    differentLog: history !== null,
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
    : 'The record does not lead to the signed root: it is not in this log.';
}

function leafFault({ proof, shown }: ProofParts): string | null {
  const differences = differencesOf(shown, Uint8Array.fromBase64(proof.leaf));
  if (differences === null) return 'The proven record cannot be read.';
  const id = differences.find(({ field }) => field === 'id');
  if (id !== undefined) return `The proof belongs to another record: ${id.sealed} instead of ${recordIdOf(shown)}.`;
  const [first] = differences;
  return first === undefined
    ? null
    : `The page differs from the sealed record: ${first.field} is “${first.shown}” here and “${first.sealed}” in the log.`;
}

/** The newest checkpoint that this browser has verified, and the key that signed it. */
export type Kept = Readonly<{ key: string; checkpoint: Checkpoint }>;
/** `shorter`: the log has fewer entries than the kept checkpoint. */
export type Growth =
  | { readonly kind: 'proof'; readonly hashes: readonly string[]; readonly checkpoint: string }
  | { readonly kind: 'shorter' };
type Present = Readonly<{ key: NoteKey; keyText: string; checkpoint: Checkpoint }>;

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
    return `The log had ${size.toLocaleString('en')} entries when this browser last checked, and has fewer now.`;
  return growthFault(kept, growth, at);
}

async function growthFault(
  { checkpoint: first }: Kept,
  growth: Growth & { readonly kind: 'proof' },
  { now, crypto }: { readonly now: Present; readonly crypto: ProofCrypto },
): Promise<string | null> {
  const second = await openCheckpoint(growth.checkpoint, now.key, crypto);
  if (typeof second === 'string') return 'The proof that the log continues is not signed by that key.';
  if (second.size === now.checkpoint.size && !sameBytes(second.root, now.checkpoint.root))
    return 'The village has signed two different logs of the same length.';
  const proof = growth.hashes.map((hash) => Uint8Array.fromBase64(hash));
  const continues = await withHashes((sha256) => isConsistent({ first, second, proof }, sha256), crypto.digest);
  return continues
    ? null
    : `The log does not continue the ${first.size.toLocaleString('en')} entries that this browser has seen: it was rewritten.`;
}

function continuesTo(growth: Growth | null, size: number): boolean {
  return growth?.kind === 'proof' && checkpointIn(growth.checkpoint)?.size === size;
}

/** Reads the checkpoint in a signed note without a check of the signature; null if the note has no checkpoint. */
export const checkpointIn = (note: string): Checkpoint | null => readCheckpoint(readNote(note)?.text ?? '');

/** True if the key has signed the note. Core verifies synchronously, so this verifies all signatures first. */
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

/** The checkpoint in a note, if the key has signed it; otherwise the fault. The origin of a log is the name of its key. */
async function openCheckpoint(note: string, key: NoteKey, crypto: ProofCrypto): Promise<Checkpoint | string> {
  if (!(await isSigned(note, key, crypto))) return 'The checkpoint is not signed by that key.';
  const checkpoint = checkpointIn(note);
  return checkpoint === null || checkpoint.origin !== key.name ? 'The checkpoint belongs to another log.' : checkpoint;
}

/** The page reads both proofs until they cover the same length, because the log grows every second. */
const ATTEMPTS = 6;

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

/** `note` is the signed note as received. */
export function keepCheckpoint(storage: CheckpointStorage, keyText: string, note: string): void {
  storage.setItem(STORAGE_KEY, `${keyText.trim()}${SPLIT}${note}`);
}

/** Forgets the kept checkpoint, for a village that was installed again with a new log and key. */
export function forgetCheckpoint(storage: CheckpointStorage): void {
  storage.removeItem(STORAGE_KEY);
}
