import type { OutcomeImage } from '@hamlet/engine';

/** Maximum bytes of an image that a model may see. */
export const IMAGE_MAX_BYTES = 4 << 20;

/** The first bytes of each type in hex; dots stand for any. */
const SIGNATURES: readonly (readonly [OutcomeImage['mediaType'], RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** The type of an image by its first bytes; null for other files and for types that models do not see. Pure. */
export function imageTypeOf(data: Buffer): OutcomeImage['mediaType'] | null {
  const head = data.subarray(0, 16).toString('hex');
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0] ?? null;
}
