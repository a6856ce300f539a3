import { type ReactElement, useEffect, useRef, useState } from 'react'
import { type KeyIntent, keyIntent } from '../../canvas/input/keys.ts'
import { MapController, type MapHost } from '../../canvas/map-controller.ts'
import { type Camera, type MapSize, showPeople, type Viewport } from '../../canvas/model/camera.ts'
import type { StageWorld } from '../../canvas/render/stage.ts'
import type { ScenePin } from '../../canvas/model/scene.ts'
import type { AppState } from '../../client/app-state.ts'
import { putAddress } from '../../client/address.ts'
import { readUrl, showsMap, type UrlState } from '../../client/url-state.ts'
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
  const inSight = useVillageState((state) => showsMap(state.place.view))
  const pins = useVillageState((state) => state.pins)
  const picking = useVillageState((state) => state.picking)

  useEffect(() => {
    if (canvas.current === null) return undefined
    let here = true
    let made: MapController | null = null
    MapController.start(canvas.current, { world, host: hostOf(() => latest.current), start: (viewport) => cameraOf(start, latest.current, { viewport, map: world.map }), insets: insetsOf(), tour: start.x === null && start.agent === null }).then((started) => {
      if (!here) { started.destroy(); return }
      made = started
      controller.current = started
      started.setInsets(insetsOf())
      started.setInSight(showsMap(latest.current.store.get().place.view))
      started.setPins(pinsOf(latest.current.store.get()))
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
  }, [selected, following, inSight])
  useEffect(() => controller.current?.setInSight(inSight), [inSight])
  useEffect(() => controller.current?.setPins(pinsOf({ pins, picking })), [pins, picking])
  useEffect(() => controller.current?.setPicking(picking !== null), [picking])
  useKeys(() => controller.current, latest)

  if (failure !== null) return <div className="screen" role="alert"><h1>The map cannot be drawn</h1><p>This browser gives no WebGL ({failure}). The list of people works without it.</p></div>
  return (
    <canvas
      ref={canvas} className={`map${inSight ? '' : ' map-covered'}${connection === 'live' || connection === 'connecting' ? '' : ' map-stale'}`} tabIndex={inSight ? 0 : -1} aria-hidden={!inSight} role="application" aria-roledescription="map"
      aria-label="Map of the village. Arrow keys move it, plus and minus zoom, 0 shows all of it. The list of people is the same in text."
    />
  )
}

function useKeys(controller: () => MapController | null, tools: { readonly current: VillageTools }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : null
      // A dialog has its own Escape, also while nothing in it has the keyboard.
      const intent = document.querySelector('dialog[open]') === null ? keyIntent(event.key, focusOf(event, target)) : null
      // On another page only Escape is left of the map's keys.
      if (intent === null || (intent.kind !== 'back' && !showsMap(tools.current.store.get().place.view))) return
      event.preventDefault()
      if (intent.kind === 'back') goBack(tools.current, target)
      else obey(intent, tools.current, controller())
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [controller, tools])
}

function obey(intent: KeyIntent, tools: VillageTools, controller: MapController | null): void {
  if (intent.kind === 'follow') tools.follow(!tools.store.get().following)
  else if (intent.kind === 'search') document.querySelector<HTMLElement>('[data-search]')?.focus()
  else controller?.obey(intent)
}

function focusOf(event: KeyboardEvent, target: HTMLElement | null): Parameters<typeof keyIntent>[1] {
  return {
    writing: target !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName),
    onMap: target === null || target === document.body || target instanceof HTMLCanvasElement,
    modified: event.ctrlKey || event.metaKey || event.altKey,
  }
}

/** Escape goes back one step: out of a text, off a place that is looked for, off the person followed, off the selection, off the post, off the page. */
function goBack(tools: VillageTools, target: HTMLElement | null): void {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) { target.blur(); return }
  const { following, selected, place, picking } = tools.store.get()
  if (picking !== null) tools.pick(null)
  else if (following && showsMap(place.view)) tools.follow(false)
  else if (selected === null && place.post !== null) tools.open({ post: null })
  else if (selected === null) tools.open({ view: 'map' })
  else tools.select(null)
}

function hostOf(tools: () => VillageTools): MapHost {
  return {
    moment: (nowMs) => tools().village.moment(nowMs),
    select: (id) => tools().select(id),
    follow: (on) => tools().follow(on),
    openPin: (ids) => tools().open({ view: 'board', posts: 'all', post: ids[0] ?? null }),
    picked: (tile) => tools().pick({ tile }),
    moved(camera, visible, chosen) {
      tools().village.look(visible, camera.zoom)
      // Followed agents are named in the address, their way is not: browsers refuse more than a few changes of it a second.
      const at = chosen ? { x: camera.x, y: camera.y, z: camera.zoom } : { x: null, y: null, z: null }
      putAddress({ ...readUrl(window.location.search), ...at }, false)
    },
    measured: rememberFrame,
  }
}

/** The pins of the board, and the one that is being placed. */
function pinsOf({ pins, picking }: Pick<AppState, 'pins' | 'picking'>): readonly ScenePin[] {
  const tile = picking?.tile ?? null
  return tile === null ? pins : [...pins, { id: 'draft', ...tile, tone: 'draft' }]
}

/** Where the address says, else at the chosen agent, else where the people are. */
function cameraOf(start: UrlState, tools: VillageTools, at: { readonly viewport: Viewport; readonly map: MapSize }): Camera {
  if (start.x !== null && start.y !== null) return { x: start.x, y: start.y, zoom: start.z ?? 26 }
  const { details, selected } = tools.store.get()
  const chosen = details.get(selected ?? '')
  if (chosen !== undefined) return { x: chosen.position.x + 0.5, y: chosen.position.y + 0.5, zoom: start.z ?? 34 }
  return showPeople([...details.values()].map((agent) => agent.position), at.viewport, { width: at.map.width, height: at.map.height })
}
