/** Twenty commands with large outputs, the same for every program, and the files that they print. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROUNDS = 4;
const SOURCE_BYTES = 60_000;
const LOG_BYTES = 200_000;
const BUILD_BYTES = 30_000;
const MATCHES = 3_000;
const WORDS = 'order invoice ledger parcel market garden window server client request answer budget session'.split(' ');

const word = (at: number): string => WORDS[(at * 7 + (at >> 3)) % WORDS.length] ?? '';

const sourceLine = (at: number): string =>
  at % 5 === 4
    ? '}\n'
    : `  const ${word(at)}${at} = await ${word(at + 1)}.find({ id: ${at}, limit: ${at % 97} }); // the ${word(at + 2)} of ${word(at + 3)}`;
const testLine = (at: number): string =>
  `✔ ${word(at)} ${word(at + 1)} keeps its ${word(at + 2)} after ${at} ${word(at + 3)}s (${(at % 83) + 0.25}ms)`;
const buildLine = (at: number): string =>
  `[${at}/900] compiling src/${word(at)}/${word(at + 1)}-${at}.ts: ${at % 13 === 0 ? `warning: unused ${word(at + 2)}` : 'done'}`;

function linesOf(line: (at: number) => string, { bytes, from }: { readonly bytes: number; readonly from: number }) {
  const lines: string[] = [];
  for (let at = from, size = 0; size < bytes; at += 1) size += lines[lines.push(line(at)) - 1]?.length ?? 0;
  return `${lines.join('\n')}\n`;
}

const ROUND = Array.from({ length: ROUNDS }, (_, round) => round);

/** Commands whose outputs have about 61 KB, 210 KB, 84 KB in 3,000 lines, 31 KB and 6 KB, in this order, four times. */
export const STEPS: readonly string[] = ROUND.flatMap((round) => [
  `cat source-${round}.ts`,
  `cat test-${round}.log`,
  `grep -n ${word(round)} matches-${round}.txt`,
  `cat build-${round}.log`,
  `sed -n 1,100p source-${round}.ts`,
]);

export function writeStepFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const round of ROUND) {
    const from = round * 10_000;
    const files = {
      'source-N.ts': linesOf(sourceLine, { bytes: SOURCE_BYTES, from }),
      'test-N.log': linesOf(testLine, { bytes: LOG_BYTES, from }),
      'build-N.log': linesOf(buildLine, { bytes: BUILD_BYTES, from }),
      'matches-N.txt': linesOf((at) => `${word(round)} of ${word(at)} ${at}`, { bytes: MATCHES * 22, from }),
    };
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name.replace('N', String(round))), text);
  }
}
