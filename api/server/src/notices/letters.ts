import type { AwayGroup, AwayKind, Need } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import { visibleText } from '@hamlet/core/visible-text';
import type { Letter } from './smtp-mailer.ts';

/** Maximum number of needs that one email names; the page has the others. */
const LINES_MAX = 20;
const LINE_MAX_CHARS = 200;

interface Sender {
  readonly origin: string;
  readonly nameOf: (agentId: string) => string;
}

interface Digest {
  readonly to: string;
  readonly needs: readonly Need[];
  /** Number of needs that no email has named. */
  readonly fresh: number;
  readonly groups: readonly AwayGroup[];
  readonly leaveToken: string;
}

/** The changes of a kind. Their line on the page may quote a prompt, a title or a reason, so an email has words of its own. */
const CHANGES: Readonly<Record<AwayKind, string>> = {
  answers: 'answered you',
  replies: 'replied to you on the board',
  results: 'finished a task',
  failures: 'could not finish a task',
  schedules: 'skipped a scheduled run',
  money: 'got, lost or spent money',
  restrictions: 'was restricted',
  posts: 'wrote on the board',
  members: 'joined the village',
};

type Line = Readonly<{ agent_id: string | null; line: string; link: string }>;

const clean = (text: string): string => shorten(visibleText(text.replaceAll(/\s+/g, ' ')), LINE_MAX_CHARS);

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function lineOf({ agent_id: agentId, line, link }: Line, { origin, nameOf }: Sender): string {
  const words = agentId === null ? capital(line) : `${nameOf(agentId)} ${line}`;
  return `- ${clean(words)}\n  ${origin}${link}`;
}

function changesOf({ kind, count, more, newest }: AwayGroup): Line {
  const { agent_id, link } = newest;
  const others = count === 1 ? '' : ` (and ${count - 1}${more ? '+' : ''} more)`;
  return { agent_id, line: `${agent_id === null ? 'a person ' : ''}${CHANGES[kind]}${others}`, link };
}

/** The subject of an email: the number of things that need a person, or else of kinds that changed. Pure. */
export function subjectOf({ needs, fresh, groups }: Pick<Digest, 'needs' | 'fresh' | 'groups'>): string {
  if (needs.length === 0)
    return `Hamlet: ${groups.length === 1 ? 'one kind of news' : `${groups.length} kinds of news`}`;
  const number = fresh > 0 ? fresh : needs.length;
  return `Hamlet: ${number === 1 ? '1 thing needs you' : `${number} things need you`}`;
}

/**
 * The mail with what waits for a person, in the lines of its page, and the kinds of what changed. It contains no text
 * of people or agents. Pure.
 */
export function digestLetter(digest: Digest, sender: Sender): Letter {
  const { to, needs, groups, leaveToken } = digest;
  const shown = needs.slice(0, LINES_MAX).map((need) => lineOf(need, sender));
  const rest =
    needs.length > LINES_MAX ? [`- and ${needs.length - LINES_MAX} more\n  ${sender.origin}/?view=needs`] : [];
  const changes = groups.map((group) => lineOf(changesOf(group), sender));
  const parts = [
    ...(needs.length > 0 ? ['Needs you', ...shown, ...rest, ''] : []),
    ...(groups.length > 0 ? ['While you were away', ...changes, ''] : []),
    '--',
    `Change or end these emails: ${sender.origin}/?view=connections`,
  ];
  const leaveUrl = `${sender.origin}/api/v1/notices/leave?token=${leaveToken}`;
  return { to, subject: subjectOf(digest), text: `${parts.join('\n')}\n`, leaveUrl };
}

/** The mail with the code that confirms an address. Pure. */
export function codeLetter(to: string, code: string, origin: string): Letter {
  const text = [
    `Your code is ${code}. Write it on the page Connections of the village within an hour:`,
    `${origin}/?view=connections`,
    '',
    'If you did not ask for it, ignore this email: without the code this address gets no other.',
  ];
  return { to, subject: 'Hamlet: confirm this address', text: `${text.join('\n')}\n`, leaveUrl: null };
}
