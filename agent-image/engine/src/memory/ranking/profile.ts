import type { RankingProfile } from '../memory.ts';

/** The weights that fit conversations of people with an agent. */
export const DEFAULT_PROFILE: RankingProfile = {
  name: 'conversation',
  version: 2,
  weights: { words: 1, vector: 0.1, around: 1, link: 0.5, recency: 0.08, importance: 0.15, use: 0.05, pin: 0.1 },
  recencyHalfLifeDays: 60,
  dormant: 0.9,
  superseded: 0.5,
};
