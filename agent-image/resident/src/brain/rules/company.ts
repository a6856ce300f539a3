import { HEARING_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { seedOf } from '../chance.ts';
import { decision, isPaused, nameOf, type Decision, type Rule } from '../decision.ts';
import { withEntry, withText } from '../mind.ts';
import { tilesBetween, wordOf, type Situation } from '../situation.ts';
import { greeting } from '../speech.ts';

/** Maximum number of answers in a row to another agent: two agents that always answer would never stop. */
export const MAX_ANSWERS_IN_A_ROW = 2;
/** A new conversation begins after this many ticks of silence. */
export const TALK_REST_TICKS = 900;
/** The agent greets the same agent again after this many ticks: six village hours. */
export const GREET_AGAIN_TICKS = 3_600;

/** Speech that reached the agent; `agent` is null when a person spoke. */
interface Heard {
  readonly seq: number;
  readonly text: string;
  readonly speaker: string;
  readonly agent: AgentView | null;
}

/**
 * Always answers a person. Answers an agent up to the limit, while that agent is in earshot. The agent only smiles at
 * words that are addressed to no agent in particular: if every agent answered them, a full café would never be quiet.
 */
export const answer: Rule = (situation) => {
  const heard = heardBy(situation);
  if (heard === null) return null;
  const { seq, text, speaker, agent } = heard;
  if (agent !== null) return answerAgent(situation, heard, agent);
  return decision(situation, {
    command: { kind: 'answer', prompt: text, speaker, to: null, wakeSeq: seq },
    goal: situation.mind.goal,
    why: `${speaker} spoke to me`,
  });
};

function heardBy({ wake, self, neighbours, agentIds }: Situation): Heard | null {
  const text = wake?.kind === 'spoken_to' ? wordOf(wake, 'text') : undefined;
  if (wake === null || text === undefined) return null;
  const speaker = wordOf(wake, 'from') ?? 'visitor';
  if (!agentIds.has(speaker)) return { seq: wake.seq, text, speaker, agent: null };
  const agent = neighbours.find(
    ({ agent_id, position }) => agent_id === speaker && tilesBetween(position, self.position) <= HEARING_TILES,
  );
  return agent === undefined ? null : { seq: wake.seq, text, speaker, agent };
}

function answerAgent(
  situation: Situation,
  { seq, text, speaker }: Heard,
  { agent_id, display_name }: AgentView,
): Decision | null {
  const { mind, tick, character, wake } = situation;
  const last = mind.answered[speaker];
  const times = last === undefined || tick - last.tick > TALK_REST_TICKS ? 0 : last.times;
  if (times >= MAX_ANSWERS_IN_A_ROW) return null;
  const toMe = wake !== null && wordOf(wake, 'to') === character.agentId;
  return decision(situation, {
    command: toMe
      ? { kind: 'answer', prompt: text, speaker: display_name, to: agent_id, wakeSeq: seq }
      : { kind: 'act', body: { kind: 'emote', emote: 'smile' } },
    goal: mind.goal,
    why: toMe ? `${display_name} spoke to me` : `I hear ${display_name}`,
    change: {
      answered: withEntry(mind.answered, [speaker, { times: times + 1, tick }]),
      // The agent does not greet an agent that it has just answered.
      greeted: toMe ? withEntry(mind.greeted, [speaker, tick]) : mind.greeted,
    },
  });
}

/** Thanks an agent that put an item down beside this agent. */
export const thank: Rule = (situation) => {
  const { wake, mind } = situation;
  if (wake?.kind !== 'handed') return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'emote', emote: 'heart' } },
    goal: mind.goal,
    why: `${wordOf(wake, 'from') ?? 'somebody'} handed me ${wordOf(wake, 'item_id') ?? 'something'}`,
  });
};

/** Greets an agent in earshot that this agent has not greeted lately. */
export const greet: Rule = (situation) => {
  const { self, tick, phase, mind, character } = situation;
  const friend = situation.neighbours.find((agent) => mayGreet(situation, agent));
  if (friend === undefined) return null;
  const place = self.landmark_id === null ? null : nameOf(situation, self.landmark_id);
  const seed = seedOf(character.seed, character.agentId, tick);
  const { text, small } = greeting({ seed, phase, place }, friend.display_name, mind.said);
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'talk', to: friend.agent_id, text } },
    goal: mind.goal,
    why: `I meet ${friend.display_name}`,
    change: { greeted: withEntry(mind.greeted, [friend.agent_id, tick]), said: withText(mind.said, small) },
  });
};

function mayGreet(situation: Situation, { agent_id, position }: AgentView): boolean {
  const { self, tick, mind } = situation;
  const greetedAt = mind.greeted[agent_id];
  return (
    (greetedAt === undefined || tick - greetedAt >= GREET_AGAIN_TICKS) &&
    tilesBetween(position, self.position) <= HEARING_TILES &&
    !isPaused(situation, `talk:${agent_id}`)
  );
}
