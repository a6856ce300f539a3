import { formatAiDollars, LIMIT_CODES, modelFailure, type Need, PANICS, PROVIDER_FAILURES } from '@hamlet/contract';
import type { NeedRow, StoredNeedKind } from '@hamlet/store';
import { agentPage, runPage } from './web-links.ts';

/** The part of a need that its reader decides. */
type Words = Pick<Need, 'line' | 'link' | 'remedy'>;

/** A reader who is an admin may do more about a need. */
export type NeedReader = Readonly<{ isAdmin: boolean }>;

const REQUESTS = '/?view=needs';

/** The page on which a reader gives an agent more tokens: an admin buys them, a member rewards the agent. */
export const tokensPage = (agentId: string | null, { isAdmin }: NeedReader): string =>
  isAdmin ? '/?view=market' : agentPage(agentId, 'money');

const dollars = (micros: string): string => `${formatAiDollars(BigInt(micros))} ai$`;

const OF_TOKENS = 'token_quota_exhausted';
const OF_MONEY = 'insufficient_funds';
/** Waits that a person can end; an overloaded provider recovers by itself. */
export const PARKED_CODES: readonly string[] = [
  ...Object.entries(PROVIDER_FAILURES).flatMap(([code, { mender }]) =>
    mender === 'admin' || mender === 'account' ? [code] : [],
  ),
  OF_TOKENS,
  OF_MONEY,
  'model_not_in_tier',
  'model_not_served',
];

/** Ends of runs after which a person says how the work continues. */
export const STOPPED_CODES: readonly string[] = [...LIMIT_CODES, ...Object.keys(PANICS)];

const STOPPED: Readonly<Record<string, string>> = {
  budget_steps: 'its limit of steps',
  budget_tokens: 'its limit of tokens',
  budget_money: 'its limit of money',
  budget_time: 'its limit of time',
  time_limit: 'its limit of time',
  no_progress: 'a loop: it repeated itself',
  tests_keep_failing: 'a loop: the same tests failed six times in a row',
  network_keeps_timing_out: 'a loop: the network timed out six times in a row',
  shared_branch_forced: 'a loop: it updated a shared branch by force',
  access_denied: 'a loop: access was denied six times in a row',
  disk_full: 'a full disk',
};

function parkedLink({ id, agentId, about }: NeedRow, reader: NeedReader): string {
  if (about === OF_TOKENS) return tokensPage(agentId, reader);
  if (about === OF_MONEY) return agentPage(agentId, 'money');
  return reader.isAdmin ? '/?view=models' : runPage(id);
}

const asked = (line: string, remedy: Need['remedy']): Words => ({ line, link: REQUESTS, remedy });
const linked = (line: string, link: string): Words => ({ line, link, remedy: null });

const WORDS: Readonly<Record<StoredNeedKind, (row: NeedRow, reader: NeedReader) => Words>> = {
  permission: ({ about }) =>
    asked(`asks for permission to use ${about}`, { route: 'answerPermission', label: 'Allow' }),
  question: () => asked('asks you a question', null),
  result: ({ id, about }) => ({
    line: `finished a task for which you offered ${dollars(about)}`,
    link: runPage(id),
    remedy: { route: 'acceptOffer', label: `Accept and pay ${dollars(about)}` },
  }),
  parked: (row, reader) =>
    linked(
      `cannot continue a task: ${modelFailure(row.about)?.cause ?? 'its model does not answer'}`,
      parkedLink(row, reader),
    ),
  stopped: ({ id, about, inSession }) => ({
    line: `stopped a task at ${STOPPED[about] ?? 'a limit'}`,
    link: runPage(id),
    // The work of a conversation continues with a message.
    remedy: LIMIT_CODES.includes(about) && !inSession ? { route: 'createRun', label: 'Continue' } : null,
  }),
  failing: ({ agentId }) => linked('failed its last three tasks', `/?view=runs&who=${agentId}&state=failed`),
  moderation: () => linked('A flagged text waits for a decision', '/?view=moderation'),
  difference: () => linked('A payment differs from the statement of its provider', '/?view=payments'),
  mail: ({ id, about }) =>
    linked(
      `${id === 'push' ? 'A push service does not accept notices' : 'The mail server does not accept email'} (${about})`,
      '/?view=settings',
    ),
  credit: ({ about }) => linked(`gets ${dollars(about)} for a payment if you approve`, '/?view=payments'),
};

/** A need that the database knows, in words and with the route that settles it. Pure. */
export function needOf(row: NeedRow, reader: NeedReader): Need {
  const { kind, id, agentId, since } = row;
  return { kind, id, agent_id: agentId, since: since.toISOString(), ...WORDS[kind](row, reader) };
}
