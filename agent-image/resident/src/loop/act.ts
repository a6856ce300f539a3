import type { AgentConfig, BidView, PurchaseView } from '@hamlet/contract';
import { seedOf } from '../brain/chance.ts';
import { nameOf, type Command, type Decision } from '../brain/decision.ts';
import type { Situation } from '../brain/situation.ts';
import { OUT_OF_TOKENS } from '../brain/trade.ts';
import type { Spoken, Voice } from '../runtime/voice.ts';
import type { Answer, Village } from '../village/village.ts';
import type { BoardKit, Written } from './board-kit.ts';
import type { Log } from '../process/json-log.ts';

/** The outcome of a decision. `unknown`: the connection broke; the next turn reads the village and decides again. */
export type Acted =
  | { readonly outcome: 'none' }
  | { readonly outcome: 'accepted'; readonly seq: number; readonly said?: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string; readonly said?: string }
  | ({ readonly outcome: 'written'; readonly post_id: string; readonly reply_id: string | null } & Written)
  | { readonly outcome: 'bought'; readonly purchase_id: string; readonly price: string; readonly ends_at: string }
  | { readonly outcome: 'bid'; readonly bid_id: string; readonly amount: string }
  | { readonly outcome: 'silent'; readonly why: string }
  | { readonly outcome: 'answering' }
  | { readonly outcome: 'unknown'; readonly why: string }
  | { readonly outcome: 'stale' };

export interface ActPorts {
  readonly village: Village;
  readonly voice: Voice;
  readonly boardKit?: BoardKit;
  readonly config: AgentConfig;
  /** Gives answers that take too long for a turn; without it the agent gives no such answers. */
  readonly aside?: Aside;
}

/** Carries out a decision, at most once for each idempotency key. */
export async function act(
  ports: ActPorts,
  situation: Situation,
  { decided, key }: { decided: Decision; key: string },
): Promise<Acted> {
  const { command } = decided;
  switch (command.kind) {
    case 'stay':
      return { outcome: 'none' };
    case 'move':
      return actedOf(await ports.village.move(command.body, key));
    case 'act':
      return actedOf(await ports.village.act(command.body, key));
    case 'answer':
      return speak(ports, situation, { command, key });
    case 'buy':
      return purchase(ports, command, key);
    case 'bid':
      return bidOf(await ports.village.bid(command.auctionId, command.amount, key));
    case 'reply':
    case 'post':
      return write(ports, situation, { command, key });
  }
}

async function write(
  { village, boardKit }: ActPorts,
  situation: Situation,
  { command, key }: { command: Extract<Command, { kind: 'reply' | 'post' }>; key: string },
): Promise<Acted> {
  if (boardKit === undefined) return { outcome: 'silent', why: 'the resident has no board writer' };
  const { text, by, without } = await boardKit.writer.write(command.occasion, {
    model: situation.board?.plan?.model ?? null,
    persona: situation.character.persona,
  });
  const written = { outcome: 'written' as const, text, by, without };
  if (command.kind === 'post') {
    const { subject, title, tags, audience } = command;
    const answer = await village.publish({ title, body: text, tags: [...tags], audience }, key);
    if (answer.kind !== 'ok') return failedOf(answer);
    boardKit.requests.drop(subject);
    return { ...written, post_id: answer.value.post_id, reply_id: null };
  }
  const answer = await village.reply(command.postId, text, key);
  if (answer.kind !== 'ok') return failedOf(answer);
  // A failure does not matter, because the answer is on the board.
  if (command.resolves) await village.resolve(command.postId, `${key}-resolve`);
  return { ...written, post_id: command.postId, reply_id: answer.value.reply_id };
}

async function speak(
  ports: ActPorts,
  situation: Situation,
  { command, key }: { command: Extract<Command, { kind: 'answer' }>; key: string },
): Promise<Acted> {
  if (!ports.voice.isSlow(ports.config)) return answerNow(ports, situation, { command, key });
  if (ports.aside === undefined) return { outcome: 'silent', why: 'the resident has nothing that waits for a model' };
  const isBegun = ports.aside.begin(() => answerNow(ports, situation, { command, key }));
  return isBegun ? { outcome: 'answering' } : { outcome: 'silent', why: 'the agent still thinks about another answer' };
}

async function answerNow(
  ports: ActPorts,
  situation: Situation,
  { command, key }: { command: Extract<Command, { kind: 'answer' }>; key: string },
): Promise<Acted> {
  const words = await ports.voice.answer(command.prompt, spokenOf(ports, situation, command.speaker));
  if (words.kind === 'silent') return { outcome: 'silent', why: words.why };
  const to = command.to === null ? {} : { to: command.to };
  const acted = actedOf(await ports.village.act({ kind: 'talk', text: words.text, ...to }, key));
  return acted.outcome === 'accepted' || acted.outcome === 'refused' ? { ...acted, said: words.text } : acted;
}

function spokenOf({ config }: ActPorts, situation: Situation, speaker: string): Spoken {
  const { self, mind, character, tick } = situation;
  return {
    config,
    speaker,
    place: self.landmark_id === null ? null : nameOf(situation, self.landmark_id),
    // Only people may read the prompt of a run, so speech must not repeat it.
    plan: situation.work === null ? mind.goal : 'at work on something I was asked to do',
    seed: seedOf(character.seed, character.agentId, tick, 'answer'),
  };
}

function actedOf(answer: Answer<{ accepted_seq: number }>): Acted {
  return answer.kind === 'ok' ? { outcome: 'accepted', seq: answer.value.accepted_seq } : failedOf(answer);
}

async function purchase(
  { village, boardKit }: ActPorts,
  { item, seconds, maxPrice }: Extract<Command, { kind: 'buy' }>,
  key: string,
): Promise<Acted> {
  const answer: Answer<PurchaseView> = await village.buy({ item, seconds, max_price: maxPrice }, key);
  if (answer.kind !== 'ok') return failedOf(answer);
  if (item.kind === 'quota') boardKit?.requests.drop(OUT_OF_TOKENS);
  const { purchase_id, price, ends_at } = answer.value;
  return { outcome: 'bought', purchase_id, price, ends_at };
}

function bidOf(answer: Answer<BidView>): Acted {
  return answer.kind === 'ok'
    ? { outcome: 'bid', bid_id: answer.value.bid_id, amount: answer.value.amount }
    : failedOf(answer);
}

function failedOf(answer: Exclude<Answer<never>, { kind: 'ok' }>): Acted {
  switch (answer.kind) {
    case 'refused':
      return { outcome: 'refused', code: answer.code, detail: answer.detail };
    case 'stale':
      return { outcome: 'stale' };
    case 'unreachable':
      return { outcome: 'unknown', why: answer.why };
  }
}

/** Answers that a model gives in parallel to the turns, one at a time. */
export interface Aside {
  /** False if an answer is already in progress. */
  begin(answer: () => Promise<Acted>): boolean;
}

export function createAside(log: Log): Aside {
  let isBusy = false;
  return {
    begin: (answer) => {
      if (isBusy) return false;
      isBusy = true;
      void answer()
        .then((acted) => log.info('answered', acted))
        .catch((error: unknown) =>
          log.warn('not_answered', { why: error instanceof Error ? error.message : String(error) }),
        )
        .finally(() => {
          isBusy = false;
        });
      return true;
    },
  };
}
