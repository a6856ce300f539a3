import { useEffect, useRef, useState } from 'react';
import { MapController } from '../../canvas/map-controller.ts';
import type { Insets, MapHost, Moment } from '../../canvas/map-host.ts';
import { type Camera, type MapSize, showPeople, type Viewport } from '../../canvas/model/camera.ts';
import type { StageWorld } from '../../canvas/render/stage.ts';
import type { ScenePin } from '../../canvas/model/scene.ts';
import type { AppState } from '../../client/app-state.ts';
import { putAddress } from '../../client/address.ts';
import { readUrl, showsMap, type UrlState } from '../../client/url-state.ts';
import { useVillage, useVillageState, type VillageTools } from '../village-context.ts';
import type { WorldSource } from '../../client/world/world-source.ts';

interface MapViewProps {
  readonly world: StageWorld;
  readonly start: UrlState;
  readonly onController: (controller: MapController | null) => void;
}

export function MapView({ world, start, onController }: MapViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const tools = useVillage();
  const latest = useRef(tools);
  latest.current = tools;
  const [failure, setFailure] = useState<string | null>(null);
  const controller = useRef<MapController | null>(null);
  const selected = useVillageState((state) => state.selected);
  const following = useVillageState((state) => state.following);
  const connection = useVillageState((state) => state.connection);
  const inSight = useVillageState((state) => showsMap(state.place.view));
  const pins = useVillageState((state) => state.pins);
  const picking = useVillageState((state) => state.picking);
  const hands = useVillageState((state) => state.hands);

  useEffect(() => {
    if (canvas.current === null) return undefined;
    let here = true;
    let made: MapController | null = null;
    const leave = latest.current.world.subscribe(() => made?.worldChanged());
    MapController.start(canvas.current, {
      world,
      host: hostOf(() => latest.current),
      start: (viewport) => cameraOf(start, latest.current, { viewport, map: world.map }),
      insets: insetsOf(),
      tour: start.x === null && start.agent === null,
    }).then(
      (started) => {
        if (!here) {
          started.destroy();
          return;
        }
        made = started;
        controller.current = started;
        started.setInsets(insetsOf());
        started.setInSight(showsMap(latest.current.store.get().place.view));
        started.setHands(latest.current.store.get().hands);
        started.setPins(pinsOf(latest.current.store.get()));
        started.setPicking(latest.current.store.get().picking !== null);
        started.mark(latest.current.store.get().selected, latest.current.store.get().following);
        latest.current.world.look(started.visible, started.camera.zoom);
        exposeProbe(latest.current.world, started);
        onController(started);
      },
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      here = false;
      leave();
      made?.destroy();
      controller.current = null;
      onController(null);
    };
  }, [world, start, onController]);

  useEffect(() => {
    controller.current?.setInsets(insetsOf());
    controller.current?.mark(selected, following);
  }, [selected, following, inSight]);
  useEffect(() => {
    const town = canvas.current?.parentElement ?? null;
    if (town === null) return undefined;
    // A panel whose code is still on its way covers the map later than the effect above.
    const observer = new MutationObserver(() => controller.current?.setInsets(insetsOf()));
    observer.observe(town, { childList: true });
    return () => observer.disconnect();
  }, []);
  useEffect(() => controller.current?.setInSight(inSight), [inSight]);
  useEffect(() => controller.current?.setHands(hands), [hands]);
  useEffect(() => controller.current?.setPins(pinsOf({ pins, picking })), [pins, picking]);
  useEffect(() => controller.current?.setPicking(picking !== null), [picking]);

  if (failure !== null)
    return (
      <div className="screen" role="alert">
        <h1>The map cannot be drawn</h1>
        <p>This browser provides no WebGL ({failure}). The list of agents works without it.</p>
      </div>
    );
  return (
    <canvas
      ref={canvas}
      className={`map${inSight ? '' : ' map-covered'}${connection === 'live' || connection === 'connecting' ? '' : ' map-stale'}`}
      tabIndex={inSight ? 0 : -1}
      aria-hidden={!inSight}
      role="application"
      aria-roledescription="map"
      aria-label="Map of the village. Arrow keys move it, plus and minus zoom, 0 shows all of it. The list of agents has the same content as text."
    />
  );
}

const EMPTY_MOMENT: Moment = { tick: 0, minute: 720, agents: [], items: [], clusters: [] };

function hostOf(tools: () => VillageTools): MapHost {
  return {
    moment: () => tools().world.moment() ?? EMPTY_MOMENT,
    select: (id) => tools().select(id),
    follow: (on) => tools().follow(on),
    openPin: (ids) => tools().open({ view: 'board', posts: 'all', post: ids[0] ?? null }),
    picked: (tile) => tools().pick({ tile }),
    moved(camera, visible, chosen) {
      tools().world.look(visible, camera.zoom);
      // The address names the followed agent without a position: browsers limit how often a page may change its
      // address.
      const at = chosen ? { x: camera.x, y: camera.y, z: camera.zoom } : { x: null, y: null, z: null };
      putAddress({ ...readUrl(window.location.search), ...at }, false);
    },
    measured: rememberFrame,
  };
}

function pinsOf({ pins, picking }: Pick<AppState, 'pins' | 'picking'>): readonly ScenePin[] {
  const tile = picking?.tile ?? null;
  return tile === null ? pins : [...pins, { id: 'draft', ...tile, tone: 'draft' }];
}

/** At the position in the address, else at the selected agent, else with many agents in sight. */
function cameraOf(start: UrlState, tools: VillageTools, at: Readonly<{ viewport: Viewport; map: MapSize }>): Camera {
  if (start.x !== null && start.y !== null) return { x: start.x, y: start.y, zoom: start.z ?? 26 };
  const { details, selected } = tools.store.get();
  const chosen = details.get(selected ?? '');
  if (chosen !== undefined) return { x: chosen.position.x + 0.5, y: chosen.position.y + 0.5, zoom: start.z ?? 34 };
  return showPeople(
    [...details.values()].map((agent) => agent.position),
    at.viewport,
    { width: at.map.width, height: at.map.height },
  );
}

/** Below this width the panels are at the bottom; the style sheet has the same number. */
const PHONE_PX = 760;

/** CSS pixels of the map that the open panels cover, measured from their boxes. */
function insetsOf(): Insets {
  const insetTop = boxOf('.top-bar')?.bottom ?? 0;
  const panels = [boxOf('.agents'), boxOf('.board'), boxOf('.inspector')].filter((box) => box !== null);
  if (window.innerWidth < PHONE_PX) {
    return {
      insetTop,
      insetLeft: 0,
      insetRight: 0,
      insetBottom: window.innerHeight - Math.min(window.innerHeight, ...panels.map((box) => box.top)),
    };
  }
  const rightPanels = panels.filter((box) => box.left > window.innerWidth / 2);
  const leftPanels = panels.filter((box) => box.left <= window.innerWidth / 2);
  return {
    insetTop,
    insetBottom: 0,
    insetLeft: Math.max(0, ...leftPanels.map((box) => box.right)),
    insetRight: window.innerWidth - Math.min(window.innerWidth, ...rightPanels.map((box) => box.left)),
  };
}

const boxOf = (selector: string): DOMRect | null => document.querySelector(selector)?.getBoundingClientRect() ?? null;

/** The values that end-to-end tests read: the drawn position of each agent, the tick, and the cost of a frame. */
interface HamletProbe {
  readonly tick: number;
  readonly agents: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly moving: boolean;
    readonly asleep: boolean;
  }[];
  readonly camera: { readonly x: number; readonly y: number; readonly zoom: number };
  readonly figures: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly emote: string | null;
    readonly carried: string | null;
    readonly hands: string | null;
  }[];
  readonly frameMs: readonly number[];
}

declare global {
  interface Window {
    readonly __hamlet?: HamletProbe;
  }
}

function exposeProbe(world: WorldSource, controller: MapController): void {
  Object.defineProperty(window, '__hamlet', {
    configurable: true,
    get: (): HamletProbe => {
      const moment = world.moment();
      return {
        tick: moment?.tick ?? 0,
        camera: controller.camera,
        agents: moment?.agents.map(({ agentId: id, x, y, moving, asleep }) => ({ id, x, y, moving, asleep })) ?? [],
        figures:
          controller.list?.figures.map(({ id, x, y, emote, carried, hands }) => ({
            id,
            x,
            y,
            emote,
            carried,
            hands,
          })) ?? [],
        frameMs: frameTimes(),
      };
    },
  });
}

const KEPT = 240;
const ring = new Float32Array(KEPT);
const next = { at: 0 };

function rememberFrame(frameMs: number): void {
  ring[next.at % KEPT] = frameMs;
  next.at += 1;
}

const frameTimes = (): number[] => [...ring.subarray(0, Math.min(next.at, KEPT))];
