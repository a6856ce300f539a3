import { EARSHOT_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { seedOf } from '../chance.ts';
import { decision, isPaused, nameOf, STAY, type Decision, type Rule } from '../decision.ts';
import { wordsSpokenTo, tilesBetween, wordOf, type SpokenWords, type Situation } from '../situation.ts';
import type { NextLine } from '../life/life-mind.ts';
import { mayAnswer, mayBegin, saying, TALK_REST_TICKS, talkUnderWay, talkWith } from '../life/talk.ts';
import { withEntry, withText } from '../mind.ts';
import { greeting } from '../speech.ts';

/** Maximum number of consecutive answers to another agent: without it, two agents that always answer would never stop. */
export const MAX_ANSWERS_IN_A_ROW = 2;
/** The agent greets the same agent again after this many ticks: six village hours. */
export const GREET_AGAIN_TICKS = 3_600;

/**
 * Always answers a person. Answers an agent in earshot up to the limit; if this agent has a model, `converse` answers instead.
 * After the limit, and to words that are addressed to all, the agent only smiles: otherwise a full café would never be quiet.
 */
export const answer: Rule = (situation) => {
  const spoken = wordsSpokenTo(situation);
  if (spoken === null) return null;
  const { seq, text, speaker, agent } = spoken;
  if (agent !== null) return answerAgent(situation, spoken, agent);
  return decision(situation, {
    command: { kind: 'answer', prompt: text, speaker, to: null, wakeSeq: seq },
    goal: situation.mind.goal,
    why: `${speaker} spoke to me`,
  });
};

function answerAgent(
  situation: Situation,
  { seq, text, speaker, toMe }: SpokenWords,
  { agent_id, display_name }: AgentView,
): Decision | null {
  const { mind, tick, thinks } = situation;
  if (toMe && modelAnswers(situation, agent_id)) return null;
  const last = mind.answered[speaker];
  const times = last === undefined || tick - last.tick > TALK_REST_TICKS ? 0 : last.times;
  if (times >= MAX_ANSWERS_IN_A_ROW) return null;
  return decision(situation, {
    command:
      toMe && thinks === null
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

function modelAnswers(situation: Situation, agentId: string): boolean {
  const talk = talkWith(situation.mind.life, agentId);
  return talk !== undefined && mayAnswer(situation, talk);
}

const lineTo = ({ agent_id, display_name }: AgentView, tick: number) => ({ with: agent_id, name: display_name, tick });

const NO_LINE: NextLine = { text: null, over: true, why: '' };

export const converse: Rule = (situation) => {
  const { thought, neighbours, mind, tick } = situation;
  if (thought?.kind !== 'line') return null;
  const { text, over, why } = thought.line ?? NO_LINE;
  const partner = neighbours.find(({ agent_id }) => agent_id === thought.to);
  if (talkWith(mind.life, thought.to)?.over !== false || partner === undefined || text === null) return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'talk', to: thought.to, text } },
    goal: `talking with ${partner.display_name}`,
    why,
    change: {
      greeted: withEntry(mind.greeted, [thought.to, tick]),
      life: saying(mind.life, { ...lineTo(partner, tick), text }, over),
    },
  });
};

export const listen: Rule = (situation) => {
  const talk = talkUnderWay(situation);
  if (talk === undefined || situation.self.moving_to !== null) return null;
  return decision(situation, { command: STAY, goal: `talking with ${talk.name}`, why: `I talk with ${talk.name}` });
};

export const thank: Rule = (situation) => {
  const { wake, mind } = situation;
  if (wake?.kind !== 'handed') return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'emote', emote: 'heart' } },
    goal: mind.goal,
    why: `${wordOf(wake, 'from') ?? 'somebody'} handed me ${wordOf(wake, 'item_id') ?? 'something'}`,
  });
};

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
    change: {
      greeted: withEntry(mind.greeted, [friend.agent_id, tick]),
      said: withText(mind.said, small),
      ...(situation.thinks === null ? {} : { life: saying(mind.life, { ...lineTo(friend, tick), text }) }),
    },
  });
};

function mayGreet(situation: Situation, { agent_id, position }: AgentView): boolean {
  const { self, tick, mind } = situation;
  const greetedAt = mind.greeted[agent_id];
  return (
    (greetedAt === undefined || tick - greetedAt >= GREET_AGAIN_TICKS) &&
    (situation.thinks === null || mayBegin(situation, agent_id)) &&
    tilesBetween(position, self.position) <= EARSHOT_TILES &&
    !isPaused(situation, `talk:${agent_id}`)
  );
}
