import { readAgent } from '../agents.ts';
import { Failure, type Command } from '../command.ts';
import { explain } from '../explain.ts';

export const logs: Command = {
  name: 'logs',
  usage: 'NAME [-f] [--previous] [--tail=N] [--since=DURATION]',
  summary: "shows the log of an agent's resident",
  details:
    'Reads the pod of the current cycle. -f follows the log; --previous shows the log of the previous container.',
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
      throw new Failure(
        `${name} has no pod: ${explanation.blocking?.message ?? 'the operator has not created one yet'}`,
      );
    const given = Object.entries(flags).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}=${String(value)}`],
    );
    return kubectl.attached(['logs', explanation.pod, ...given]);
  },
};
