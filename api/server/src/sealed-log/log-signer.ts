import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isKeyName, openNote, readCheckpoint, writeCheckpoint, writeNote, writeVerifierKey } from '@hamlet/core';
import type { NoteKey, VerifyEd25519 } from '@hamlet/core';
import { sha256, type SignCheckpoint, type Tree } from '@hamlet/store';

export interface LogSigner {
  readonly origin: string;
  readonly key: NoteKey;
  readonly verifierKey: string;
  readonly sign: SignCheckpoint;
  /** Opens a checkpoint of this log that this key signed; null for any other text. */
  readonly open: (note: string) => Tree | null;
}

export interface SignerOptions {
  readonly origin: string;
  /** PEM file with an Ed25519 private key (PKCS #8). */
  readonly keyFile: string | undefined;
  /** Folder in which a key is created if no key file is given. */
  readonly folder: string | undefined;
}

async function keyOf({ keyFile, folder }: SignerOptions): Promise<string | null> {
  if (keyFile !== undefined) return readFile(keyFile, 'utf8');
  if (folder === undefined) return null;
  const file = join(folder, 'key.pem');
  await mkdir(folder, { recursive: true });
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  // If two replicas start at once, the key of the first one stays.
  await writeFile(file, pem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}

function rawPublicKey(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}

/** Opens the signing key; null if none is configured. Throws unless it is an Ed25519 key. */
export async function openLogSigner(options: SignerOptions): Promise<LogSigner | null> {
  const pem = await keyOf(options);
  if (pem === null) return null;
  if (!isKeyName(options.origin))
    throw new Error(
      `HAMLET_LOG_ORIGIN: ${options.origin} cannot name a key; write a name without spaces or plus signs`,
    );
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new Error('HAMLET_LOG_KEY_FILE: write an Ed25519 key to it (openssl genpkey -algorithm ed25519)');
  const { origin } = options;
  const key: NoteKey = { name: origin, publicKey: rawPublicKey(privateKey) };
  return {
    origin,
    key,
    verifierKey: writeVerifierKey(key, sha256),
    sign: ({ size, root }) => {
      const text = writeCheckpoint({ origin, size, root });
      return writeNote(text, { key, signature: sign(null, Buffer.from(text), privateKey) }, sha256);
    },
    open: (note) => {
      const text = openNote(note, key, { sha256, verify: verifyEd25519 });
      const checkpoint = text === null ? null : readCheckpoint(text);
      return checkpoint?.origin === origin ? checkpoint : null;
    },
  };
}

export const verifyEd25519: VerifyEd25519 = (message, signature, publicKey) => {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  });
  return verify(null, message, key, signature);
};
