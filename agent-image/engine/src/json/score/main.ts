#!/usr/bin/env node
/** `hamlet-json FILE`: how often the JSON engine finds the value that a text means. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { repairAndValidate } from '../repair-and-validate.ts';
import { readLine, scoreOf, SCORES, type Score, type ScoredLine } from './score.ts';

const USAGE = `hamlet-json: measures how often the JSON engine finds the value that a text means

usage: hamlet-json [--wrong] FILE.jsonl

Each line of the file is a text, the JSON Schema that it should fit (optional) and the value that it means:
  {"raw": "{\\"a\\": 1,}", "schema": {"type": "object"}, "expected": {"a": 1}}
A line without "expected" means nothing certain: the engine should refuse it.
  --wrong    prints each line that is not exact, with the value that was found

Prints the percentages of exact, silently wrong and refused lines, and microseconds of processor time a line.
Exits 0, 1 at a line that cannot be scored, or 2 if the file cannot be read.
`;

const OPTIONS = {
  wrong: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

const WORDS: Readonly<Record<Score, string>> = { exact: 'exact', silentlyWrong: 'silently wrong', refused: 'refused' };

type Totals = Record<Score, number> & { lines: number; micros: number };

const SCHEMAS_MAX = 1_000;
const schemas = new Map<string, ScoredLine['schema']>();

/** One object for equal schemas, so that each is compiled once. */
function keptSchema(schema: ScoredLine['schema']): ScoredLine['schema'] {
  if (schema === undefined) return undefined;
  const text = JSON.stringify(schema);
  const kept = schemas.get(text) ?? schema;
  if (schemas.size < SCHEMAS_MAX) schemas.set(text, kept);
  return kept;
}

function judge({ raw, schema: given, expected }: ScoredLine, totals: Totals): string | null {
  const schema = keptSchema(given);
  const from = process.cpuUsage();
  const found = repairAndValidate(raw, schema);
  const { user, system } = process.cpuUsage(from);
  totals.micros += user + system;
  const score = scoreOf({ expected }, found.ok ? found : null);
  totals.lines += 1;
  totals[score] += 1;
  if (score === 'exact') return null;
  return `${WORDS[score]}: ${JSON.stringify(raw)}\n  ${found.ok ? JSON.stringify(found.value) : `${found.code}: ${found.error}`}`;
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() === true;

/** Scores a file. Returns the exit code. */
async function scoreFile(file: string, showsWrong: boolean): Promise<number> {
  if (!(await isFile(file))) {
    process.stderr.write(`${file}: there is no such file; name a file of JSON lines\n`);
    return 2;
  }
  const totals: Totals = { exact: 0, silentlyWrong: 0, refused: 0, lines: 0, micros: 0 };
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    if (text.trim() === '') continue;
    const line = readLine(text);
    if (typeof line === 'string') {
      process.stderr.write(`Line ${number} of ${file} cannot be scored: ${line}. See --help for the form of a line.\n`);
      return 1;
    }
    const wrong = judge(line, totals);
    if (wrong !== null && showsWrong) process.stdout.write(`line ${number}, ${wrong}\n`);
  }
  const { lines, micros } = totals;
  const percent = SCORES.map((score) => `${WORDS[score]} ${((100 * totals[score]) / Math.max(1, lines)).toFixed(2)} %`);
  process.stdout.write(
    `${lines} lines: ${percent.join(', ')}; ${(micros / Math.max(1, lines)).toFixed(1)} µs a line\n`,
  );
  return 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [file, ...more] = positionals;
  if (values.help) process.stdout.write(USAGE);
  else if (file !== undefined && more.length === 0) return scoreFile(file, values.wrong);
  else process.stderr.write(USAGE);
  return values.help ? 0 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
