import { readTableSizes } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { KEEPING_RULES } from './kept-things.ts';
import { keepingView } from './keeping-view.ts';

export function keepingHandlers({ db, config }: Pick<Village, 'db' | 'config'>) {
  const days = {
    turns: config.turnDays,
    sessions: config.sessionDays,
    egress: config.egressDays,
    modelTexts: config.models.textDays,
  };
  return {
    getKeeping: plain(async ({ now }) =>
      accepted(keepingView(KEEPING_RULES, { ...(await readTableSizes(db)), days, at: now })),
    ),
  } satisfies Partial<Handlers>;
}
