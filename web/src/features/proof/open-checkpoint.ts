import { type Checkpoint, type NoteKey, openNote, readCheckpoint, readNote } from '@hamlet/core';
import type { ProofCrypto } from './browser-crypto.ts';
import { withHashes } from './with-hashes.ts';

/** What a signed note says, believed or not; null where it is no checkpoint. */
export function saidOf(note: string): Checkpoint | null {
  return readCheckpoint(readNote(note)?.text ?? '');
}

/** Whether a key has signed a note. Core asks at once whether a signature is good, so each is checked beforehand. */
export async function isSigned(note: string, key: NoteKey, crypto: ProofCrypto): Promise<boolean> {
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
export async function openCheckpoint(note: string, key: NoteKey, crypto: ProofCrypto): Promise<Checkpoint | string> {
  if (!(await isSigned(note, key, crypto))) return 'The checkpoint is not signed by that key.';
  const said = saidOf(note);
  return said === null || said.origin !== key.name ? 'The checkpoint is not one of this log.' : said;
}
