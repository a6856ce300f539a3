import { type ComponentProps, lazy, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { StageWorld } from './canvas/render/stage.ts';
import type { MapController } from './canvas/map-controller.ts';
import { forgetInAddress } from './client/address.ts';
import { reconnectMs } from './client/stream/backoff.ts';
import { AskingProvider } from './client/query/use-live.ts';
import { type Invitation, placeAfter, showsMap, type UrlState } from './client/url-state.ts';
import { InspectorFailed } from './features/inspector/inspector-failed.tsx';
import { AgentsPanel } from './features/agent-list/agents-panel.tsx';
import { useMapKeys, usePageKeys } from './features/map/use-map-keys.ts';
import { fetchPage, LAZY_PAGES } from './pages.ts';
import { Notices } from './features/top-bar/notices.tsx';
import { LoadingScreen } from './features/reach/unreachable.tsx';
import { TopBar } from './features/top-bar/top-bar.tsx';
import { Icon, IconButton, LazyBoundary } from './ui/controls.tsx';
import { lazyPart } from './ui/lazy-part.ts';
import { applyBrand } from './ui/preferences.ts';
import type { IconName } from './ui/icon-paths.ts';
import type { VillageTools } from './features/village-context.ts';
import { useViewerId, useVillage, useVillageState, VillageProvider } from './features/village-context.ts';
import { titleOf } from './features/navigation/page-groups.ts';
import { Palette } from './features/navigation/palette.tsx';
import { useNeedCount } from './features/attention/use-needs.ts';
import { VillageMark } from './features/scripted/village-mark.tsx';

/** Most of the code is in the map. */
const loadMap = async (): Promise<{ readonly default: typeof import('./features/map/map-view.tsx').MapView }> => ({
  default: (await import('./features/map/map-view.tsx')).MapView,
});
/** Not a `lazyPart`: the first picture is later if the map is mounted in the same task as the panels. */
const MapView = lazy(loadMap);
const AwayCard = lazyPart(async () => (await import('./features/away/away-card.tsx')).AwayCard);

/** The panel of an agent: its download begins soon after the map is drawn, so that the panel opens at once. */
const Inspector = lazyPart(async () => (await import('./features/inspector/inspector.tsx')).Inspector);
/** The first picture of the map and its agents come before the code of the panel. */
const INSPECTOR_AFTER_MS = 500;
const SignInDialog = lazyPart(async () => (await import('./features/sign-in/sign-in-dialog.tsx')).SignInDialog);

/** The shortest wait before the page tries again to load a world that failed to load. */
const WORLD_RETRY_MS = 2000;

/** Loads all that the first picture of the map needs: its code, its font, the world and the agents. Null after a failure. */
export async function loadTown({ world, agents }: AppProps['parts'], start: UrlState): Promise<StageWorld | null> {
  // The LazyBoundary around the map reports a failure.
  if (showsMap(start.view)) loadMap().catch(() => undefined);
  const fonts = document.fonts.load('700 12px "Nunito Variable"').catch(() => []);
  // Waits for the agents too, because the first camera shows them.
  const [loaded] = await Promise.all([world.load(), agents.ready, fonts]);
  return loaded;
}

interface AppProps {
  readonly parts: Pick<
    VillageTools,
    'api' | 'queries' | 'store' | 'world' | 'agents' | 'session' | 'lifecycle' | 'board' | 'messages'
  >;
  readonly start: UrlState;
  /** The town, whose loading began before the first render. */
  readonly town: Promise<StageWorld | null>;
  readonly invitation: Invitation | null;
}

export function App({ parts, start, town, invitation }: AppProps) {
  const [controller, setController] = useState<MapController | null>(null);
  const [signIn, setSignIn] = useState(invitation !== null || start.login_error !== null);
  const { world, retry } = useWorld(parts, start, town);
  usePageKeys(parts.store);
  useEffect(() => {
    if (controller === null) return undefined;
    // The LazyBoundary around the panel reports a failure.
    const timer = setTimeout(() => {
      Inspector.fetch().catch(() => undefined);
    }, INSPECTOR_AFTER_MS);
    return () => clearTimeout(timer);
  }, [controller]);
  const tools = useTools(parts, controller, () => setSignIn(true));
  return (
    <VillageProvider value={tools}>
      <Asker>
        <TopBar />
        <Notices />
        <main className="town">
          {world === null ? (
            <LoadingScreen onRetry={retry} />
          ) : (
            <LazyBoundary fallback={<LoadingScreen onRetry={retry} />}>
              <MapOnceSeen world={world} start={start} onController={setController} />
            </LazyBoundary>
          )}
          <Over controller={controller} />
        </main>
        <FollowNarrator />
        <PageTitle />
        <Palette />
        {signIn && (
          <LazyBoundary fallback={null}>
            <SignInDialog
              invitation={invitation}
              failed={start.login_error}
              onClose={() => {
                setSignIn(false);
                forgetInAddress('login_error');
              }}
            />
          </LazyBoundary>
        )}
      </Asker>
    </VillageProvider>
  );
}

function Asker({ children }: { readonly children: ReactNode }) {
  const { api, queries } = useVillage();
  const viewer = useViewerId();
  const asking = useMemo(() => ({ api, queries, viewer }), [api, queries, viewer]);
  return <AskingProvider value={asking}>{children}</AskingProvider>;
}

/** The world, which loads again after a failure. Only the map waits for it. */
function useWorld(
  parts: AppProps['parts'],
  start: UrlState,
  town: AppProps['town'],
): { readonly world: StageWorld | null; readonly retry: () => void } {
  const [world, setWorld] = useState<StageWorld | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let here = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void (attempt === 0 ? town : loadTown(parts, start)).then((loaded) => {
      if (!here) return;
      setWorld(loaded);
      if (loaded === null)
        timer = setTimeout(
          () => setAttempt((count) => count + 1),
          WORLD_RETRY_MS + reconnectMs(attempt, Math.random()),
        );
    });
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [parts, attempt, start, town]);
  const retry = useCallback(() => {
    parts.store.set((state) => ({ ...state, loading: 'loading' }));
    setAttempt((count) => count + 1);
  }, [parts]);
  return { world, retry };
}

function MapOnceSeen(props: ComponentProps<typeof MapView>) {
  const inSight = useVillageState((state) => showsMap(state.place.view));
  const [wanted, setWanted] = useState(inSight);
  useEffect(() => {
    if (inSight) setWanted(true);
  }, [inSight]);
  return wanted ? <MapView {...props} /> : null;
}

function Over({ controller }: { readonly controller: MapController | null }) {
  const view = useVillageState((state) => state.place.view);
  const known = useVillageState(({ session }) => session.kind !== 'unknown' || session.asked);
  useMapKeys(controller);
  // Shows nothing until the viewer is known, because it would show a visitor's page first.
  if (!known) return null;
  const OpenPage = view === 'map' ? AgentsPanel : LAZY_PAGES[view];
  return (
    <>
      <LazyBoundary
        key={view}
        fallback={
          <p className="opening" role="status">
            Opening…
          </p>
        }
      >
        <OpenPage />
      </LazyBoundary>
      <Away />
      <SelectedAgent />
      {showsMap(view) && controller !== null && <MapControls controller={controller} />}
    </>
  );
}

/** Another account has another last look. */
function Away() {
  const viewer = useViewerId();
  return viewer === null ? null : (
    <LazyBoundary key={viewer} fallback={null} failed={null}>
      <AwayCard />
    </LazyBoundary>
  );
}

function SelectedAgent() {
  const selected = useVillageState((state) => state.selected);
  return selected === null ? null : (
    <LazyBoundary key={selected} fallback={null} failed={<InspectorFailed />}>
      <Inspector id={selected} />
    </LazyBoundary>
  );
}

function useTools(parts: AppProps['parts'], controller: MapController | null, openSignIn: () => void): VillageTools {
  const open = useRef(openSignIn);
  open.current = openSignIn;
  return useMemo(
    () => ({
      ...parts,
      select: (id) =>
        parts.store.set((state) => ({
          ...state,
          selected: id,
          // A conversation and a memory belong to one agent.
          place: id === state.selected ? state.place : placeAfter(state.place, { chat: null, memory: null }),
          following: id !== null && id === state.selected && state.following,
        })),
      follow: (on) => parts.store.set((state) => ({ ...state, following: on && state.selected !== null })),
      goTo: (place) => controller?.goTo({ x: place.x + 0.5, y: place.y + 0.5 }),
      pick: (picking) => parts.store.set((state) => ({ ...state, picking })),
      open: (change) => parts.store.set((state) => ({ ...state, place: placeAfter(state.place, change) })),
      openSignIn: () => open.current(),
      fetchPage,
    }),
    [parts, controller],
  );
}

function PageTitle(): null {
  const view = useVillageState((state) => state.place.view);
  const agent = useVillageState((state) =>
    state.selected === null ? null : (state.details.get(state.selected)?.display_name ?? state.selected),
  );
  const waiting = useNeedCount();
  const brand = useVillageState((state) => state.brand);
  useEffect(() => {
    document.title = titleOf({ view, agent, waiting, village: brand.name });
  }, [view, agent, waiting, brand.name]);
  useEffect(() => applyBrand(brand.color), [brand.color]);
  return null;
}

/** Describes the followed agent to people who cannot see the map. A polite live region announces only new text. */
function FollowNarrator() {
  const selected = useVillageState((state) => (state.following ? state.selected : null));
  const latest = useVillageState((state) => state.feed.find((entry) => entry.agentId === selected));
  return (
    <div className="sr-only" role="status" aria-live="polite">
      {selected === null || latest === undefined ? '' : `${latest.name} ${latest.text}`}
    </div>
  );
}

const HINT_KEY = 'hamlet-hint-seen';

const MAP_BUTTONS: readonly Readonly<{
  icon: IconName;
  label: string;
  title: string;
  act: (map: MapController) => void;
}>[] = [
  { icon: 'plus', label: 'Zoom in', title: 'Zoom in (+)', act: (map) => map.zoomBy(1.5) },
  { icon: 'minus', label: 'Zoom out', title: 'Zoom out (-)', act: (map) => map.zoomBy(1 / 1.5) },
  { icon: 'layers', label: 'Show the whole village', title: 'Whole village (0)', act: (map) => map.showWhole() },
];

function MapControls({ controller }: { readonly controller: MapController }) {
  const [hint, setHint] = useState(() => localStorage.getItem(HINT_KEY) === null);
  const dismiss = (): void => {
    localStorage.setItem(HINT_KEY, '1');
    setHint(false);
  };
  return (
    <>
      <div className="map-controls" role="group" aria-label="Map">
        {MAP_BUTTONS.map(({ icon, label, title, act }) => (
          <button
            key={icon}
            type="button"
            className="round-button"
            onClick={() => act(controller)}
            aria-label={label}
            title={title}
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
      <p className="map-scripted">
        <VillageMark word="scripted speech" />
      </p>
      {hint && (
        <p className="map-hint">
          <span>
            <b>Drag</b> to look around, <b>scroll</b> to zoom, <b>click an agent</b> to talk to it or give it work.
          </span>
          <IconButton icon="close" iconPx={14} label="Got it" onClick={dismiss} />
        </p>
      )}
    </>
  );
}
