import { withEntry } from '../mind.ts';
import { wordOf } from '../situation.ts';
import type { Rule, Situation } from '../situation.ts';
import { decision } from './decision.ts';

/** An agent answers another so often in a row, then lets the talk rest: two that always answer would never stop. */
export const MAX_ANSWERS_IN_A_ROW = 2;
/** After so many ticks of silence a new talk begins. */
export const TALK_REST_TICKS = 900;

/** Whoever speaks to the agent gets an answer; a person always, another agent until the talk has gone to and fro. */
export const answer: Rule = (situation) => {
  const { wake, neighbours, mind, tick } = situation;
  const said = wake?.kind === 'spoken_to' ? wordOf(wake, 'text') : undefined;
  if (wake === null || said === undefined) return null;
  const speaker = wordOf(wake, 'agent_id') ?? 'visitor';
  const agent = neighbours.find(({ agent_id }) => agent_id === speaker);
  const times = answersInARow(situation, speaker);
  if (agent !== undefined && times >= MAX_ANSWERS_IN_A_ROW) return null;
  const name = agent === undefined ? speaker : agent.display_name;
  return decision(situation, {
    command: { kind: 'answer', prompt: said, speaker: name, to: agent === undefined ? null : speaker, wakeSeq: wake.seq },
    goal: mind.goal,
    why: `${name} spoke to me`,
    change: { answered: withEntry(mind.answered, speaker, { times: times + 1, tick }) },
  });
};

function answersInARow({ mind, tick }: Situation, speaker: string): number {
  const last = mind.answered[speaker];
  return last === undefined || tick - last.tick > TALK_REST_TICKS ? 0 : last.times;
}
