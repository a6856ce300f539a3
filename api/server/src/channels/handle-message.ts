import { answerPermission, createSession, endSession, sendMessage, type RouteSpec } from '@hamlet/contract';
import {
  findChannelSession,
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
import { auditAccount } from '../auth/account-actor.ts';
import { hashOf } from '../auth/secrets.ts';
import type { Caller, DataOf } from '../http/handler.ts';
import { requestVillage, type RouteInput, type VillageRequestPorts } from '../http/pipeline/request-village.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { problemOf, refusalOfError } from '../http/respond.ts';
import type { Log } from '../service/log.ts';
import { accepted, type Outcome } from '../http/outcome.ts';
import { callerOfPerson } from './channel-actor.ts';
import type { Received, Wish } from './telegram/read-update.ts';
import type { Bot } from './bots.ts';

/** The routes by which messages change something. */
type ChannelRoute = 'createSession' | 'endSession' | 'sendMessage' | 'answerPermission';

export interface MessagePorts extends VillageRequestPorts<ChannelRoute> {
  readonly db: Db;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

const ATTEMPTS = { name: 'channel-strangers', quota: 3, windowS: 60 };
const STRANGER =
  'This chat is not linked to an account of the village. Open Connections in the village, create a code, and send it here.';
const linkedTo = (name: string): string =>
  `Linked to the account ${name} of the village. Write to me, and I answer here. /new begins another conversation.`;
const LINKED_ELSEWHERE =
  'This chat is linked to another account of the village: end that link under Connections there, then create a new code.';
const HELP =
  'Write to me, and I answer here. /new begins another conversation. Connections in the village ends the link.';
const ONLY_TEXT = 'I can read only text here.';
const BEGUN = 'The next message begins another conversation.';
const WRONG_CODE = 'This code is unknown, used or expired: create another one under Connections in the village.';

interface Conversing {
  readonly bot: Bot;
  readonly person: LinkedPerson;
  readonly caller: Caller;
  /** Unique for the update, so that its effect happens once. */
  readonly key: string;
}

const wordsOf = (refusal: Parameters<typeof problemOf>[0]): string => problemOf(refusal, randomUUID()).detail;

/** To a person who is linked, a word of ten letters is a word, not a code. */
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
    { caller, key }: Pick<Conversing, 'caller' | 'key'>,
    route: R,
    input: RouteInput,
  ): Promise<Outcome<DataOf<R>>> {
    // A message that goes to another session, after the known one has ended, is another request.
    const on = Object.values(input.params ?? {}).join(' ');
    const keyed = { ...caller, address: 'telegram', key: `${key} ${route.name} ${on}` };
    return (await requestVillage(this.#ports, route, { caller: keyed, input })) as Outcome<DataOf<R>>;
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

  async #beginNew(conversing: Conversing): Promise<string> {
    const { bot, person } = conversing;
    const known = await findChannelSession(this.#ports.db, { identityId: person.identityId, agentId: bot.agentId });
    if (known === null) return BEGUN;
    const ended = await this.#ask(conversing, endSession, { params: { session_id: known } });
    return ended.ok || ended.reason === 'no_such_session' ? BEGUN : wordsOf(ended);
  }

  async #answer(conversing: Conversing, wish: Extract<Wish, { kind: 'answer' }>): Promise<string> {
    const params = { permission_id: wish.permissionId };
    const answered = await this.#ask(conversing, answerPermission, { params, body: { answer: wish.answer } });
    return answered.ok ? `Noted: ${wish.answer}.` : wordsOf(answered);
  }

  /** A chat never changes its account by a code, because a stranger's link can have one. */
  async #link(sender: Received['sender'], code: string, person: LinkedPerson | null): Promise<string> {
    return inTransaction(this.#ports.db, async (tx) => {
      const account = await takeChannelCode(tx, hashOf(code));
      if (account === null) return WRONG_CODE;
      const { accountId } = account;
      if (person !== null && person.accountId !== accountId) return LINKED_ELSEWHERE;
      const of = { channel: 'telegram', externalId: String(sender.id), name: sender.name } as const;
      const identityId = await linkIdentity(tx, of, accountId);
      const acting = { actor: { role: 'system', id: 'telegram' }, requestId: randomUUID(), traceparent: null };
      const detail = { channel: of.channel, name: sender.name, identity_id: identityId };
      await auditAccount(tx, acting, { accountId, action: 'channel.link', detail });
      return linkedTo(account.name);
    });
  }

  async #converse(conversing: Conversing, wish: Exclude<Wish, { kind: 'link' }>): Promise<string | null> {
    switch (wish.kind) {
      case 'say':
        return this.#say(conversing, wish.text);
      case 'answer':
        return this.#answer(conversing, wish);
      case 'begin_new':
        return this.#beginNew(conversing);
      case 'help':
        return HELP;
      case 'unreadable':
        return ONLY_TEXT;
    }
  }

  /** Throws only during an outage: a message that fails otherwise would fail again, and hold up those behind it. */
  async reply(bot: Bot, updateId: number, received: Received): Promise<string | null> {
    try {
      return await this.#reply(bot, updateId, received);
    } catch (error) {
      const refusal = refusalOfError(error);
      if (refusal.reason === 'unavailable') throw error;
      this.#ports.log('error', 'a message through a messenger failed', { agent: bot.agentId, error });
      return wordsOf(refusal);
    }
  }

  async #reply(bot: Bot, updateId: number, received: Received): Promise<string | null> {
    const { sender } = received;
    const externalId = String(sender.id);
    const person = await findLinkedPerson(this.#ports.db, { channel: 'telegram', externalId });
    const wish = person === null ? received.wish : wishOfLinked(received.wish);
    if (person === null || wish.kind === 'link') {
      if (!this.#strangers.take(externalId, ATTEMPTS, this.#ports.monotonicMs()).allowed) return null;
      return wish.kind === 'link' ? this.#link(sender, wish.code, person) : STRANGER;
    }
    const caller = callerOfPerson(person);
    if (!caller.ok) return wordsOf(caller);
    return this.#converse({ bot, person, caller: caller.data, key: `telegram ${bot.id} ${updateId}` }, wish);
  }
}
