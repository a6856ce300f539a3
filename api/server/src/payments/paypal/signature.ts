import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface SignedParts {
  readonly transmissionId: string;
  readonly transmissionTime: string;
  /** Base64. */
  readonly signature: string;
  /** The body, byte for byte. */
  readonly raw: Uint8Array;
}

/** The text that PayPal signs: the checksum of the body is a decimal number without a sign, and the webhook's id is ours, not the sender's. Pure. */
export function signedText(
  { transmissionId, transmissionTime, raw }: Omit<SignedParts, 'signature'>,
  webhookId: string,
): string {
  return `${transmissionId}|${transmissionTime}|${webhookId}|${crc32(raw)}`;
}

/** Whether the holder of a key signed a notification for our webhook. */
export function isSigned(parts: SignedParts, webhookId: string, key: KeyObject): boolean {
  return verify('RSA-SHA256', Buffer.from(signedText(parts, webhookId)), key, Buffer.from(parts.signature, 'base64'));
}
