import { helpText, readCommandLine, type CommandLine } from './command-line.ts';
import { agents } from './commands/agents/agents.ts';
import { timeline } from './commands/agents/timeline.ts';
import { approve, deny } from './commands/approve.ts';
import { away } from './commands/people/away.ts';
import { chat } from './commands/chat.ts';
import { freeze } from './commands/freeze.ts';
import { logs } from './commands/logs.ts';
import { models } from './commands/models.ts';
import { needs } from './commands/needs.ts';
import { permissions } from './commands/permissions.ts';
import { plan } from './commands/plan.ts';
import { policy } from './commands/policy.ts';
import { awake, reboot, sleep } from './commands/power.ts';
import { run } from './commands/run.ts';
import { runs } from './commands/runs.ts';
import { schedules } from './commands/schedules.ts';
import { top } from './commands/top/top.ts';
import { why } from './commands/why.ts';
import { memory } from './commands/memory/memory.ts';
import { workers } from './commands/workers.ts';
import { workflow } from './commands/workflow/workflow.ts';
import { Failure } from './command.ts';
import { kubectlWith } from './kubectl.ts';
import { processTerminal } from './terminal.ts';

const COMMANDS = [
  agents,
  timeline,
  away,
  why,
  awake,
  sleep,
  reboot,
  logs,
  runs,
  run,
  workers,
  ...workflow,
  memory,
  needs,
  permissions,
  approve,
  deny,
  chat,
  models,
  top,
  schedules,
  freeze,
  plan,
  policy,
];

const write = (text: string): void => void process.stdout.write(text);
const print = (line: string): void => write(`${line}\n`);

function help({ command, listed, help: asked }: CommandLine): number {
  if (asked) print(helpText(command, listed));
  else process.stderr.write(`${helpText(command, listed)}\n`);
  return asked ? 0 : 2;
}

async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(args, COMMANDS);
  const { command, names, flags, place, kubeconfig, json } = line;
  if (command === undefined || line.help) return help(line);
  // A context or cluster in the flags may select another village than the kubeconfig.
  const elsewhere = place.some((flag) => flag.startsWith('--context') || flag.startsWith('--cluster'));
  const known = { ...environment, KUBECONFIG: elsewhere ? '' : (kubeconfig ?? environment['KUBECONFIG'] ?? '') };
  return command.run({
    names,
    flags,
    json,
    print,
    write,
    note: (text) => void process.stderr.write(`${text}\n`),
    terminal: processTerminal(),
    environment: known,
    kubectl: kubectlWith(place, environment),
    nowMs: Date.now(),
  });
}

/** The message of a Failure; for another error its stack, because it is a bug. */
function messageOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main(process.argv.slice(2), process.env).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = error instanceof Failure ? error.exitCode : 1;
  },
);
