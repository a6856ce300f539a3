import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import type { View } from './client/url-state.ts';

type Loader = () => Promise<{ readonly default: ComponentType }>;
/** The code of a page loads when a person opens the page or points at its link. */
const LOADERS: Readonly<Record<Exclude<View, 'map'>, Loader>> = {
  board: async () => ({ default: (await import('./features/board/board-panel.tsx')).BoardPanel }),
  runs: async () => ({ default: (await import('./features/runs/runs-page.tsx')).RunsPage }),
  permissions: async () => ({ default: (await import('./features/permissions/permissions-page.tsx')).PermissionsPage }),
  schedules: async () => ({ default: (await import('./features/schedules/schedules-page.tsx')).SchedulesPage }),
  ledger: async () => ({ default: (await import('./features/ledger/ledger-page.tsx')).LedgerPage }),
  tiers: async () => ({ default: (await import('./features/tiers/tiers-page.tsx')).TiersPage }),
  market: async () => ({ default: (await import('./features/market/market-page.tsx')).MarketPage }),
  payments: async () => ({ default: (await import('./features/payments/payments-page.tsx')).PaymentsPage }),
  moderation: async () => ({ default: (await import('./features/moderation/moderation-page.tsx')).ModerationPage }),
  models: async () => ({ default: (await import('./features/models/models-page.tsx')).ModelsPage }),
  rules: async () => ({ default: (await import('./features/rules/rules-page.tsx')).RulesPage }),
  people: async () => ({ default: (await import('./features/accounts/accounts-page.tsx')).AccountsPage }),
  audit: async () => ({ default: (await import('./features/audit/audit-page.tsx')).AuditPage }),
};

export const LAZY_PAGES: Readonly<Record<Exclude<View, 'map'>, LazyExoticComponent<ComponentType>>> = {
  board: lazy(LOADERS.board),
  runs: lazy(LOADERS.runs),
  permissions: lazy(LOADERS.permissions),
  schedules: lazy(LOADERS.schedules),
  ledger: lazy(LOADERS.ledger),
  tiers: lazy(LOADERS.tiers),
  market: lazy(LOADERS.market),
  payments: lazy(LOADERS.payments),
  moderation: lazy(LOADERS.moderation),
  models: lazy(LOADERS.models),
  rules: lazy(LOADERS.rules),
  people: lazy(LOADERS.people),
  audit: lazy(LOADERS.audit),
};

/** Ignores a failure: the page fetches the code again when it opens. */
export function fetchPage(view: View): void {
  if (view !== 'map') LOADERS[view]().catch(() => undefined);
}
