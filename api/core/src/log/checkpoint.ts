import { HASH_BYTES } from './hashing.ts';

/** What a log was at a moment: whose it is, how many entries it has, and the root over them. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** A checkpoint as the text of a signed note (C2SP tlog-checkpoint). */
export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toBase64()}\n`;
}

/** Reads the text of a checkpoint, whatever further lines it has; null where it is none. */
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
