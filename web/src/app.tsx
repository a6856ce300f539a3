import { type ComponentProps, lazy, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { StageWorld } from './canvas/render/stage.ts';
import type { MapController } from './canvas/map-controller.ts';
import { forgetInAddress } from './client/address.ts';
import { backoffMs } from './client/backoff.ts';
import { placeAfter, showsMap, type UrlState } from './client/url-state.ts';
import { Inspector, InspectorFailed } from './features/inspector/inspector.tsx';
import { MapControls } from './features/map/map-controls.tsx';
import { FollowNarrator } from './features/map/follow-narrator.tsx';
import { PeoplePanel } from './features/people/people-panel.tsx';
import { useMapKeys } from './features/map/use-map-keys.ts';
import { PageTitle } from './features/navigation/page-title.tsx';
import { LAZY_PAGES } from './features/navigation/lazy-pages.ts';
import { usePageKeys } from './features/navigation/use-page-keys.ts';
import { Notices } from './features/top-bar/notices.tsx';
import { SignInDialog } from './features/sign-in/sign-in-dialog.tsx';
import { TopBar } from './features/top-bar/top-bar.tsx';
import { LoadingScreen } from './features/map/loading-screen.tsx';
import { LazyBoundary } from './ui/lazy-boundary.tsx';
import { useVillageState, VillageProvider, type VillageTools } from './features/village-context.ts';

/** The map is most of the code there is: it comes beside the first answers of the api, and not at all with a page that covers it. */
const loadMap = async (): Promise<{ readonly default: typeof import('./features/map/map-view.tsx').MapView }> => ({
  default: (await import('./features/map/map-view.tsx')).MapView,
});
const MapView = lazy(loadMap);

/** The least wait before a world that did not come is asked for again. */
const WORLD_RETRY_MS = 2000;

/** What the program is made of, and what the address said at the start. */
export interface AppProps {
  readonly parts: Pick<VillageTools, 'api' | 'store' | 'village' | 'session' | 'lifecycle' | 'board'>;
  readonly start: UrlState;
}

export function App({ parts, start }: AppProps): ReactElement {
  const [controller, setController] = useState<MapController | null>(null);
  const [signIn, setSignIn] = useState(start.code !== null || start.login_error !== null);
  const { world, retry } = useWorld(parts, start);
  usePageKeys(parts.store);
  const tools = useTools(parts, controller, () => setSignIn(true));
  return (
    <VillageProvider value={tools}>
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
      {signIn && (
        <SignInDialog
          code={start.code}
          failed={start.login_error}
          onClose={() => {
            setSignIn(false);
            forgetInAddress('code', 'login_error');
          }}
        />
      )}
    </VillageProvider>
  );
}

/** Everything that runs beside the panels, and the world once it is there. A world that does not come is asked for again by itself; the rest works without it. */
function useWorld(
  parts: AppProps['parts'],
  start: UrlState,
): { readonly world: StageWorld | null; readonly retry: () => void } {
  const [world, setWorld] = useState<StageWorld | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    parts.session.start();
    parts.village.start();
    parts.board.start();
    return () => {
      parts.session.stop();
      parts.village.stop();
      parts.board.stop();
    };
  }, [parts]);
  useEffect(() => {
    let here = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Fetched now and shown once the world is there; the boundary around it says what goes wrong.
    if (showsMap(start.view)) loadMap().catch(() => undefined);
    const fonts = document.fonts.load('700 12px "Nunito Variable"').catch(() => []);
    void Promise.all([parts.village.loadWorld(), fonts]).then(([loaded]) => {
      if (!here) return;
      setWorld(loaded);
      if (loaded === null)
        timer = setTimeout(() => setAttempt((count) => count + 1), WORLD_RETRY_MS + backoffMs(attempt, Math.random()));
    });
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [parts, attempt, start]);
  const retry = useCallback(() => {
    parts.store.set((state) => ({ ...state, loading: 'loading' }));
    setAttempt((count) => count + 1);
  }, [parts]);
  return { world, retry };
}

/** A page that covers the map does not start it; once seen it stays. */
function MapOnceSeen(props: ComponentProps<typeof MapView>): ReactElement | null {
  const inSight = useVillageState((state) => showsMap(state.place.view));
  const [wanted, setWanted] = useState(inSight);
  useEffect(() => {
    if (inSight) setWanted(true);
  }, [inSight]);
  return wanted ? <MapView {...props} /> : null;
}

/** What lies over the map: a page, or the panels of the map itself; and whoever is selected. */
function Over({ controller }: { readonly controller: MapController | null }): ReactElement | null {
  const view = useVillageState((state) => state.place.view);
  const known = useVillageState(({ session }) => session.kind !== 'unknown' || session.asked);
  useMapKeys(controller);
  // A page that came before its viewer is known would offer a visitor's part of it to everybody.
  if (!known) return null;
  const OpenPage = view === 'map' ? PeoplePanel : LAZY_PAGES[view];
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
      <SelectedAgent />
      {showsMap(view) && controller !== null && <MapControls controller={controller} />}
    </>
  );
}

function SelectedAgent(): ReactElement | null {
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
          following: id !== null && id === state.selected && state.following,
        })),
      follow: (on) => parts.store.set((state) => ({ ...state, following: on && state.selected !== null })),
      goTo: (place) => controller?.goTo({ x: place.x + 0.5, y: place.y + 0.5 }),
      pick: (picking) => parts.store.set((state) => ({ ...state, picking })),
      open: (change) => parts.store.set((state) => ({ ...state, place: placeAfter(state.place, change) })),
      openSignIn: () => open.current(),
    }),
    [parts, controller],
  );
}
