import { HEARING_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { withEntry } from '../mind.ts';
import { tilesBetween } from '../distance.ts';
import { wordOf } from '../situation.ts';
import type { Command, Decision, Rule, Situation } from '../situation.ts';
import { decision } from './decision.ts';

/** An agent answers another so often in a row, then lets the talk rest: two that always answer would never stop. */
export const MAX_ANSWERS_IN_A_ROW = 2;
/** After so many ticks of silence a new talk begins. */
export const TALK_REST_TICKS = 900;

/** What was said, by whom; `agent` where that is one of the village, and not a person. */
interface Heard {
  readonly seq: number;
  readonly text: string;
  readonly speaker: string;
  readonly agent: AgentView | null;
}

/**
 * Whoever speaks to the agent gets an answer; a person always, another agent until the talk has gone to and fro or it has walked away.
 * Words to nobody in particular get a smile: if everybody answered them, a full café would never be quiet.
 */
export const answer: Rule = (situation) => {
  const heard = heardBy(situation);
  if (heard === null) return null;
  if (heard.agent === null) return answerPerson(situation, heard);
  const times = answersInARow(situation, heard.speaker);
  return times >= MAX_ANSWERS_IN_A_ROW ? null : answerAgent(situation, heard, heard.agent);
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

function answerPerson(situation: Situation, { seq, text, speaker }: Heard): Decision {
  const command: Command = { kind: 'answer', prompt: text, speaker, to: null, wakeSeq: seq };
  return decision(situation, { command, goal: situation.mind.goal, why: `${speaker} spoke to me` });
}

function answerAgent(
  situation: Situation,
  { seq, text, speaker }: Heard,
  { agent_id, display_name }: AgentView,
): Decision {
  const { mind, tick, character, wake } = situation;
  const toMe = wake !== null && wordOf(wake, 'to') === character.agentId;
  return decision(situation, {
    command: toMe
      ? { kind: 'answer', prompt: text, speaker: display_name, to: agent_id, wakeSeq: seq }
      : { kind: 'act', body: { kind: 'emote', emote: 'smile' } },
    goal: mind.goal,
    why: toMe ? `${display_name} spoke to me` : `I hear ${display_name}`,
    // Whoever has answered need not greet any more.
    change: {
      answered: withEntry(mind.answered, speaker, { times: answersInARow(situation, speaker) + 1, tick }),
      greeted: toMe ? withEntry(mind.greeted, speaker, tick) : mind.greeted,
    },
  });
}

function answersInARow({ mind, tick }: Situation, speaker: string): number {
  const last = mind.answered[speaker];
  return last === undefined || tick - last.tick > TALK_REST_TICKS ? 0 : last.times;
}
