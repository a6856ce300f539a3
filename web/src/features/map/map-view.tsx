import { type ReactElement, useEffect, useRef, useState } from 'react'
import { keyIntent } from '../../canvas/input/keys.ts'
import { MapController, type MapHost } from '../../canvas/map-controller.ts'
import { type Camera, type MapSize, showPeople, type Viewport } from '../../canvas/model/camera.ts'
import type { StageWorld } from '../../canvas/render/stage.ts'
import { readUrl, type UrlState, writeUrl } from '../../client/url-state.ts'
import { useVillage, useVillageState, type VillageTools } from '../village-context.ts'
import { exposeForTests } from './expose.ts'
import { rememberFrame } from './frame-times.ts'
import { insetsOf } from './insets.ts'

interface MapViewProps { readonly world: StageWorld; readonly start: UrlState; readonly onController: (controller: MapController | null) => void }

/** The canvas. React places it and never touches it again. */
export function MapView({ world, start, onController }: MapViewProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null)
  const tools = useVillage()
  const latest = useRef(tools)
  latest.current = tools
  const [failure, setFailure] = useState<string | null>(null)
  const controller = useRef<MapController | null>(null)
  const selected = useVillageState((state) => state.selected)
  const following = useVillageState((state) => state.following)
  const connection = useVillageState((state) => state.connection)

  useEffect(() => {
    if (canvas.current === null) return undefined
    let here = true
    let made: MapController | null = null
    MapController.start(canvas.current, { world, host: hostOf(() => latest.current), start: (viewport) => cameraOf(start, latest.current, { viewport, map: world.map }), insets: insetsOf(), tour: start.x === null && start.agent === null }).then((started) => {
      if (!here) { started.destroy(); return }
      made = started
      controller.current = started
      started.setInsets(insetsOf())
      started.mark(latest.current.store.get().selected, latest.current.store.get().following)
      latest.current.village.look(started.visible, started.camera.zoom)
      exposeForTests(latest.current.village, started)
      onController(started)
    }, (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)))
    return () => { here = false; made?.destroy(); controller.current = null; onController(null) }
  }, [world, start, onController])

  useEffect(() => {
    controller.current?.setInsets(insetsOf())
    controller.current?.mark(selected, following)
    rememberSelection(selected)
  }, [selected, following])
  useKeys(() => controller.current, latest)

  if (failure !== null) return <div className="screen" role="alert"><h1>The map cannot be drawn</h1><p>This browser gives no WebGL ({failure}). The list of people works without it.</p></div>
  return (
    <canvas
      ref={canvas} className={`map${connection === 'live' || connection === 'connecting' ? '' : ' map-stale'}`} tabIndex={0} role="application" aria-roledescription="map"
      aria-label="Map of the village. Arrow keys move it, plus and minus zoom, 0 shows all of it. The list of people is the same in text."
    />
  )
}

function useKeys(controller: () => MapController | null, tools: { readonly current: VillageTools }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : null
      const intent = target?.closest('dialog') instanceof HTMLElement ? null : keyIntent(event.key, focusOf(event, target))
      if (intent === null) return
      event.preventDefault()
      if (intent.kind === 'follow') tools.current.follow(!tools.current.store.get().following)
      else if (intent.kind === 'back') goBack(tools.current, target)
      else if (intent.kind === 'search') document.getElementById('people-filter')?.focus()
      else controller()?.obey(intent)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [controller, tools])
}

function focusOf(event: KeyboardEvent, target: HTMLElement | null): Parameters<typeof keyIntent>[1] {
  return {
    writing: target !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName),
    onMap: target === null || target === document.body || target instanceof HTMLCanvasElement,
    modified: event.ctrlKey || event.metaKey || event.altKey,
  }
}

/** Escape goes back one step: out of a text, off the person followed, off the selection. */
function goBack(tools: VillageTools, target: HTMLElement | null): void {
  if (target instanceof HTMLInputElement) { target.blur(); return }
  if (tools.store.get().following) tools.follow(false)
  else tools.select(null)
}

function hostOf(tools: () => VillageTools): MapHost {
  return {
    moment: (nowMs) => tools().village.moment(nowMs),
    select: (id) => tools().select(id),
    follow: (on) => tools().follow(on),
    moved(camera, visible, chosen) {
      tools().village.look(visible, camera.zoom)
      // Followed agents are named in the address, their way is not: browsers refuse more than a few changes of it a second.
      const at = chosen ? { x: camera.x, y: camera.y, z: camera.zoom } : { x: null, y: null, z: null }
      replaceQuery({ ...readUrl(window.location.search), ...at })
    },
    measured: rememberFrame,
  }
}

/** Where the address says, else at the chosen agent, else where the people are. */
function cameraOf(start: UrlState, tools: VillageTools, at: { readonly viewport: Viewport; readonly map: MapSize }): Camera {
  if (start.x !== null && start.y !== null) return { x: start.x, y: start.y, zoom: start.z ?? 26 }
  const { details } = tools.store.get()
  const chosen = start.agent === null ? undefined : details.get(start.agent)
  if (chosen !== undefined) return { x: chosen.position.x + 0.5, y: chosen.position.y + 0.5, zoom: start.z ?? 34 }
  return showPeople([...details.values()].map((agent) => agent.position), at.viewport, { width: at.map.width, height: at.map.height })
}

function rememberSelection(agent: string | null): void {
  const state = readUrl(window.location.search)
  if (state.agent !== agent) replaceQuery({ ...state, agent })
}

function replaceQuery(state: UrlState): void {
  const query = writeUrl(state)
  if (query !== window.location.search) window.history.replaceState(null, '', `${window.location.pathname}${query}`)
}
