/** The tests in Go: those of the local cluster, of the supervisor of an agent's tools, and of the dashboards. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GO_FLAGS } from '../../local/village/go-flags.ts';
import { ROOT } from '../../local/village/paths.ts';
import { sumOf, type FailedTest, type Part, type Print, type Run, type Tally } from './part.ts';

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
  readonly Elapsed?: number;
}

interface Counting {
  readonly module: string;
  passed: number;
  readonly failures: FailedTest[];
  readonly print: Print;
}

export const GO_PART: Part = {
  name: 'go',
  does: 'tests of the programs in Go',
  needs: ['packages', 'programs'],
  isOneUnit: true,
  run,
};

const MODULES = ['local/cluster', 'agent-image/supervisor', 'charts/gen/grafana'];

async function run({ print }: Run): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const module of MODULES) tallies.push(await runModule(module, print));
  return sumOf(tallies);
}

async function runModule(module: string, print: Print): Promise<Tally> {
  const tally: Counting = { module, passed: 0, failures: [], print };
  const child = spawn('go', ['test', ...GO_FLAGS, '-json', './...'], {
    cwd: join(ROOT, module),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve(code ?? 1)),
  );
  const outputs = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const event = parseEvent(line, print);
    if (event !== undefined) take(event, tally, outputs);
  }
  // A package that does not compile has no test to fail.
  if ((await ended) !== 0 && tally.failures.length === 0)
    tally.failures.push({ what: 'go test', rerun: `(cd ${module} && go test ./...)` });
  return { passed: tally.passed, failed: tally.failures.length, failures: tally.failures };
}

function parseEvent(line: string, print: Print): GoEvent | undefined {
  try {
    return JSON.parse(line) as GoEvent;
  } catch {
    print(line);
    return undefined;
  }
}

const nameOf = ({ Package = 'build', Test }: GoEvent): string => (Test === undefined ? Package : `${Package} ${Test}`);

const commandOf = (module: string, { Package, Test = '' }: GoEvent): string =>
  `(cd ${module} && go test ${Package} -run '^${Test.replace(/\/.*/, '')}$')`;

function take(event: GoEvent, tally: Counting, outputs: Map<string, string>): void {
  const name = nameOf(event);
  const isTest = event.Test !== undefined;
  switch (event.Action) {
    case 'output':
    case 'build-output':
      outputs.set(name, `${outputs.get(name) ?? ''}${event.Output}`);
      return;
    case 'fail':
      for (const line of `✖ ${name}\n${outputs.get(name) ?? ''}`.trimEnd().split('\n')) tally.print(line);
      if (isTest) tally.failures.push({ what: name, rerun: commandOf(tally.module, event) });
      return;
    case 'pass':
      if (isTest) tally.passed += 1;
      else tally.print(`✔ ${name} (${event.Elapsed} s)`);
  }
}
