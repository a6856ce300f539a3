import { HASH_BYTES, sameBytes, type Sha256 } from './hashing.ts';

const ED25519 = 1;
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const DASH = '\u2014 ';
const NAME = /^[^\s+]{1,200}$/u;

const encoder = new TextEncoder();

export interface NoteKey {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

interface SignedNote {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: Uint8Array; readonly signature: Uint8Array }[];
}

export type VerifyEd25519 = (message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array) => boolean;

/** 1 to 200 characters without spaces or plus signs. */
export const isKeyName = (name: string): boolean => NAME.test(name);

/** Four bytes distinguish keys of the same name (C2SP signed-note). */
export function keyId({ name, publicKey }: NoteKey, sha256: Sha256): Uint8Array {
  return sha256(new Uint8Array([...encoder.encode(`${name}\n`), ED25519, ...publicKey])).slice(0, KEY_ID_BYTES);
}

/** One line: `name+id+key`. */
export function writeVerifierKey(key: NoteKey, sha256: Sha256): string {
  return `${key.name}+${keyId(key, sha256).toHex()}+${new Uint8Array([ED25519, ...key.publicKey]).toBase64()}`;
}

/** Null for any other text, and if the id is not that of the key. */
export function readVerifierKey(text: string, sha256: Sha256): NoteKey | null {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  const bytes = encoded === undefined ? null : fromBase64(encoded);
  if (name === undefined || bytes === null || bytes.length !== 1 + KEY_BYTES || bytes[0] !== ED25519) return null;
  const key = { name, publicKey: bytes.slice(1) };
  return keyId(key, sha256).toHex() === id ? key : null;
}

/** `signer.signature` is the signature over `text`. */
export function writeNote(
  text: string,
  signer: { readonly key: NoteKey; readonly signature: Uint8Array },
  sha256: Sha256,
): string {
  const bytes = new Uint8Array([...keyId(signer.key, sha256), ...signer.signature]);
  return `${text}\n${DASH}${signer.key.name} ${bytes.toBase64()}\n`;
}

/** Does not check the signatures; null if the text is not a signed note. */
export function readNote(note: string): SignedNote | null {
  const split = note.lastIndexOf(`\n\n${DASH}`);
  if (split < 0 || !note.endsWith('\n')) return null;
  const signatures = note
    .slice(split + 2, -1)
    .split('\n')
    .map(readSignature);
  const good = signatures.filter((signature) => signature !== null);
  return good.length === signatures.length ? { text: note.slice(0, split + 1), signatures: good } : null;
}

function readSignature(line: string): SignedNote['signatures'][number] | null {
  const [, name, encoded] = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u.exec(line) ?? [];
  const bytes = encoded === undefined ? null : fromBase64(encoded);
  if (name === undefined || bytes === null || bytes.length <= KEY_ID_BYTES) return null;
  return { name, keyId: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) };
}

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' });
  } catch {
    return null;
  }
}

export interface NoteCrypto {
  readonly sha256: Sha256;
  readonly verify: VerifyEd25519;
}

/** Null if `key` did not sign the note. Signatures of other keys are ignored. */
export function openNote(note: string, key: NoteKey, { sha256, verify }: NoteCrypto): string | null {
  const signed = readNote(note);
  if (signed === null) return null;
  const id = keyId(key, sha256);
  const ours = signed.signatures.filter(
    (each) => each.name === key.name && sameBytes(each.keyId, id) && each.signature.length === SIGNATURE_BYTES,
  );
  return ours.some(({ signature }) => verify(encoder.encode(signed.text), signature, key.publicKey))
    ? signed.text
    : null;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** C2SP tlog-checkpoint. */
export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toBase64()}\n`;
}

/** Ignores further lines; null for any other text. */
export function readCheckpoint(text: string): Checkpoint | null {
  const [origin = '', digits = '', encoded = '', ...rest] = text.split('\n');
  if (
    origin === '' ||
    !/^(0|[1-9]\d{0,15})$/.test(digits) ||
    rest.at(-1) !== '' ||
    !/^[A-Za-z0-9+/]{43}=$/.test(encoded)
  )
    return null;
  const root = Uint8Array.fromBase64(encoded);
  const size = Number(digits);
  return root.length === HASH_BYTES && Number.isSafeInteger(size) ? { origin, size, root } : null;
}
