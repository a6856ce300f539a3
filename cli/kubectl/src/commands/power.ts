import type { Agent } from '@hamlet/contract/kinds';
import { AGENTS, readAgent } from '../agents.ts';
import type { Command, Invocation } from '../command.ts';
import { Failure } from '../failure.ts';
import { plainError, type Kubectl } from '../kubectl.ts';

/** Writes part of an Agent's spec; the API server's rules hold. */
async function patchSpec(kubectl: Kubectl, name: string, spec: object): Promise<void> {
  const { code, stderr } = await kubectl.run([
    'patch',
    AGENTS,
    name,
    '--type=merge',
    `--patch=${JSON.stringify({ spec })}`,
    '--field-manager=kubectl-hamlet',
  ]);
  if (code !== 0) throw new Failure(plainError(stderr));
}

/** What came of a command for one Agent. */
interface Result {
  readonly changed: boolean;
  readonly words: string;
}

/** Does the same to every Agent that is named, one after the other, and tells what came of it. The first failure ends it. */
async function forEachNamed(
  { kubectl, names, print, json }: Invocation,
  act: (name: string, spec: Agent['spec']) => Promise<Result>,
): Promise<number> {
  const results = [];
  for (const name of names) results.push({ agent: name, ...(await act(name, (await readAgent(kubectl, name)).spec)) });
  if (json)
    print(
      JSON.stringify(
        results.map(({ agent, changed }) => ({ agent, changed })),
        null,
        2,
      ),
    );
  else for (const { words } of results) print(words);
  return 0;
}

function powerCommand(
  power: 'Awake' | 'Asleep',
  parts: Pick<Command, 'name' | 'summary' | 'details'> & { readonly done: string; readonly already: string },
): Command {
  const { done, already, ...texts } = parts;
  return {
    ...texts,
    usage: 'NAME...',
    options: {},
    names: [1, Number.POSITIVE_INFINITY],
    run: (invocation) =>
      forEachNamed(invocation, async (name, spec) => {
        const changed = (spec.power ?? 'Awake') !== power;
        if (changed) await patchSpec(invocation.kubectl, name, { power });
        return { changed, words: `${name} ${changed ? done : already}` };
      }),
  };
}

export const awake = powerCommand('Awake', {
  name: 'awake',
  summary: 'wakes agents: same home, same volume',
  details: 'Writes spec.power: Awake. `kubectl hamlet why NAME` says what still holds it up.',
  done: 'is being awakened',
  already: 'is awake already',
});

export const sleep = powerCommand('Asleep', {
  name: 'sleep',
  summary: 'puts agents to sleep: the pod ends, the volume stays',
  details: 'Writes spec.power: Asleep. What waits for an agent waits until it wakes.',
  done: 'is going to sleep',
  already: 'sleeps already',
});

export const reboot: Command = {
  name: 'reboot',
  usage: 'NAME...',
  summary: 'starts agents anew: the next cycle on the same volume',
  details: 'Writes the time to spec.rebootedAt. An agent that is asleep cannot reboot: wake it.',
  options: {},
  names: [1, Number.POSITIVE_INFINITY],
  run: (invocation) =>
    forEachNamed(invocation, async (name, spec) => {
      if (spec.power === 'Asleep')
        throw new Failure(`${name} is asleep and cannot reboot: kubectl hamlet awake ${name}`);
      await patchSpec(invocation.kubectl, name, { rebootedAt: new Date(invocation.nowMs).toISOString() });
      return { changed: true, words: `${name} is being rebooted` };
    }),
};
