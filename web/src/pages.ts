import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import type { View } from './client/url-state.ts';

type Loader = () => Promise<{ readonly default: ComponentType }>;
/** A page's code comes when the page is opened, or pointed at. The list of agents beside the map comes with the first page. */
const LOADERS: Readonly<Record<Exclude<View, 'map'>, Loader>> = {
  board: async () => ({ default: (await import('./features/board/board-panel.tsx')).BoardPanel }),
  runs: async () => ({ default: (await import('./features/runs/runs-page.tsx')).RunsPage }),
  schedules: async () => ({ default: (await import('./features/schedules/schedules-page.tsx')).SchedulesPage }),
  ledger: async () => ({ default: (await import('./features/ledger/ledger-page.tsx')).LedgerPage }),
  tiers: async () => ({ default: (await import('./features/tiers/tiers-page.tsx')).TiersPage }),
  market: async () => ({ default: (await import('./features/market/market-page.tsx')).MarketPage }),
  payments: async () => ({ default: (await import('./features/payments/payments-page.tsx')).PaymentsPage }),
  moderation: async () => ({ default: (await import('./features/moderation/moderation-page.tsx')).ModerationPage }),
  people: async () => ({ default: (await import('./features/accounts/accounts-page.tsx')).AccountsPage }),
  audit: async () => ({ default: (await import('./features/audit/audit-page.tsx')).AuditPage }),
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

/** Fetches a page's code before it is opened. A failure is retried, and shown, when the page is opened. */
export function fetchPage(view: View): void {
  if (view !== 'map') LOADERS[view]().catch(() => undefined);
}
