import { NEEDS_MAX, type NeedKind } from '@hamlet/contract';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { sharedNeeds } from './need-shares.ts';
import { needsOf } from './needs-of.ts';

export function needHandlers(village: Village) {
  return {
    listMyNeeds: plain(async ({ actor }) => {
      const needs = await needsOf(village, actor);
      return accepted({ needs: sharedNeeds(needs, NEEDS_MAX), more: needs.length > NEEDS_MAX });
    }),
    countWaitingWork: plain(async ({ actor }) => {
      const needs = await needsOf(village, actor);
      const count = (kind: NeedKind): number => Math.min(needs.filter((need) => need.kind === kind).length, NEEDS_MAX);
      return accepted({ permissions: count('permission'), questions: count('question'), results: count('result') });
    }),
  } satisfies Partial<Handlers>;
}
