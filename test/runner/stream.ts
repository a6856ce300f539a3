/** Runs a program and prints its output line by line. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { ROOT } from '../../local/village/paths.ts';
import type { Print } from './part.ts';

/** Returns the exit code; a signal counts as failure. */
export async function stream(print: Print, program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [child.stdout, child.stderr].map((output) => printLines(output, print));
  const code = await new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('exit', (exit) => resolve(exit ?? 1)),
  );
  await Promise.all(printed);
  return code;
}

async function printLines(output: Readable, print: Print): Promise<void> {
  for await (const line of createInterface({ input: output })) print(line);
}

/** Returns a printer that also keeps the last lines that it printed, and a reader of these. */
export function keepLast(print: Print, count: number): { print: Print; lastLines: () => readonly string[] } {
  const kept: string[] = [];
  return {
    print: (line) => {
      print(line);
      kept.push(line);
      if (kept.length > count) kept.shift();
    },
    lastLines: () => [...kept],
  };
}
