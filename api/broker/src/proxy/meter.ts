import { Transform, type TransformCallback } from 'node:stream';
import type { EgressRule } from '@hamlet/contract';
import { deny, type EgressDenial } from '@hamlet/core/egress';
import type { ByteBudget } from '../byte-budget.ts';
import type { Admission } from '../village.ts';
import type { OpenAttempt } from './caller.ts';

/** Ends a stream whose rule has no bytes left in this hour. */
export class BytesSpent extends Error {
  readonly denial: EgressDenial;

  constructor(minutes: number) {
    const message = `the rule of this host has no bytes left; try again in ${String(minutes)} minutes`;
    super(message);
    this.denial = deny('egress_bytes_spent', message);
  }
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Length of the head of a request or an answer in HTTP/1.1: its first line, its headers and the empty line. Pure. */
export function headLength(firstLine: string, headers: Headers): number {
  const lines = Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((one) => `${name}: ${one}`));
  return [firstLine, ...lines, ''].reduce((length, line) => length + line.length + '\r\n'.length, 0);
}

/** Counts the bytes of one attempt in both directions, and against the limits of its rules. */
export class Meter {
  readonly #budget: ByteBudget;
  readonly #attempt: OpenAttempt;
  readonly #limits: readonly { readonly key: string; readonly limit: number }[];

  constructor(
    budget: ByteBudget,
    attempt: OpenAttempt,
    by: { readonly admission: Admission; readonly rules: readonly EgressRule[] },
  ) {
    this.#budget = budget;
    this.#attempt = attempt;
    const { uid } = by.admission;
    this.#limits = by.rules.flatMap((rule) =>
      rule.bytesPerHour === undefined ? [] : [{ key: `${uid} ${JSON.stringify(rule)}`, limit: rule.bytesPerHour }],
    );
  }

  /** Counts bytes that have arrived, or that leave unless it returns an error. */
  count(direction: 'sent' | 'received', bytes: number): BytesSpent | null {
    const spent = this.#limits.find(({ key, limit }) => !this.#budget.spend(key, limit, bytes));
    if (direction === 'received') this.#attempt.receivedBytes += bytes;
    else if (spent === undefined) this.#attempt.sentBytes += bytes;
    return spent === undefined ? null : new BytesSpent(Math.ceil(this.#budget.wait(spent.key) / 60_000));
  }

  stream(direction: 'sent' | 'received'): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) => {
        const spent = this.count(direction, chunk.length);
        if (spent === null) done(null, chunk);
        else done(spent);
      },
    });
  }
}
