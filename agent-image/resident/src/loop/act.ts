import type { BidView, PurchaseView } from '@hamlet/contract';
import type { RuntimeContext } from '@hamlet/engine';
import { chance } from '../brain/chance.ts';
import { nameOf } from '../brain/rules/decision.ts';
import { OUT_OF_TOKENS } from '../brain/trade/wants.ts';
import type { Command, Decision, Situation } from '../brain/situation.ts';
import type { Answer, Village } from '../village/village.ts';
import type { Desk } from './look-at-board.ts';
import type { Written } from './pen.ts';
import type { Voice } from './voice.ts';

/**
 * What came of a decision. `unknown`: the connection broke, and the village may or may not have done it;
 * the next turn looks at the village again, so nothing is tried twice in the blind.
 */
export type Acted =
  | { readonly outcome: 'none' }
  | { readonly outcome: 'accepted'; readonly seq: number; readonly said?: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string; readonly said?: string }
  | ({ readonly outcome: 'written'; readonly post_id: string; readonly reply_id: string | null } & Written)
  | { readonly outcome: 'bought'; readonly purchase_id: string; readonly price: string; readonly ends_at: string }
  | { readonly outcome: 'bid'; readonly bid_id: string; readonly amount: string }
  | { readonly outcome: 'silent'; readonly why: string }
  | { readonly outcome: 'unknown'; readonly why: string }
  | { readonly outcome: 'stale' };

export interface Hands {
  readonly village: Village;
  readonly voice: Voice;
  /** Nothing is written on the board where it is left out. */
  readonly desk?: Desk;
  readonly repository: { readonly url: string; readonly branch: string } | null;
}

/** Does what was decided. `key` makes it happen at most once. */
export async function act(
  hands: Hands,
  situation: Situation,
  { decided, key }: { decided: Decision; key: string },
): Promise<Acted> {
  const { command } = decided;
  switch (command.kind) {
    case 'stay':
      return { outcome: 'none' };
    case 'move':
      return actedOf(await hands.village.move(command.body, key));
    case 'act':
      return actedOf(await hands.village.act(command.body, key));
    case 'answer':
      return speak(hands, situation, { command, key });
    case 'buy':
      return purchase(hands, command, key);
    case 'bid':
      return bidOf(await hands.village.bid(command.auctionId, command.amount, key));
    case 'reply':
    case 'post':
      return write(hands, situation, { command, key });
  }
}

/** Writes on the board, with the model of the plan or without. The text is in the record of the turn, and who wrote it. */
async function write(
  { village, desk }: Hands,
  situation: Situation,
  { command, key }: { command: Extract<Command, { kind: 'reply' | 'post' }>; key: string },
): Promise<Acted> {
  if (desk === undefined) return { outcome: 'silent', why: 'there is nothing to write with' };
  const { text, by, without } = await desk.pen.write(command.occasion, {
    model: situation.board?.plan?.model ?? null,
    persona: situation.character.persona,
  });
  const written = { outcome: 'written' as const, text, by, without };
  if (command.kind === 'post') {
    const { subject, title, tags, audience } = command;
    const answer = await village.publish({ title, body: text, tags: [...tags], audience }, key);
    if (answer.kind !== 'ok') return failedOf(answer);
    desk.needs.drop(subject);
    return { ...written, post_id: answer.value.post_id, reply_id: null };
  }
  const answer = await village.reply(command.postId, text, key);
  if (answer.kind !== 'ok') return failedOf(answer);
  // Whether it is noted as resolved decides nothing: the answer stands there.
  if (command.resolves) await village.resolve(command.postId, `${key}-resolve`);
  return { ...written, post_id: command.postId, reply_id: answer.value.reply_id };
}

async function speak(
  hands: Hands,
  situation: Situation,
  { command, key }: { command: Extract<Command, { kind: 'answer' }>; key: string },
): Promise<Acted> {
  const words = await hands.voice.answer(command.prompt, contextOf(hands, situation, command.speaker));
  if (words.kind === 'silent') return { outcome: 'silent', why: words.why };
  const to = command.to === null ? {} : { to: command.to };
  const acted = actedOf(await hands.village.act({ kind: 'talk', text: words.text, ...to }, key));
  return acted.outcome === 'accepted' || acted.outcome === 'refused' ? { ...acted, said: words.text } : acted;
}

function contextOf({ repository }: Hands, situation: Situation, speaker: string): Omit<RuntimeContext, 'signal'> {
  const { self, mind, character, tick } = situation;
  return {
    repository: repository?.url ?? null,
    branch: repository?.branch ?? null,
    speaker,
    place: self.landmark_id === null ? null : nameOf(situation, self.landmark_id),
    // What it was asked is for those who may read runs, not for everybody who hears it.
    plan: situation.work === null ? mind.goal : 'at work on something I was asked to do',
    work: null,
    seed: Math.floor(chance(character.seed, character.agentId, tick, 'answer') * 0x1_0000_0000),
  };
}

function actedOf(answer: Answer<{ accepted_seq: number }>): Acted {
  return answer.kind === 'ok' ? { outcome: 'accepted', seq: answer.value.accepted_seq } : failedOf(answer);
}

/** Buys, and takes a need that this cures off its list. */
async function purchase(
  { village, desk }: Hands,
  { item, seconds, maxPrice }: Extract<Command, { kind: 'buy' }>,
  key: string,
): Promise<Acted> {
  const answer: Answer<PurchaseView> = await village.buy({ item, seconds, max_price: maxPrice }, key);
  if (answer.kind !== 'ok') return failedOf(answer);
  if (item.kind === 'quota') desk?.needs.drop(OUT_OF_TOKENS);
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
