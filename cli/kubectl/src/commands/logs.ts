import { readAgent } from '../agents.ts';
import type { Command } from '../command.ts';
import { explain } from '../explain.ts';
import { Failure } from '../failure.ts';

export const logs: Command = {
  name: 'logs',
  usage: 'NAME [-f] [--previous] [--tail=N] [--since=DURATION]',
  summary: "the log of an agent's resident",
  details: 'Of the pod of its present cycle. -f follows it; --previous shows the container that ended before.',
  options: {
    follow: { type: 'boolean', short: 'f' },
    previous: { type: 'boolean', short: 'p' },
    tail: { type: 'string' },
    since: { type: 'string' },
  },
  names: [1, 1],
  async run({ kubectl, names, flags }) {
    const [name = ''] = names;
    const explanation = explain(await readAgent(kubectl, name));
    if (explanation.pod === null)
      throw new Failure(`${name} has no pod: ${explanation.blocking?.message ?? 'the operator has made none yet'}`);
    const given = Object.entries(flags).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}=${String(value)}`],
    );
    return kubectl.attached(['logs', explanation.pod, ...given]);
  },
};
