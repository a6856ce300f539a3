import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import type { View } from '../../client/url-state.ts';

type Loader = () => Promise<{ readonly default: ComponentType }>;
/** A page's code comes when the page is opened, or pointed at. The people beside the map come with the first page. */
const LOADERS: Readonly<Record<Exclude<View, 'map'>, Loader>> = {
  board: async () => ({ default: (await import('../board/board-panel.tsx')).BoardPanel }),
  runs: async () => ({ default: (await import('../runs/runs-page.tsx')).RunsPage }),
  schedules: async () => ({ default: (await import('../schedules/schedules-page.tsx')).SchedulesPage }),
  ledger: async () => ({ default: (await import('../ledger/ledger-page.tsx')).LedgerPage }),
  tiers: async () => ({ default: (await import('../tiers/tiers-page.tsx')).TiersPage }),
  market: async () => ({ default: (await import('../market/market-page.tsx')).MarketPage }),
  payments: async () => ({ default: (await import('../payments/payments-page.tsx')).PaymentsPage }),
  moderation: async () => ({ default: (await import('../moderation/moderation-page.tsx')).ModerationPage }),
  people: async () => ({ default: (await import('../accounts/accounts-page.tsx')).AccountsPage }),
  audit: async () => ({ default: (await import('../audit/audit-page.tsx')).AuditPage }),
};

export const LAZY_PAGES: Readonly<Record<Exclude<View, 'map'>, LazyExoticComponent<ComponentType>>> = {
  board: lazy(LOADERS.board),
  runs: lazy(LOADERS.runs),
  schedules: lazy(LOADERS.schedules),
  ledger: lazy(LOADERS.ledger),
  tiers: lazy(LOADERS.tiers),
  market: lazy(LOADERS.market),
  payments: lazy(LOADERS.payments),
  moderation: lazy(LOADERS.moderation),
  people: lazy(LOADERS.people),
  audit: lazy(LOADERS.audit),
};

/** Fetches a page's code before it is opened. What fails now is tried again, and shown, when it is. */
export function fetchPage(view: View): void {
  if (view !== 'map') LOADERS[view]().catch(() => undefined);
}
