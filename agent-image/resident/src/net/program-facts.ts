import { join } from 'node:path';
import { readJson } from '@hamlet/core/read-json';
import { z } from 'zod';
import type { EndedProcess } from '../hands/process-record.ts';
import { textOf } from '../hands/shown-output.ts';

const LINE_MAX_CHARS = 16_000;
const Text = z.string().max(8_000);

const Failure = z.strictObject({ ok: z.literal(false), code: z.string().max(64), message: z.string().max(2_000) });
export type Failure = z.infer<typeof Failure>;

export interface FetchInput {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** True to follow redirects, and to turn HTML into text. */
  readonly asPage: boolean;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export const FetchFacts = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    status: z.int().min(0).max(999),
    url: Text,
    title: Text,
    contentType: Text,
    bytes: z.int().min(0),
    isCut: z.boolean(),
    isText: z.boolean(),
    headers: Text,
  }),
  Failure,
]);
export type FetchFacts = z.infer<typeof FetchFacts>;

/** File names of the browser are relative to the workspace. */
const KeptFile = z.strictObject({ path: z.string().max(4_096), bytes: z.int().min(0), name: z.string().max(255) });

export const BrowserFacts = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    url: Text,
    title: Text,
    opened: z.array(z.strictObject({ url: Text, title: Text })).max(20),
    /** Sending requests that were held back. */
    held: z.int().min(0),
    tabs: z.array(z.strictObject({ url: Text, title: Text, current: z.boolean() })).max(20),
    file: KeptFile.nullable(),
  }),
  Failure,
]);
export type BrowserFacts = z.infer<typeof BrowserFacts>;

const CODES = {
  exit: 'program_failed',
  killed: 'program_failed',
  timeout: 'timed_out',
  oom: 'program_failed',
  full: 'disk_full',
} as const;
const CAUSES = {
  exit: 'it ended without an answer',
  killed: 'it was ended before it finished',
  timeout: 'it took too long',
  oom: 'the hands have no memory left',
  full: 'the disk of the machine is full; remove files',
} as const;

/** The facts in the last line of a program's error stream; a failure if there are none. */
export function factsOf<F>(record: EndedProcess, schema: z.ZodType<F>): F | Failure {
  const last = textOf(record.stderr).trimEnd().split('\n').at(-1) ?? '';
  const parsed = schema.safeParse(readJson(last.slice(0, LINE_MAX_CHARS)));
  if (parsed.success) return parsed.data;
  return {
    ok: false,
    code: CODES[record.exit.cause],
    message: `The program of the tool failed: ${CAUSES[record.exit.cause]}. ${last.slice(-500)}`,
  };
}

/** Programs of the village that run in the hands: their image has the same files as the resident's. */
const PROGRAMS = join(import.meta.dirname, 'programs');
/** Heap limit of a program: a page that uses more ends the program instead of a small tier's container. */
const HEAP_MIB = 160;

export const programArgv = (file: string, ...args: readonly string[]): string[] => [
  'node',
  `--max-old-space-size=${HEAP_MIB}`,
  join(PROGRAMS, file),
  ...args,
];
