import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  dataOf,
  getTimeline,
  TIMELINE_KINDS,
  type TimelineEntry,
  type TimelineKind,
} from '@hamlet/contract';
import { timelineText } from '@hamlet/core/timeline';
import { type Command, Failure, type FlagValue, type Invocation } from '../../command.ts';
import { printable } from '../../talk/printable.ts';
import { ofApi, withApi } from '../../village-api.ts';

const SHOWN = 30;
const FOLLOW_MS = 3_000;
/** Maximum number of entries whose printed words are kept, so that a run appears again in its next state. */
const REMEMBERED_MAX = 1_000;

type Query = Readonly<{ limit: number; kind?: TimelineKind }>;

function kindOf(flag: FlagValue): Pick<Query, 'kind'> {
  if (flag === undefined) return {};
  const kind = TIMELINE_KINDS.find((known) => known === flag);
  if (kind === undefined) throw new Failure(`--kind is one of ${TIMELINE_KINDS.join(', ')}`, 2);
  return { kind };
}

/** A line of a timeline; times are real time in UTC. */
export function timelineLine(entry: TimelineEntry): string {
  return `${entry.at.slice(0, 19)}Z  ${entry.kind.padEnd(9)}  ${printable(timelineText(entry))}`;
}

/** The entries that have not been printed in their present words, oldest first; remembers them in `printed`. */
export function newLines(entries: readonly TimelineEntry[], printed: Map<string, string>): readonly TimelineEntry[] {
  const fresh = entries.filter((entry) => printed.get(entry.id) !== timelineLine(entry)).toReversed();
  for (const entry of fresh) {
    printed.delete(entry.id);
    printed.set(entry.id, timelineLine(entry));
  }
  for (const oldest of [...printed.keys()].slice(0, Math.max(0, printed.size - REMEMBERED_MAX))) printed.delete(oldest);
  return fresh;
}

async function show(
  { names: [agent = ''], flags, json, print }: Invocation,
  api: Client,
  query: Query,
): Promise<number> {
  const printed = new Map<string, string>();
  for (;;) {
    const { entries } = await dataOf(api.call(getTimeline, { params: { agent_id: agent }, query }));
    if (printed.size === 0 && entries.length === 0 && flags['follow'] !== true) print('nothing happened yet');
    for (const entry of newLines(entries, printed)) print(json ? JSON.stringify(entry) : timelineLine(entry));
    if (flags['follow'] !== true) return 0;
    await sleep(FOLLOW_MS);
  }
}

export const timeline: Command = ofApi({
  name: 'timeline',
  usage: 'NAME [--follow] [--kind=KIND]',
  summary: 'shows what happened with an agent: conversations, runs, posts, purchases, judgements, states',
  details: `Prints the newest ${SHOWN} entries, oldest first; with --output=json one object a line. --follow prints new entries, and runs in
their next state, until Ctrl-C. --kind is one of ${TIMELINE_KINDS.join(', ')}.`,
  options: { follow: { type: 'boolean', short: 'f' }, kind: { type: 'string' } },
  names: [1, 1],
  run: async (invocation) => {
    const query = { limit: SHOWN, ...kindOf(invocation.flags['kind']) };
    return withApi(invocation, (api) => show(invocation, api, query));
  },
});
