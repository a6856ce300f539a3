import { firstChars } from '../../first-chars.ts';
import { MAX_MESSAGE_CHARS } from './event.ts';

const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A message as an event carries it: well-formed and bounded. */
export const messageOf = (text: string | null): string => firstChars((text ?? '').toWellFormed(), MAX_MESSAGE_CHARS);

/** A code as an event carries it. Tools and plugins may write any text as one. */
export function codeOf(code: unknown, otherwise: string): string {
  const lower = typeof code === 'string' ? code.toLowerCase() : '';
  return CODE.test(lower) ? lower : otherwise;
}
