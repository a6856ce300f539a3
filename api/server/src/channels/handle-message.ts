import {
  answerPermission,
  createRun,
  createSession,
  endSession,
  sendMessage,
  type Refusal,
  type RouteSpec,
} from '@hamlet/contract';
import {
  findChannelSession,
  findCodeAccount,
  findLinkedPerson,
  inTransaction,
  keepChannelSession,
  linkIdentity,
  noteChannelRun,
  takeChannelCode,
  type Db,
  type LinkedPerson,
} from '@hamlet/store';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditAccount } from '../auth/account-actor.ts';
import { hashOf } from '../auth/secrets.ts';
import type { Caller, DataOf } from '../http/handler.ts';
import { requestVillage, type RouteInput, type VillageRequestPorts } from '../http/pipeline/request-village.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { problemOf, refusalOfError, UnavailableError } from '../http/respond.ts';
import type { Log } from '../service/log.ts';
import { accepted, type Outcome, type Refused } from '../http/outcome.ts';
import { callerOfPerson } from './channel-actor.ts';
import type { Bot, Received, Reply, Wish } from './bot-port.ts';
import { linkButtons } from './text/read-wish.ts';

/** The routes by which messages change something. */
type ChannelRoute = 'createRun' | 'createSession' | 'endSession' | 'sendMessage' | 'answerPermission';

export interface MessagePorts extends VillageRequestPorts<ChannelRoute> {
  readonly db: Db;
  readonly log: Log;
  readonly monotonicMs: () => number;
  /** Pause before the first retry of a message, in milliseconds; each next one is twice as long. */
  readonly retryMs?: number;
}

type Answering = Pick<Bot, 'channel' | 'agentId' | 'id' | 'commandSign'>;

const ATTEMPTS = { name: 'channel-strangers', quota: 3, windowS: 60 };
const STRANGER =
  'This chat is not linked to an account of the village. Open Connections in the village, create a code, and send it here.';
const linkedTo = (name: string, { commandSign }: Answering): string =>
  `Linked to the account ${name} of the village. Write to me, and I answer here. ` +
  `${commandSign}new begins another conversation.`;
const asksToLink = (name: string): string =>
  `This code belongs to the account ${name} of the village. Is it yours? Link makes this chat speak for it, and its owner ` +
  `reads what you write here. If another person gave you the code, press Cancel.`;
const cancelled = (person: LinkedPerson | null): string =>
  person === null ? 'This chat is not linked.' : `This chat stays linked to the account ${person.name}.`;
const LINKED_ELSEWHERE =
  'This chat is linked to another account of the village: end that link under Connections there, then create a new code.';
const help = ({ commandSign }: Answering): string =>
  `Write to me, and I answer here. ${commandSign}new begins another conversation. ` +
  `${commandSign}pay 2.5 TASK offers me 2.5 ai$ for a task. Connections in the village ends the link.`;
const ONLY_TEXT = 'I can read only text here.';
const BEGUN = 'The next message begins another conversation.';
const LOST = 'I could not take this; send it again later.';
const WRONG_CODE = 'This code is unknown, used or expired: create another one under Connections in the village.';

/** Maximum number of retries of a message that the village cannot take now: 16 s together. */
const RETRIES_MAX = 6;
const RETRY_MS = 250;
const LATER: ReadonlySet<Refusal> = new Set<Refusal>(['unavailable', 'idempotency_in_flight']);
/** Refusals after which the buttons of a request have no effect. */
const DECIDED: ReadonlySet<Refusal> = new Set<Refusal>([
  'permission_answered',
  'permission_expired',
  'permission_stale',
  'no_such_permission',
]);

/** The village cannot carry out a message now, and may soon. */
class LaterError extends Error {
  readonly refusal: Refused;
  constructor(refusal: Refused) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

const words = (text: string | null): Reply => ({ text, isDecided: false });

type Coded = Pick<Received, 'sender'> & { readonly code: string };

interface Conversing {
  readonly bot: Answering;
  readonly person: LinkedPerson;
  readonly caller: Caller;
  /** Unique for the update, so that its effect happens once. */
  readonly key: string;
}

const wordsOf = (refusal: Parameters<typeof problemOf>[0]): string => problemOf(refusal, randomUUID()).detail;

type LinkKind = 'link' | 'confirm_link' | 'cancel_link';
const isLinkWish = (wish: Wish): wish is Extract<Wish, { kind: LinkKind }> =>
  wish.kind === 'link' || wish.kind === 'confirm_link' || wish.kind === 'cancel_link';

/** From a linked person, a word of ten letters is a word, not a code. */
function wishOfLinked(wish: Wish): Wish {
  return wish.kind === 'link' && wish.word !== null ? { kind: 'say', text: wish.word } : wish;
}

/** Carries out what a message wants, each update once. Returns the reply; null if there is none. */
export class MessageHandler {
  readonly #ports: MessagePorts;
  readonly #strangers = new RateLimiter();

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  async #ask<const R extends RouteSpec & { readonly name: ChannelRoute }>(
    { bot, caller, key }: Conversing,
    route: R,
    input: RouteInput,
  ): Promise<Outcome<DataOf<R>>> {
    // A message that goes to another session, after the known one has ended, is another request.
    const on = Object.values(input.params ?? {}).join(' ');
    const keyed = { ...caller, address: bot.channel, key: `${key} ${route.name} ${on}` };
    const outcome = (await requestVillage(this.#ports, route, { caller: keyed, input })) as Outcome<DataOf<R>>;
    if (!outcome.ok && LATER.has(outcome.reason)) throw new LaterError(outcome);
    return outcome;
  }

  async #openSession(conversing: Conversing): Promise<Outcome<string>> {
    const { bot, person } = conversing;
    const created = await this.#ask(conversing, createSession, { params: { agent_id: bot.agentId }, body: {} });
    if (!created.ok) return created;
    const { session_id: sessionId } = created.data.session;
    await keepChannelSession(this.#ports.db, { identityId: person.identityId, agentId: bot.agentId, sessionId });
    return accepted(sessionId);
  }

  async #say(conversing: Conversing, text: string): Promise<string | null> {
    const { bot, person } = conversing;
    const of = { identityId: person.identityId, agentId: bot.agentId };
    const known = await findChannelSession(this.#ports.db, of);
    const send = (sessionId: string) =>
      this.#ask(conversing, sendMessage, { params: { session_id: sessionId }, body: { text } });
    let sent = known === null ? null : await send(known);
    const isOver = sent !== null && !sent.ok && ['session_terminated', 'no_such_session'].includes(sent.reason);
    if (sent === null || isOver) {
      const opened = await this.#openSession(conversing);
      if (!opened.ok) return wordsOf(opened);
      sent = await send(opened.data);
    }
    if (!sent.ok) return wordsOf(sent);
    await noteChannelRun(this.#ports.db, { ...of, runId: sent.data.run.run_id });
    const waits = sent.data.wake === 'suspended' || sent.data.wake === 'never';
    return waits ? 'I am asleep: your message waits until a person awakens me in the village.' : null;
  }

  /** Holds the money. The person pays or refuses in the village, where the whole result is. */
  async #offer(conversing: Conversing, { amount, task }: Extract<Wish, { kind: 'offer' }>): Promise<string> {
    const { bot, person } = conversing;
    const offering = callerOfPerson(person, ['work', 'spend']);
    if (!offering.ok) return wordsOf(offering);
    const input = { params: { agent_id: bot.agentId }, body: { prompt: task, offer: { amount } } };
    const created = await this.#ask({ ...conversing, caller: offering.data }, createRun, input);
    if (!created.ok) return wordsOf(created);
    const { run, offer } = created.data;
    const of = { identityId: person.identityId, agentId: bot.agentId };
    await noteChannelRun(this.#ports.db, { ...of, runId: run.run_id });
    const held = offer?.amount ?? amount;
    return `${held} ai$ are held for this. When the result is here, pay or refuse it under Needs you in the village.`;
  }

  async #beginNew(conversing: Conversing): Promise<string> {
    const { bot, person } = conversing;
    const known = await findChannelSession(this.#ports.db, { identityId: person.identityId, agentId: bot.agentId });
    if (known === null) return BEGUN;
    const ended = await this.#ask(conversing, endSession, { params: { session_id: known } });
    return ended.ok || ended.reason === 'no_such_session' ? BEGUN : wordsOf(ended);
  }

  async #answer(conversing: Conversing, wish: Extract<Wish, { kind: 'answer' }>): Promise<Reply> {
    const params = { permission_id: wish.permissionId };
    const answered = await this.#ask(conversing, answerPermission, { params, body: { answer: wish.answer } });
    if (answered.ok) return { text: `Noted: ${wish.answer}.`, isDecided: true };
    return { text: wordsOf(answered), isDecided: DECIDED.has(answered.reason) };
  }

  /** Asks before it links: the code can come from a stranger, who would then read what the person writes. */
  async #askToLink(bot: Answering, { sender, code }: Coded, person: LinkedPerson | null): Promise<Reply> {
    const account = await findCodeAccount(this.#ports.db, hashOf(code));
    if (account === null) return words(WRONG_CODE);
    if (person?.accountId === account.accountId) return words(await this.#link(bot, { sender, code }, person));
    if (person !== null) return words(LINKED_ELSEWHERE);
    return { ...words(asksToLink(account.name)), buttons: linkButtons(code) };
  }

  /** Answers a wish to link, and everything that an unlinked chat says. */
  async #answerLink(bot: Answering, { sender, wish }: Pick<Received, 'sender' | 'wish'>, person: LinkedPerson | null) {
    switch (wish.kind) {
      case 'link':
        return this.#askToLink(bot, { sender, code: wish.code }, person);
      case 'confirm_link':
        return { text: await this.#link(bot, { sender, code: wish.code }, person), isDecided: true, stays: true };
      case 'cancel_link':
        return { text: cancelled(person), isDecided: true };
      default:
        return words(STRANGER);
    }
  }

  /** A code never changes the account of a chat, because a stranger's link can contain a code. */
  async #link(bot: Answering, { sender, code }: Coded, person: LinkedPerson | null): Promise<string> {
    return inTransaction(this.#ports.db, async (tx) => {
      const account = await takeChannelCode(tx, hashOf(code));
      if (account === null) return WRONG_CODE;
      const { accountId } = account;
      const { channel } = bot;
      if (person !== null && person.accountId !== accountId) return LINKED_ELSEWHERE;
      const of = { channel, externalId: sender.id, name: sender.name };
      const identityId = await linkIdentity(tx, of, accountId);
      const acting = { actor: { role: 'system', id: channel }, requestId: randomUUID(), traceparent: null };
      const detail = { channel, name: sender.name, identity_id: identityId };
      await auditAccount(tx, acting, { accountId, action: 'channel.link', detail });
      return linkedTo(account.name, bot);
    });
  }

  async #converse(conversing: Conversing, wish: Exclude<Wish, { kind: LinkKind }>): Promise<Reply> {
    switch (wish.kind) {
      case 'say':
        return words(await this.#say(conversing, wish.text));
      case 'offer':
        return words(await this.#offer(conversing, wish));
      case 'answer':
        return this.#answer(conversing, wish);
      case 'begin_new':
        return words(await this.#beginNew(conversing));
      case 'help':
        return words(help(conversing.bot));
      case 'unreadable':
        return words(ONLY_TEXT);
    }
  }

  /**
   * Carries out a message, and retries it while the village cannot take it. Rejects only during an outage of the database,
   * and when `signal` aborts: a message that fails otherwise would fail again, and hold up those behind it.
   */
  async reply(bot: Answering, received: Received, signal: AbortSignal): Promise<Reply> {
    const { log, retryMs = RETRY_MS } = this.#ports;
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.#reply(bot, received);
      } catch (error) {
        const refusal = error instanceof LaterError ? error.refusal : refusalOfError(error);
        if (!LATER.has(refusal.reason)) {
          log('error', 'a message through a messenger failed', { agent: bot.agentId, error });
          return words(wordsOf(refusal));
        }
        if (retry === RETRIES_MAX) return this.#giveUp(error, refusal);
      }
      await sleep(retryMs * 2 ** retry, undefined, { signal });
    }
  }

  /** During an outage of the database, the bot cannot keep its place either, so the message comes again. */
  #giveUp(error: unknown, refusal: Refused): Reply {
    if (!(error instanceof LaterError || error instanceof UnavailableError)) throw error;
    return words(`${LOST} ${wordsOf(refusal)}`);
  }

  async #reply(bot: Answering, received: Received): Promise<Reply> {
    const { channel } = bot;
    const { sender, updateId } = received;
    const person = await findLinkedPerson(this.#ports.db, { channel, externalId: sender.id });
    const wish = person === null ? received.wish : wishOfLinked(received.wish);
    if (person === null || isLinkWish(wish)) {
      const key = `${channel} ${sender.id}${received.press === null ? '' : ' press'}`;
      if (!this.#strangers.take(key, ATTEMPTS, this.#ports.monotonicMs()).allowed) return words(null);
      return this.#answerLink(bot, { sender, wish }, person);
    }
    const caller = callerOfPerson(person);
    if (!caller.ok) return words(wordsOf(caller));
    return this.#converse({ bot, person, caller: caller.data, key: `${channel} ${bot.id} ${updateId}` }, wish);
  }
}
