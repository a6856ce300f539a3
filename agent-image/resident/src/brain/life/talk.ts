/** Conversations of two agents with a model: line after line while both have something to say, within limits. Pure. */
import { EARSHOT_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { isPaused } from '../decision.ts';
import { tilesBetween, type Situation } from '../situation.ts';
import { fitting } from '../speech.ts';
import { shortened } from '../words.ts';
import type { LifeMind, Talk } from './life-mind.ts';
import { PARTNERS_MAX, TALK_LINES_MAX, TALKS_MAX, tokensLeft } from './life-mind.ts';

/** Maximum number of an agent's own lines in one conversation, including its greeting. */
export const OWN_LINES_MAX = 4;
/** Maximum number of an agent's lines to one other agent in a village day. It stops two models that like to talk. */
export const LINES_A_DAY = 12;
/** After this silence a conversation is forgotten, and another can begin. */
export const TALK_REST_TICKS = 900;
/** The agent stands still this long for its own next line (a model may take a minute), and half as long for the other's. */
const LISTEN_TICKS = 600;
export const LINE_TOKENS = 1_000;
const NAME_CHARS = 120;

type Said = Readonly<{ with: string; name: string; text: string; tick: number }>;

export function talkWith({ talks }: LifeMind, agentId: string): Talk | undefined {
  return talks.find((talk) => talk.with === agentId);
}

export const ownLines = (talk: Talk | undefined): number => talk?.lines.filter(({ by }) => by === 'me').length ?? 0;

export function withSaid(life: LifeMind, said: Said): LifeMind {
  if (talkWith(life, said.with)?.over === true) return life;
  return withLine(life, said, { by: 'them', over: false });
}

/** The state after the agent's own words to another agent. `over`: these are its last words. */
export function saying(life: LifeMind, said: Said, over = false): LifeMind {
  const talked = { ...life.talked, [said.with]: (life.talked[said.with] ?? 0) + 1 };
  const own = ownLines(talkWith(life, said.with)) + 1;
  return withLine({ ...life, talked }, said, { by: 'me', over: over || own >= OWN_LINES_MAX });
}

type Mark = Readonly<{ by: 'me' | 'them'; over: boolean }>;

function withLine(life: LifeMind, { with: id, name, text, tick }: Said, { by, over }: Mark): LifeMind {
  const before = talkWith(life, id)?.lines ?? [];
  const lines = [...before, { by, text: fitting(text) }].slice(-TALK_LINES_MAX);
  const talk: Talk = { with: id, name: shortened(name, NAME_CHARS), lines, tick, over };
  return { ...life, talks: [...life.talks.filter((each) => each.with !== id), talk].slice(-TALKS_MAX) };
}

export function endingTalk(life: LifeMind, agentId: string): LifeMind {
  return { ...life, talks: life.talks.map((talk) => (talk.with === agentId ? { ...talk, over: true } : talk)) };
}

/** The conversations that still count. A silent one is forgotten, and one whose other agent has left is over. */
export function talksNow({ mind: { life }, tick, neighbours, self }: Situation): LifeMind['talks'] {
  const isNear = ({ with: id }: Talk): boolean =>
    neighbours.some((agent) => agent.agent_id === id && isInEarshot(agent, self));
  const kept = life.talks.filter((talk) => tick - talk.tick <= TALK_REST_TICKS);
  const isSame = kept.length === life.talks.length && kept.every((talk) => talk.over || isNear(talk));
  return isSame ? life.talks : kept.map((talk) => (talk.over || isNear(talk) ? talk : { ...talk, over: true }));
}

const isInEarshot = (agent: AgentView, self: AgentView): boolean =>
  tilesBetween(agent.position, self.position) <= EARSHOT_TILES;

/** True if the agent may start a conversation with another one: the last one is long over, and the daily limits allow it. */
export function mayBegin({ mind: { life } }: Pick<Situation, 'mind'>, agentId: string): boolean {
  const lines = life.talked[agentId];
  const isKnown = lines !== undefined || Object.keys(life.talked).length < PARTNERS_MAX;
  return isKnown && (lines ?? 0) < LINES_A_DAY && talkWith(life, agentId) === undefined;
}

/** True if the next line of a conversation is the agent's, and within every limit. */
export function mayAnswer(situation: Situation, talk: Talk): boolean {
  const { mind, tick, thinks } = situation;
  const { life } = mind;
  if (thinks === null || talk.over || talk.lines.at(-1)?.by !== 'them') return false;
  if (ownLines(talk) >= OWN_LINES_MAX || (life.talked[talk.with] ?? 0) >= LINES_A_DAY) return false;
  if (tick - talk.tick > LISTEN_TICKS || isPaused(situation, `talk:${talk.with}`)) return false;
  return tokensLeft(life, tick, thinks.tokensPerHour) >= LINE_TOKENS;
}

/** The conversation in which the agent speaks next: the one that has waited longest. */
export function talkToAnswer(situation: Situation): Talk | undefined {
  return situation.mind.life.talks.find((talk) => mayAnswer(situation, talk));
}

/** The conversation for which the agent stands still: it prepares its own next line, or the other may still answer. */
export function talkUnderWay(situation: Situation): Talk | undefined {
  const { mind, tick } = situation;
  return mind.life.talks.find((talk) => {
    if (talk.lines.at(-1)?.by === 'them') return mayAnswer(situation, talk);
    return !talk.over && talk.lines.length > 1 && tick - talk.tick <= LISTEN_TICKS / 2;
  });
}
