import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { StageWorld } from './canvas/render/stage.ts'
import type { MapController } from './canvas/map-controller.ts'
import { placeAfter, type UrlState, type View } from './client/url-state.ts'
import { Inspector } from './features/inspector/inspector.tsx'
import { MapControls } from './features/map/map-controls.tsx'
import { MapView } from './features/map/map-view.tsx'
import { FollowNarrator } from './features/map/follow-narrator.tsx'
import { PeoplePanel } from './features/people/people-panel.tsx'
import { usePageKeys } from './features/navigation/use-page-keys.ts'
import { RunsPage } from './features/runs/runs-page.tsx'
import { SchedulesPage } from './features/schedules/schedules-page.tsx'
import { SignInDialog } from './features/sign-in/sign-in-dialog.tsx'
import { TiersPage } from './features/tiers/tiers-page.tsx'
import { TopBar } from './features/top-bar/top-bar.tsx'
import { LoadingScreen } from './features/map/loading-screen.tsx'
import { useVillageState, VillageProvider, type VillageTools } from './features/village-context.ts'

/** What the program is made of, and what the address said at the start. */
export interface AppProps { readonly parts: Pick<VillageTools, 'api' | 'store' | 'village' | 'lifecycle'>; readonly start: UrlState }

export function App({ parts, start }: AppProps): ReactElement {
  const [world, setWorld] = useState<StageWorld | null>(null)
  const [controller, setController] = useState<MapController | null>(null)
  const [signIn, setSignIn] = useState(start.code !== null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let here = true
    void Promise.all([parts.village.start(), document.fonts.load('700 12px "Nunito Variable"')]).then(([loaded]) => { if (here) setWorld(loaded) })
    return () => { here = false; parts.village.stop() }
  }, [parts, attempt])
  usePageKeys(parts.store)
  const tools = useTools(parts, controller, () => setSignIn(true))
  const retry = useCallback(() => {
    parts.store.set((state) => ({ ...state, loading: 'loading' }))
    setAttempt((count) => count + 1)
  }, [parts])
  return (
    <VillageProvider value={tools}>
      <TopBar />
      <main className="town">
        {world === null ? <LoadingScreen onRetry={retry} /> : <MapView world={world} start={start} onController={setController} />}
        {world !== null && <Over controller={controller} />}
      </main>
      <FollowNarrator />
      {signIn && <SignInDialog code={start.code} onClose={() => { setSignIn(false); forgetCode() }} />}
    </VillageProvider>
  )
}

const PAGES: Readonly<Record<Exclude<View, 'map'>, () => ReactElement>> = { runs: RunsPage, schedules: SchedulesPage, tiers: TiersPage }

/** What lies over the map: a page, or the panels of the map itself; and whoever is selected. */
function Over({ controller }: { readonly controller: MapController | null }): ReactElement {
  const view = useVillageState((state) => state.place.view)
  const OpenPage = view === 'map' ? PeoplePanel : PAGES[view]
  return (
    <>
      <OpenPage key={view} />
      <SelectedAgent />
      {view === 'map' && <MapControls controller={controller} />}
    </>
  )
}

function SelectedAgent(): ReactElement | null {
  const selected = useVillageState((state) => state.selected)
  return selected === null ? null : <Inspector key={selected} id={selected} />
}

function useTools(parts: AppProps['parts'], controller: MapController | null, openSignIn: () => void): VillageTools {
  const open = useRef(openSignIn)
  open.current = openSignIn
  return useMemo(() => ({
    ...parts,
    select: (id) => parts.store.set((state) => ({ ...state, selected: id, following: id !== null && id === state.selected && state.following })),
    follow: (on) => parts.store.set((state) => ({ ...state, following: on && state.selected !== null })),
    goTo: (place) => controller?.goTo({ x: place.x + 0.5, y: place.y + 0.5 }),
    open: (change) => parts.store.set((state) => ({ ...state, place: placeAfter(state.place, change) })),
    openSignIn: () => open.current(),
  }), [parts, controller])
}

/** The one-time code does not stay in the address once it has served. */
function forgetCode(): void {
  const query = new URLSearchParams(window.location.search)
  query.delete('code')
  window.history.replaceState(null, '', query.size === 0 ? window.location.pathname : `?${query.toString()}`)
}

