import type { Agent } from '@hamlet/contract/kinds';
import { AGENTS, readAgent } from '../agents.ts';
import { Failure, type Command, type Invocation } from '../command.ts';
import { plainError, type Kubectl } from '../kubectl.ts';
import { printed } from '../table.ts';

async function patchSpec(kubectl: Kubectl, name: string, spec: object): Promise<void> {
  const flags = ['--type=merge', `--patch=${JSON.stringify({ spec })}`, '--field-manager=kubectl-hamlet'];
  const { code, stderr } = await kubectl.run(['patch', AGENTS, name, ...flags]);
  if (code !== 0) throw new Failure(plainError(stderr));
}

interface Result {
  readonly changed: boolean;
  readonly text: string;
}

/** Runs `act` on each named Agent in order, and prints each result. Stops at the first failure. */
async function forEachNamed(
  invocation: Invocation,
  act: (name: string, spec: Agent['spec']) => Promise<Result>,
): Promise<number> {
  const { kubectl, names } = invocation;
  const results: ({ readonly agent: string } & Result)[] = [];
  for (const name of names) results.push({ agent: name, ...(await act(name, (await readAgent(kubectl, name)).spec)) });
  const values = results.map(({ agent, changed }) => ({ agent, changed }));
  printed(invocation, values, () => results.map(({ text }) => text));
  return 0;
}

function powerCommand(
  power: 'Awake' | 'Asleep',
  parts: Pick<Command, 'name' | 'summary' | 'details'> & { readonly done: string; readonly already: string },
): Command {
  const { done, already, ...command } = parts;
  return {
    ...command,
    usage: 'NAME...',
    options: {},
    names: [1, Number.POSITIVE_INFINITY],
    run: (invocation) =>
      forEachNamed(invocation, async (name, spec) => {
        const changed = (spec.power ?? 'Awake') !== power;
        if (changed) await patchSpec(invocation.kubectl, name, { power });
        return { changed, text: `${name} ${changed ? done : already}` };
      }),
  };
}

export const awake = powerCommand('Awake', {
  name: 'awake',
  summary: 'wakes agents: same home, same volume',
  details: 'Sets spec.power to Awake. `kubectl hamlet why NAME` shows what still blocks it.',
  done: 'is being awakened',
  already: 'is awake already',
});

export const sleep = powerCommand('Asleep', {
  name: 'sleep',
  summary: 'puts agents to sleep: the pod ends, the volume stays',
  details: 'Sets spec.power to Asleep. Runs for the agent wait until it wakes.',
  done: 'is going to sleep',
  already: 'sleeps already',
});

export const reboot: Command = {
  name: 'reboot',
  usage: 'NAME...',
  summary: 'restarts agents: the next cycle on the same volume',
  details: 'Sets spec.rebootedAt to the present time. An agent that is asleep cannot reboot: wake it.',
  options: {},
  names: [1, Number.POSITIVE_INFINITY],
  run: (invocation) =>
    forEachNamed(invocation, async (name, spec) => {
      if (spec.power === 'Asleep')
        throw new Failure(`${name} is asleep and cannot reboot: kubectl hamlet awake ${name}`);
      await patchSpec(invocation.kubectl, name, { rebootedAt: new Date(invocation.nowMs).toISOString() });
      return { changed: true, text: `${name} is being rebooted` };
    }),
};
