import type { PermissionAnswer } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import type { KeptArtifact, PermissionRow, RunRow } from '@hamlet/store';
import type { OutgoingMessage } from '../bot-port.ts';
import { pressData } from './read-wish.ts';
import { splitText } from './split-text.ts';

/** A longer answer ends with the advice to read it in the village. */
const PARTS_MAX = 8;
/** Files of one answer. */
const FILES_MAX = 10;
const NAMES_MAX_CHARS = 1_000;
const ARGUMENTS_SHOWN_CHARS = 1_500;
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

/** The message about a request of an agent. Arguments are shown as text. Pure. */
export function requestMessage(row: PermissionRow, maxChars: number): Omit<OutgoingMessage, 'to'> {
  const { permissionId, why, question, tool, reason } = row;
  const buttons = answersOf(row).map((answer) => ({ text: WORDS[answer], data: pressData(permissionId, answer) }));
  if (why === 'question' && question !== null)
    return { text: `${shorten(question, maxChars - 40)}\n\nYour next message answers.` };
  const asks = why === 'unknown' ? `Did this call of ${tool} happen?` : `May I call ${tool}?`;
  return { text: `${asks} ${reason}\n${shorten(row.arguments, ARGUMENTS_SHOWN_CHARS)}`, buttons };
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
