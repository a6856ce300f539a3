/** The tests of the cluster's own programs. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../village/paths.ts';
import type { Part, Tally } from './part.ts';

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
  readonly Elapsed?: number;
}

interface Counting {
  passed: number;
  readonly failures: string[];
}

export const GO_PART: Part = { name: 'go', does: 'tests of the local cluster', needs: ['packages', 'programs'], run };

async function run(): Promise<Tally> {
  const tally: Counting = { passed: 0, failures: [] };
  const child = spawn('go', ['test', '-json', './...'], { cwd: join(ROOT, 'cluster'), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number>((resolve, reject) => child.on('error', reject).on('close', (code) => resolve(code ?? 1)));
  const outputs = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const event = parseEvent(line);
    if (event !== undefined) take(event, tally, outputs);
  }
  // A package that does not compile has no test to fail.
  if ((await ended) !== 0 && tally.failures.length === 0) tally.failures.push('go test');
  return { ...tally, failed: tally.failures.length };
}

function parseEvent(line: string): GoEvent | undefined {
  try {
    return JSON.parse(line) as GoEvent;
  } catch {
    console.log(line);
    return undefined;
  }
}

const nameOf = ({ Package = 'build', Test }: GoEvent): string => (Test === undefined ? Package : `${Package} ${Test}`);

function take(event: GoEvent, tally: Counting, outputs: Map<string, string>): void {
  const name = nameOf(event);
  const isTest = event.Test !== undefined;
  switch (event.Action) {
    case 'output':
    case 'build-output':
      outputs.set(name, `${outputs.get(name) ?? ''}${event.Output}`);
      return;
    case 'fail':
      console.log(`✖ ${name}\n${outputs.get(name) ?? ''}`);
      if (isTest) tally.failures.push(name);
      return;
    case 'pass':
      if (isTest) tally.passed += 1;
      else console.log(`✔ ${name} (${event.Elapsed} s)`);
  }
}
