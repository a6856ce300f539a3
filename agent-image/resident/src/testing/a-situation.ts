import assert from 'node:assert/strict';
import type { AgentConfig, AgentDetail, AgentView, WorldView } from '@hamlet/contract';
import { NEWBORN, type Mind } from '../brain/mind.ts';
import type { Situation } from '../brain/situation.ts';
import { perceive, type Perception } from '../loop/perceive.ts';
import { aConfig, anAgent, aStanding, aWorld } from './a-village.ts';

export interface Seen extends Partial<Pick<Perception, 'wake' | 'board' | 'work' | 'thought'>> {
  readonly world?: Partial<WorldView>;
  readonly tick?: number;
  readonly minute?: number;
  readonly self?: Partial<AgentView>;
  readonly others?: readonly AgentView[];
  readonly items?: WorldView['items'];
  readonly mind?: Partial<Mind>;
  readonly config?: Partial<AgentConfig>;
  readonly standing?: Partial<AgentDetail>;
}

/** The situation of the agent ada on the first day of the village. */
export function aSituation(seen: Seen = {}): Situation {
  const { world, minute = 700, tick = 7_000, self, others = [], items = [], mind, config, standing, ...rest } = seen;
  const agents = [anAgent('ada', self), ...others];
  const situation = perceive({
    world: aWorld({ tick, time: { day: 0, minute, phase: 'day' }, agents, items, ...world }),
    standing: aStanding(standing),
    config: aConfig(config),
    mind: { ...NEWBORN, ...mind },
    wake: null,
    ...rest,
  });
  assert.ok(situation !== null);
  return situation;
}
