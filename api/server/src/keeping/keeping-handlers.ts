import { readArchiveState, readTableSizes } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { KEEPING_RULES } from './kept-things.ts';
import { archiveView, keepingView } from './keeping-view.ts';

export function keepingHandlers({ db, config, settings }: Pick<Village, 'db' | 'config' | 'settings'>) {
  return {
    getKeeping: plain(async ({ now }) => {
      const { turn_days: turns, session_days: sessions, egress_days: egress } = settings.values;
      const days = { turns, sessions, egress, modelTexts: config.models.textDays };
      const [sizes, archive] = [await readTableSizes(db), await readArchiveState(db)];
      return accepted({ ...keepingView(KEEPING_RULES, { ...sizes, days, at: now }), archive: archiveView(archive) });
    }),
  } satisfies Partial<Handlers>;
}
