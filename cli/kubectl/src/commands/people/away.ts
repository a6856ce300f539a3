import { type AwayGroup, type Client, dataOf, getAway, markSeen } from '@hamlet/contract';
import { type Command, type Invocation } from '../../command.ts';
import { printable } from '../../talk/printable.ts';
import { ofApi, withApi } from '../../village-api.ts';

/** A line of the groups; times are real time in UTC. */
export function awayLine({ kind, count, more, newest }: AwayGroup): string {
  const number = `${count}${more ? '+' : ''}`.padStart(4);
  const words = newest.agent_id === null ? newest.line : `${newest.agent_id} ${newest.line}`;
  return `${newest.at.slice(0, 19)}Z  ${number} ${kind.padEnd(12)}  ${printable(words)}`;
}

async function show({ flags, json, print, note }: Invocation, api: Client): Promise<number> {
  const { since, until, groups } = await dataOf(api.call(getAway, {}));
  for (const group of groups) print(json ? JSON.stringify(group) : awayLine(group));
  if (since === null) note('you have not looked before: --seen notes this look');
  else if (groups.length === 0) note(`nothing happened since your last look at ${since}`);
  if (flags['seen'] === true) await dataOf(api.call(markSeen, { body: { things: ['village'], until } }));
  return 0;
}

export const away: Command = ofApi({
  name: 'away',
  usage: '[--seen]',
  summary: 'shows what changed since your last look: answers, results, money, restrictions, posts',
  details: `Prints a line for each kind of change: time, number and the newest one; with --output=json one object a line. --seen notes this look, as
the button Seen of the web does.`,
  options: { seen: { type: 'boolean' } },
  names: [0, 0],
  run: async (invocation) => withApi(invocation, (api) => show(invocation, api)),
});
