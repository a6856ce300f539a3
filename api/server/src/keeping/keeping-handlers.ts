import { readTableSizes } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { KEEPING_RULES } from './kept-things.ts';
import { keepingView } from './keeping-view.ts';

export function keepingHandlers({ db, config, settings }: Pick<Village, 'db' | 'config' | 'settings'>) {
  return {
    getKeeping: plain(async ({ now }) => {
      const { turn_days: turns, session_days: sessions, egress_days: egress } = settings.values;
      const days = { turns, sessions, egress, modelTexts: config.models.textDays };
      return accepted(keepingView(KEEPING_RULES, { ...(await readTableSizes(db)), days, at: now }));
    }),
  } satisfies Partial<Handlers>;
}
