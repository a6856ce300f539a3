import { NEEDS_MAX } from '@hamlet/contract';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { needsOf } from './needs-of.ts';

export function needHandlers(village: Village) {
  return {
    listMyNeeds: plain(async ({ actor }) => {
      const needs = await needsOf(village, actor);
      return accepted({ needs: needs.slice(0, NEEDS_MAX), more: needs.length > NEEDS_MAX });
    }),
  } satisfies Partial<Handlers>;
}
