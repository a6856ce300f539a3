import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import type { View } from './client/url-state.ts';

interface LazyPage {
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  readonly Page: LazyExoticComponent<ComponentType>;
}

const page = (load: LazyPage['load']): LazyPage => ({ load, Page: lazy(load) });

/** The code of a page loads when a person opens the page or points at its link. */
export const LAZY_PAGES: Readonly<Record<Exclude<View, 'map'>, LazyPage>> = {
  board: page(async () => ({ default: (await import('./features/board/board-panel.tsx')).BoardPanel })),
  'new-agent': page(async () => ({ default: (await import('./features/agent-form/new-agent-page.tsx')).NewAgentPage })),
  'edit-agent': page(async () => ({
    default: (await import('./features/agent-form/edit-agent-page.tsx')).EditAgentPage,
  })),
  runs: page(async () => ({ default: (await import('./features/runs/page/runs-page.tsx')).RunsPage })),
  needs: page(async () => ({ default: (await import('./features/attention/needs-page.tsx')).NeedsPage })),
  schedules: page(async () => ({ default: (await import('./features/schedules/schedules-page.tsx')).SchedulesPage })),
  workflows: page(async () => ({ default: (await import('./features/manifests/manifests-page.tsx')).ManifestsPage })),
  ledger: page(async () => ({ default: (await import('./features/ledger/ledger-page.tsx')).LedgerPage })),
  tiers: page(async () => ({ default: (await import('./features/tiers/tiers-page.tsx')).TiersPage })),
  nodes: page(async () => ({ default: (await import('./features/nodes/nodes-page.tsx')).NodesPage })),
  market: page(async () => ({ default: (await import('./features/market/market-page.tsx')).MarketPage })),
  payments: page(async () => ({ default: (await import('./features/payments/payments-page.tsx')).PaymentsPage })),
  moderation: page(async () => ({
    default: (await import('./features/moderation/moderation-page.tsx')).ModerationPage,
  })),
  models: page(async () => ({ default: (await import('./features/models/models-page.tsx')).ModelsPage })),
  rules: page(async () => ({ default: (await import('./features/rules/rules-page.tsx')).RulesPage })),
  settings: page(async () => ({ default: (await import('./features/settings/settings-page.tsx')).SettingsPage })),
  people: page(async () => ({ default: (await import('./features/accounts/accounts-page.tsx')).AccountsPage })),
  connections: page(async () => ({
    default: (await import('./features/connections/connections-page.tsx')).ConnectionsPage,
  })),
  keeping: page(async () => ({ default: (await import('./features/keeping/keeping-page.tsx')).KeepingPage })),
  audit: page(async () => ({ default: (await import('./features/audit/audit-page.tsx')).AuditPage })),
};

/** Ignores a failure: the page fetches the code again when it opens. */
export function fetchPage(view: View): void {
  if (view !== 'map') LAZY_PAGES[view].load().catch(() => undefined);
}
