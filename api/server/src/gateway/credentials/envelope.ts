import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface VillageKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The owner of a sealed text. A text that is moved to another owner does not open. */
export interface SealedFor {
  readonly name: string;
  readonly agentId: string | null;
  /** The address of the provider for which the text is sealed; absent if the configuration decides. */
  readonly address?: string | undefined;
}

interface Envelope {
  readonly keyId: string;
  readonly sealedDataKey: Buffer;
  readonly sealed: Buffer;
}

function seal(key: Buffer, about: string, bytes: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function open(key: Buffer, about: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(about)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

function aboutOf({ name, agentId, address }: SealedFor): string {
  const owner = ['hamlet model credential', name, agentId];
  return JSON.stringify(address === undefined ? owner : [...owner, address]);
}

export function sealText(text: string, owner: SealedFor, { id, bytes }: VillageKey): Envelope {
  const dataKey = randomBytes(KEY_BYTES);
  const about = aboutOf(owner);
  return { keyId: id, sealedDataKey: seal(bytes, about, dataKey), sealed: seal(dataKey, about, Buffer.from(text)) };
}

export function openText({ sealedDataKey, sealed }: Envelope, owner: SealedFor, { bytes }: VillageKey): string {
  const about = aboutOf(owner);
  return open(open(bytes, about, sealedDataKey), about, sealed).toString('utf8');
}

export function reseal(
  { sealedDataKey, sealed }: Envelope,
  owner: SealedFor,
  { from, to }: { readonly from: VillageKey; readonly to: VillageKey },
): Envelope {
  const about = aboutOf(owner);
  const dataKey = open(from.bytes, about, sealedDataKey);
  return { keyId: to.id, sealedDataKey: seal(to.bytes, about, dataKey), sealed };
}
