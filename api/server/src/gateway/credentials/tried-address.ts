import { createHash } from 'node:crypto';

interface Tried {
  readonly provider: { readonly kind: string; readonly base_url: string };
  readonly key: string | undefined;
  /** The provider's name of the model. */
  readonly model: string;
  /** The model's setting for thoughts: with another one, a test reads the answers differently. */
  readonly thoughts: string | undefined;
}

/** The hash by which a test before a connection is found again: another address, key, model or setting is another test. Pure. */
export function triedAddress({ provider: { kind, base_url: url }, key = '', model, thoughts }: Tried): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify(['tried', kind, url, key, model, ...(thoughts === undefined ? [] : [thoughts])]))
    .digest();
}
