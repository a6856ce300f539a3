import type { PermissionAnswer } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import { visibleText } from '@hamlet/core/visible-text';
import type { KeptArtifact, PermissionRow, RunRow } from '@hamlet/store';
import type { OutgoingMessage } from '../bot-port.ts';
import { pressData } from './read-wish.ts';
import { splitText } from './split-text.ts';

/** A longer answer ends with the advice to read it in the village. */
const PARTS_MAX = 8;
const FILES_MAX = 10;
const NAMES_MAX_CHARS = 1_000;
const TAINTED = 'Text from outside has reached this run: check the call as if a stranger asked for it.';
const CUT = 'The call is longer than a message: read all of it in the village to allow it.';
const WORDS: Readonly<Record<PermissionAnswer, string>> = {
  allow: 'Allow',
  deny: 'Deny',
  happened: 'It happened',
  repeat: 'Do it again',
};

function answersOf({ why }: Pick<PermissionRow, 'why'>): readonly PermissionAnswer[] {
  if (why === 'question') return [];
  return why === 'unknown' ? ['happened', 'repeat', 'deny'] : ['allow', 'deny'];
}

type Asked = Pick<PermissionRow, 'permissionId' | 'why' | 'question' | 'tool' | 'reason' | 'arguments'>;

interface RequestShape {
  readonly maxChars: number;
  /** True if text from outside has reached the run. */
  readonly isTainted: boolean;
}

/**
 * The message about a request of an agent. Arguments are shown as text with every hidden character visible. A person can
 * allow only a call that the message shows complete. Pure.
 */
export function requestMessage(row: Asked, { maxChars, isTainted }: RequestShape): Omit<OutgoingMessage, 'to'> {
  const { permissionId, why, question, tool, reason } = row;
  if (why === 'question' && question !== null)
    return { text: `${shorten(question, maxChars - 40)}\n\nYour next message answers.` };
  const asks = why === 'unknown' ? `Did this call of ${tool} happen?` : `May I call ${tool}?`;
  const lines = [...(isTainted ? [TAINTED] : []), `${asks} ${visibleText(reason)}`];
  const head = shorten(lines.join('\n'), Math.floor(maxChars / 2));
  const call = visibleText(row.arguments);
  const room = maxChars - head.length - CUT.length - 3;
  const isWhole = call.length <= room;
  const answers = isWhole ? answersOf(row) : (['deny'] as const);
  return {
    text: isWhole ? `${head}\n${call}` : `${head}\n${shorten(call, room)}\n\n${CUT}`,
    buttons: answers.map((answer) => ({ text: WORDS[answer], data: pressData(permissionId, answer) })),
  };
}

function resultText({ state, summary }: Pick<RunRow, 'state' | 'summary'>, answer: string | undefined): string {
  if (state === 'cancelled') return 'The work on this message was cancelled.';
  if (state === 'done') return [answer, summary].find((text) => text?.trim()) ?? 'Done.';
  return `I could not finish this. ${summary ?? ''}`.trim();
}

/** The result of an ended run as at most eight messages. Pure. */
export function resultParts(
  row: Pick<RunRow, 'state' | 'summary'>,
  answer: string | undefined,
  maxChars: number,
): readonly string[] {
  const parts = splitText(resultText(row, answer), maxChars);
  if (parts.length <= PARTS_MAX) return parts;
  return [...parts.slice(0, PARTS_MAX - 1), 'The answer is longer: read all of it in the village.'];
}

interface SentFiles {
  /** Oldest first, the newest version of each name. */
  readonly sent: readonly KeptArtifact[];
  /** Words about the deliverables that stay in the village; null if all are sent. */
  readonly rest: string | null;
}

/** The deliverables that go to the messenger. Pure. @param artifacts of a run, newest first */
export function filesToSend(artifacts: readonly KeptArtifact[], maxBytes: number): SentFiles {
  const delivered = artifacts.filter(({ deliverable }) => deliverable !== null);
  const newest = delivered.filter(({ name }, at) => delivered.findIndex((other) => other.name === name) === at);
  const fitting = newest.filter(({ bytes }) => bytes <= maxBytes).slice(0, FILES_MAX);
  const rest = newest.filter((file) => !fitting.includes(file)).map(({ name }) => name);
  const words = `More files of this answer are in the village: ${rest.join(', ')}`;
  return { sent: fitting.toReversed(), rest: rest.length === 0 ? null : shorten(words, NAMES_MAX_CHARS) };
}
