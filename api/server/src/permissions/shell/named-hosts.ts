import { judgeEgressHost, wordsOfPerson } from '@hamlet/core';
import {
  deny,
  hostsInCommand,
  hostsInMessage,
  hostsInWords,
  isAskableHost,
  judgeConnection,
  opensWith,
  type Destination,
  type EgressDenial,
} from '@hamlet/core/egress';
import { findRun, type RunRow, type Tx } from '@hamlet/store';
import { refuseShut } from '../../egress/egress-of.ts';
import type { Village } from '../../village.ts';
import { commandOf, type AskedCall } from './judge-hands-call.ts';

const PARTLY_OPEN = deny('egress_not_allowed', 'rules open parts of this host alone; ask an admin to change them');

/** The roles of people who give runs. An agent writes the prompts of its workers, and may write those of Schedules. */
const PEOPLE: ReadonlySet<string> = new Set(['admin', 'member']);

/** Repeats of repeats that are searched for the author of a prompt. */
export const REPEATS_MAX = 16;

type Rules = Pick<Village, 'egressOf' | 'policyOfRun'>;
type Refusal = Readonly<{ by: 'egress'; denial: EgressDenial } | { by: 'policy'; reason: string }>;

/** Why no answer of a person opens a host to a run; null for a host that an admin may open. */
export function refuseOpening({ egressOf, policyOfRun }: Rules, host: Destination, run: RunRow): Refusal | null {
  const rules = egressOf(run.agentId);
  const connection = refuseShut(rules) ?? judgeConnection(rules, host);
  if (connection.verdict !== 'deny') return { by: 'egress', denial: PARTLY_OPEN };
  if (connection.code !== 'egress_not_allowed' || !isAskableHost(host)) return { by: 'egress', denial: connection };
  const { verdict, reason } = judgeEgressHost(policyOfRun(run));
  return verdict === 'deny' ? { by: 'policy', reason } : null;
}

/** A host as a permission stores and shows it. */
export const hostName = ({ host, port }: Destination): string => `${host}:${port}`;

/** The ports that an admin opens with a closed host: those that no rule opens or denies. */
export const openedWith = (rules: Rules, run: RunRow, host: Destination): readonly Destination[] =>
  opensWith(host).filter((each) => refuseOpening(rules, each, run) === null);

/** The closed hosts in the addresses of a command, which an admin opens by allowing the command. */
export function hostsOpenedBy(rules: Rules, run: RunRow, call: AskedCall): readonly Destination[] {
  return closedOf(rules, run, hostsInCommand(commandOf(call) ?? ''));
}

/** The closed hosts in the addresses of the message or task that a person wrote for the run itself, or for the one that it repeats. */
export async function hostsNamedByPerson(tx: Tx, rules: Rules, run: RunRow): Promise<readonly Destination[]> {
  const first = run.parentRunId === null ? await firstOfRepeats(tx, run) : null;
  return first !== null && PEOPLE.has(first.createdByRole)
    ? closedOf(rules, run, hostsInMessage(wordsOfPerson(run.prompt)))
    : [];
}

/** The run for which the prompt was written: a repeat has the prompt of an earlier run. Null if that is gone, or too many repeats lie between. */
async function firstOfRepeats(tx: Tx, run: RunRow): Promise<RunRow | null> {
  let first: RunRow | null = run;
  for (let left = REPEATS_MAX; first?.workflow?.rerun !== undefined; left -= 1)
    first = left === 0 ? null : await findRun(tx, first.workflow.rerun.run_id);
  return first;
}

function closedOf(rules: Rules, run: RunRow, named: readonly Destination[]): readonly Destination[] {
  const opened = named
    .filter((host) => refuseOpening(rules, host, run) === null)
    .flatMap((host) => openedWith(rules, run, host));
  return [...new Map(opened.map((host) => [hostName(host), host])).values()];
}

/** A sentence about `hostsOpenedBy` for the person who decides; empty without such hosts. */
export function openingInWords(opens: readonly Destination[]): string {
  return opens.length === 0
    ? ''
    : `. An admin who allows it also opens ${hostsInWords(opens)} to this run, for reading`;
}
