#!/usr/bin/env node
/** `hamlet-json FILE`: how often the JSON engine finds the value that a text means. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { repairAndValidate } from '../repair-and-validate.ts';
import { readLine, scoreOf, SCORES, type Score, type ScoredLine } from './score.ts';

const USAGE = `Usage: hamlet-json FILE [--wrong]

Scores the lines of a file: {"raw": TEXT, "schema"?: JSON Schema, "expected"?: VALUE}. A line without "expected" expects a
refusal. Prints the percentages of exact, silently wrong and refused lines, and microseconds of processor time a line.
  --wrong  prints each line that is not exact, with what was found
`;

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
  return `${score}: ${JSON.stringify(raw)}\n  ${found.ok ? JSON.stringify(found.value) : `${found.code}: ${found.error}`}`;
}

async function main([file, ...flags]: readonly string[]): Promise<number> {
  if (file === undefined || file.startsWith('-') || flags.some((flag) => flag !== '--wrong')) {
    process.stderr.write(USAGE);
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
    if (wrong !== null && flags.length > 0) process.stdout.write(`line ${number}, ${wrong}\n`);
  }
  const { lines, micros } = totals;
  const percent = SCORES.map((score) => `${score} ${((100 * totals[score]) / Math.max(1, lines)).toFixed(2)} %`);
  process.stdout.write(
    `${lines} lines: ${percent.join(', ')}; ${(micros / Math.max(1, lines)).toFixed(1)} µs a line\n`,
  );
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
