import { type EntitlementView, getAccountName, listEntitlements, type Role, roleMay } from '@hamlet/contract';
import { createContext, useContext, useMemo } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import type { Agents } from '../client/agents/agents.ts';
import type { AppState } from '../client/app-state.ts';
import type { BoardLive } from '../client/board/board-live.ts';
import type { Lifecycle } from '../client/lifecycle.ts';
import type { MessageOutbox } from '../client/minds/message-outbox.ts';
import type { SessionMonitor } from '../client/session.ts';
import { type Store, useStore } from '../client/store.ts';
import type { WorldSource } from '../client/world/world-source.ts';
import type { Api } from '../client/api.ts';
import type { Place, View } from '../client/url-state.ts';
import { accountIn, actorLabel } from '../client/labels.ts';
import { hintedPace } from '../client/query/hints.ts';
import { type Live, useLive } from '../client/query/use-live.ts';
import { tierLabel } from './money/tier-outlook.ts';

/** `goTo` moves the map, if there is one; `open` opens another page, or an object on this page. */
export interface VillageTools {
  readonly api: Api;
  readonly queries: QueryClient;
  readonly agents: Agents;
  readonly world: WorldSource;
  readonly store: Store<AppState>;
  readonly lifecycle: Lifecycle;
  readonly session: SessionMonitor;
  readonly board: BoardLive;
  readonly messages: MessageOutbox;
  select(id: string | null): void;
  follow(on: boolean): void;
  goTo(place: { readonly x: number; readonly y: number }): void;
  open(change: Partial<Place>): void;
  /** Starts the choice of a place on the map, or changes the chosen tile; null ends the choice. */
  pick(picking: AppState['picking']): void;
  openSignIn(): void;
  fetchPage(view: View): void;
}

const Context = createContext<VillageTools | null>(null);
export const VillageProvider = Context.Provider;

export function useVillage(): VillageTools {
  const tools = useContext(Context);
  if (tools === null) throw new Error('useVillage needs a VillageProvider above it');
  return tools;
}

export function useRole(): Role {
  return useVillageState((state) => (state.session.kind === 'account' ? state.session.account.role : 'visitor'));
}

export function useViewerId(): string | null {
  return useVillageState((state) => (state.session.kind === 'account' ? state.session.account.account_id : null));
}

export const useVillageState = <S>(select: (state: AppState) => S): S => useStore(useVillage().store, select);

export function useAgentNames(): readonly { readonly id: string; readonly name: string }[] {
  const details = useVillageState((state) => state.details);
  return useMemo(
    () =>
      [...details.values()]
        .map(({ agent_id: id, display_name: name }) => ({ id, name }))
        .toSorted((left, right) => left.name.localeCompare(right.name)),
    [details],
  );
}

/** Names any agent as `useAgentName` does. */
export function useAgentNaming(): (id: string) => string {
  const details = useVillageState((state) => state.details);
  return (id) => details.get(id)?.display_name ?? id;
}

/** The display name of an agent; its id if the village does not have it. */
export function useAgentName(id: string): string {
  return useVillageState((state) => state.details.get(id)?.display_name ?? id);
}

export const useHintedPace = (fastMs: number): (() => number) => hintedPace(useVillage().board, fastMs);

const NAMES_MS = 600_000;

/** An actor in words: `you`, the name of an account or agent, or its id if the viewer may not read its name. */
export function useActorLabel(id: string, role: string | null): string {
  const viewer = useViewerId();
  // The ledger records an agent by its id alone.
  const isAgent = role === 'agent' || id.startsWith('agent ');
  const agent = useAgentName(id.replace(/^agent /, ''));
  const account = accountIn(id);
  const mayRead = roleMay(useRole(), 'accounts:name');
  const isAsked = account !== null && account !== viewer && mayRead;
  const { data } = useLive(getAccountName, isAsked ? { params: { account_id: account } } : null, NAMES_MS);
  return data?.name ?? (isAgent ? agent : actorLabel(id, role, viewer));
}

/** Selects an agent and opens a part of its panel. */
export function useShowAgent(): (id: string, part: Pick<Partial<Place>, 'tab' | 'chat' | 'memory'>) => void {
  const { select, open } = useVillage();
  return (id, part) => {
    select(id);
    open(part);
  };
}

const REFRESH_MS = 5000;

export function useTiers(): Live<{ readonly entitlements: readonly EntitlementView[] }> {
  return useLive(listEntitlements, {}, useHintedPace(REFRESH_MS));
}

/** The name of a tier for people, by the tiers of the village. */
export const useTierLabel = (name: string | null): string => tierLabel(useTiers().data?.entitlements ?? [], name);
