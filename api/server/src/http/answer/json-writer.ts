import type { Accepted } from '../outcome.ts';
import { answerCheck } from './answer-check.ts';
import type { AnswerCheckPorts } from './answer-check.ts';

/** The bytes of an answer; `check` is called with what is to be held to the route's schema. */
export type JsonWriter = (outcome: Accepted<unknown>, check: (data: unknown) => void) => Buffer;

/** Writes the answers of one route as JSON. Of those that are shared it keeps the bytes of the last, and nothing of those that are not. */
export function jsonWriter(ports: AnswerCheckPorts): JsonWriter {
  const isChecked = answerCheck(ports);
  let last: { readonly data: unknown; readonly bytes: Buffer } | null = null;

  function write(data: unknown, check: (data: unknown) => void): Buffer {
    if (isChecked()) check(data);
    return Buffer.from(JSON.stringify(data));
  }

  return ({ data, shared }, check) => {
    if (shared !== true) return write(data, check);
    if (last === null || last.data !== data) last = { data, bytes: write(data, check) };
    return last.bytes;
  };
}
