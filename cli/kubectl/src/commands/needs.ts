import { dataOf, listMyNeeds, type Need } from '@hamlet/contract';
import { printable } from '../talk/printable.ts';
import { age, brief, listed } from '../table.ts';
import { apiCommand } from '../village-api.ts';

const LINE_CHARS = 90;

/** The command that settles a need; the page in the web without one. Pure. */
function remedyOf({ kind, id, link, agent_id: agent, remedy }: Need): string {
  if (kind === 'permission' || kind === 'question') return `kubectl hamlet permissions ${agent ?? ''}`.trimEnd();
  return remedy?.route === 'createRun' ? `kubectl hamlet run ${id} continue` : link;
}

export const needsLines = (needs: readonly Need[], nowMs: number): string =>
  listed(needs, 'nothing waits for you', {
    AGE: ({ since }) => age(since, nowMs),
    AGENT: ({ agent_id }) => agent_id ?? '-',
    NEEDS: ({ line }) => printable(brief(line, LINE_CHARS)),
    SETTLE: remedyOf,
  });

export const needs = apiCommand({
  name: 'needs',
  usage: '',
  summary: 'lists what waits for you: requests, results, work that cannot continue; exits 1 if there is anything',
  details:
    'A member sees what they may settle, an admin also agents, flags and payments. SETTLE is a command, or a page of the web.',
  options: {},
  names: [0, 0],
  act: () => undefined,
  read: (api) => dataOf(api.call(listMyNeeds, {})),
  text: ({ needs: found, more }, _act, nowMs) => [
    needsLines(found, nowMs),
    ...(more ? ['there is more: settle some, and the rest appears'] : []),
  ],
  exit: ({ needs: found }) => (found.length === 0 ? 0 : 1),
});
