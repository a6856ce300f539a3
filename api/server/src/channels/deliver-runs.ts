import type { PermissionAnswer, RunState } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import {
  endChannelRun,
  findLinkedPerson,
  noteAsked,
  notePartsSent,
  readAnswersOfRuns,
  readChannelRuns,
  readPendingOfRuns,
  type ChannelRun,
  type Db,
  type PermissionRow,
  type RunRow,
} from '@hamlet/store';
import { findShownRun } from '../runs/audience/run-audience.ts';
import type { Bot } from './bots.ts';
import { callerOfPerson } from './channel-actor.ts';
import { splitText } from './text/split-text.ts';
import { telegramHtml } from './text/telegram-html.ts';
import { BotApiError, type OutgoingText } from './telegram/bot-api.ts';
import { pressData } from './telegram/read-update.ts';

const RUNS_AT_ONCE = 50;
/** Telegram takes 4,096 UTF-16 units after it has read the tags. */
const PART_MAX_CHARS = 4_000;
/** A longer answer ends with the advice to read it in the village. */
const PARTS_MAX = 8;
const ARGUMENTS_SHOWN_CHARS = 1_500;
const OVER: ReadonlySet<RunState> = new Set<RunState>(['done', 'failed', 'cancelled']);
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
function requestMessage(row: PermissionRow, chatId: number): OutgoingText {
  const { permissionId, why, question, tool, reason } = row;
  const buttons = answersOf(row).map((answer) => ({ text: WORDS[answer], data: pressData(permissionId, answer) }));
  if (why === 'question' && question !== null)
    return { chatId, text: `${shorten(question, PART_MAX_CHARS - 40)}\n\nYour next message answers.` };
  const asks = why === 'unknown' ? `Did this call of ${tool} happen?` : `May I call ${tool}?`;
  return { chatId, text: `${asks} ${reason}\n${shorten(row.arguments, ARGUMENTS_SHOWN_CHARS)}`, buttons };
}

function resultText(row: RunRow, answer: string | undefined): string {
  if (row.state === 'cancelled') return 'The work on this message was cancelled.';
  if (row.state === 'done') return [answer, row.summary].find((text) => text?.trim()) ?? 'Done.';
  return `I could not finish this. ${row.summary ?? ''}`.trim();
}

/** At most eight messages of one answer. Pure. */
function partsOf(text: string): readonly string[] {
  const parts = splitText(text, PART_MAX_CHARS);
  if (parts.length <= PARTS_MAX) return parts;
  return [...parts.slice(0, PARTS_MAX - 1), 'The answer is longer: read all of it in the village.'];
}

/** Sends with formatting, and plain if Telegram cannot read the formatting. */
async function sendPart({ api }: Bot, chatId: number, part: string): Promise<void> {
  try {
    await api.send({ chatId, text: telegramHtml(part), isHtml: true });
  } catch (error) {
    if (!(error instanceof BotApiError) || error.status !== 400) throw error;
    await api.send({ chatId, text: part });
  }
}

async function deliverAsked(db: Db, bot: Bot, { run, chatId }: { readonly run: ChannelRun; readonly chatId: number }) {
  const pending = (await readPendingOfRuns(db, [run.runId])).get(run.runId) ?? [];
  for (const row of pending.filter(({ permissionId }) => !run.asked.includes(permissionId))) {
    await bot.api.send(requestMessage(row, chatId));
    await noteAsked(db, run.runId, row.permissionId);
  }
}

/** The run as its person may read it; null without a link, during a ban, or if the person may not read it any more. */
async function readShown(db: Db, run: ChannelRun): Promise<{ readonly chatId: number; readonly row: RunRow | null }> {
  const person = await findLinkedPerson(db, { identityId: run.identityId });
  const caller = person === null ? null : callerOfPerson(person);
  const shown = caller?.ok === true ? await findShownRun(db, caller.data, run.runId) : null;
  // The id of a private chat is that of its person.
  const readable = shown?.ok === true && !shown.data.veiled;
  return { chatId: Number(person?.externalId), row: readable ? shown.data.row : null };
}

async function deliverRun(db: Db, bot: Bot, run: ChannelRun): Promise<void> {
  const { chatId, row } = await readShown(db, run);
  if (row === null) return endChannelRun(db, run.runId);
  if (!OVER.has(row.state)) return deliverAsked(db, bot, { run, chatId });
  const answer = (await readAnswersOfRuns(db, [run.runId])).get(run.runId);
  const parts = partsOf(resultText(row, answer));
  for (const [index, part] of parts.entries()) {
    if (index < run.partsSent) continue;
    await sendPart(bot, chatId, part);
    await notePartsSent(db, run.runId, index + 1);
  }
  await endChannelRun(db, run.runId);
}

/** True if a repeat cannot succeed: the person has blocked the bot, or the chat is gone. */
const isFinal = (error: unknown): boolean =>
  error instanceof BotApiError && (error.status === 400 || error.status === 403);

/**
 * Sends people the answers and requests of runs that their messages began. It notes a message after Telegram took it, so a crash
 * between the two repeats one message. A bot whose error `failed` receives waits for the next round.
 */
export async function deliverRuns(
  db: Db,
  bots: readonly Bot[],
  failed: (bot: Bot, error: unknown) => void,
): Promise<void> {
  const byAgent = new Map(bots.map((bot) => [bot.agentId, bot]));
  const broken = new Set<Bot>();
  for (const run of await readChannelRuns(db, [...byAgent.keys()], RUNS_AT_ONCE)) {
    const bot = byAgent.get(run.agentId);
    if (bot === undefined || broken.has(bot)) continue;
    try {
      await deliverRun(db, bot, run);
    } catch (error) {
      if (isFinal(error)) {
        await endChannelRun(db, run.runId);
        continue;
      }
      broken.add(bot);
      failed(bot, error);
    }
  }
}
