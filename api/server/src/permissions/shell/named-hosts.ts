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
import type { RunRow } from '@hamlet/store';
import { refuseShut } from '../../egress/egress-of.ts';
import type { Village } from '../../village.ts';
import { commandOf, type AskedCall } from './judge-hands-call.ts';

const PARTLY_OPEN = deny('egress_not_allowed', 'rules open parts of this host alone; ask an admin to change them');

/** The roles of people who give runs. An agent writes the prompts of its workers, and may write those of Schedules. */
const PEOPLE: ReadonlySet<string> = new Set(['admin', 'member']);

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

/** The closed hosts in the addresses of the message or task that a person wrote for the run itself. */
export const hostsNamedByPerson = (rules: Rules, run: RunRow): readonly Destination[] =>
  PEOPLE.has(run.createdByRole) && run.parentRunId === null
    ? closedOf(rules, run, hostsInMessage(wordsOfPerson(run.prompt)))
    : [];

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
