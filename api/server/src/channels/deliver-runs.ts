import type { RunState } from '@hamlet/contract';
import {
  endChannelRun,
  findLinkedPerson,
  noteAsked,
  notePartsSent,
  noteReportShown,
  postponeChannelRun,
  readAnswersOfRuns,
  readArtifactContent,
  readArtifactsOfRuns,
  readPendingOfRuns,
  type ChannelRun,
  type Db,
  type RunRow,
} from '@hamlet/store';
import { shorten } from '@hamlet/core';
import { findShownRun } from '../runs/audience/run-audience.ts';
import { type Bot, BotRefusal } from './bot-port.ts';
import { callerOfPerson } from './channel-actor.ts';
import { filesToSend, requestMessage, resultParts } from './text/delivery-text.ts';

const UNSHOWN = 'A part of this cannot be shown here: read it in the village.';
/** Number of a run's artifacts that are searched for deliverables. */
const ARTIFACTS_READ = 100;
/** This many failed runs in one round count as an outage of the messenger. */
const FAILURES_MAX = 3;
const OVER: ReadonlySet<RunState> = new Set<RunState>(['done', 'failed', 'cancelled']);

interface DeliveryPorts {
  readonly db: Db;
  /** False once this replica may send no more: it ends, or another one leads. */
  readonly isActive: () => boolean;
}

interface Delivery extends DeliveryPorts {
  readonly bot: Bot;
  readonly run: ChannelRun;
  /** Id of the person at the messenger. */
  readonly to: string;
  readonly row: RunRow;
}

const isFinal = (error: unknown): boolean => error instanceof BotRefusal && error.isFinal;
const cannotArrive = ({ isOverdue }: ChannelRun, error: unknown): boolean => isOverdue || isFinal(error);
const asksToWait = (error: unknown): boolean => error instanceof BotRefusal && error.retryAfterS !== null;

/**
 * Sends a part. If the messenger can never take it, sends words in its place, so that the other parts follow. Rejects
 * if the messenger refuses those too, because the person is then gone.
 */
async function sendPart({ bot, to }: Delivery, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!isFinal(error)) throw error;
    await bot.send({ to, text: UNSHOWN });
  }
}

async function deliverAsked(delivery: Delivery): Promise<void> {
  const { db, bot, run, to, row } = delivery;
  const pending = (await readPendingOfRuns(db, [run.runId])).get(run.runId) ?? [];
  for (const request of pending.filter(({ permissionId }) => !run.asked.includes(permissionId))) {
    const message = requestMessage(request, { maxChars: bot.partMaxChars, isTainted: row.taint !== null });
    await sendPart(delivery, () => bot.send({ to, ...message }));
    await noteAsked(db, run.runId, request.permissionId);
  }
}

/** One message shows the newest report of a run. If the person has deleted it, it stays deleted. */
async function deliverReport({ db, bot, run, to }: Delivery): Promise<void> {
  if (run.report === null) return;
  const { version, text } = run.report;
  const message = { to, text: shorten(text, bot.partMaxChars), isMarkdown: true };
  let messageId = run.reportId;
  if (messageId === null) messageId = await bot.send(message);
  else await unlessFinal(bot.edit(messageId, message));
  await noteReportShown(db, run.runId, { messageId, version });
}

async function unlessFinal(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isFinal(error)) throw error;
  }
}

/** The run as its person may read it; null without a link, during a ban, or if the person may not read it any more. */
async function readShown(
  db: Db,
  { identityId, runId }: ChannelRun,
): Promise<{ readonly to: string; readonly row: RunRow } | null> {
  const person = await findLinkedPerson(db, { identityId });
  if (person === null) return null;
  const caller = callerOfPerson(person);
  const shown = caller.ok ? await findShownRun(db, caller.data, runId) : caller;
  return shown.ok && !shown.data.veiled ? { to: person.externalId, row: shown.data.row } : null;
}

/** The deliveries of an ended run, in order: parts of its answer, then its files, whose readers are those of its texts. */
async function resultOf({ db, bot, run, to, row }: Delivery): Promise<readonly (() => Promise<unknown>)[]> {
  const { runId } = run;
  const answer = (await readAnswersOfRuns(db, [runId])).get(runId);
  const artifacts = (await readArtifactsOfRuns(db, [runId], ARTIFACTS_READ)).get(runId) ?? [];
  const { sent, rest } = filesToSend(artifacts, bot.fileMaxBytes);
  const sendFile = async ({ artifactId, name, mediaType }: (typeof sent)[number]): Promise<void> => {
    const content = await readArtifactContent(db, artifactId);
    if (content !== null) await bot.sendFile({ to, name, mediaType, content });
  };
  return [
    ...resultParts(row, answer, bot.partMaxChars).map((text) => () => bot.send({ to, text, isMarkdown: true })),
    ...sent.map((file) => () => sendFile(file)),
    ...(rest === null ? [] : [() => bot.send({ to, text: rest })]),
  ];
}

async function deliverResult(delivery: Delivery): Promise<void> {
  const { db, isActive, bot, run, to } = delivery;
  if (run.reportId !== null && run.partsSent === 0) await unlessFinal(bot.remove(to, run.reportId));
  for (const [index, send] of (await resultOf(delivery)).entries()) {
    if (index < run.partsSent) continue;
    if (!isActive()) return;
    await sendPart(delivery, send);
    await notePartsSent(db, run.runId, index + 1);
  }
  await endChannelRun(db, run.runId);
}

async function deliverRun(ports: DeliveryPorts, bot: Bot, run: ChannelRun): Promise<void> {
  const shown = await readShown(ports.db, run);
  if (shown === null) return endChannelRun(ports.db, run.runId);
  const delivery = { ...ports, bot, run, ...shown };
  if (OVER.has(shown.row.state)) return deliverResult(delivery);
  await deliverAsked(delivery);
  await deliverReport(delivery);
}

/**
 * Sends people the answers, files, reports and requests of runs that their messages began. It notes a message after the
 * messenger took it, so a crash between the two repeats one message. Rejects if the bot must wait. A run that fails while
 * another succeeds is tried again after all others; one that fails a day after its end is given up.
 */
export async function deliverRuns(ports: DeliveryPorts, bot: Bot, runs: readonly ChannelRun[]): Promise<void> {
  const { db, isActive } = ports;
  const failed: { readonly runId: string; readonly error: unknown }[] = [];
  let delivered = 0;
  for (const run of runs) {
    if (!isActive() || failed.length === FAILURES_MAX) break;
    try {
      await deliverRun(ports, bot, run);
      delivered += 1;
    } catch (error) {
      if (asksToWait(error)) throw error;
      if (cannotArrive(run, error)) await endChannelRun(db, run.runId);
      else failed.push({ runId: run.runId, error });
    }
  }
  if (delivered > 0) for (const { runId } of failed) await postponeChannelRun(db, runId);
  const [first] = failed;
  if (first !== undefined) throw first.error;
}
