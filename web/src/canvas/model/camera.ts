/** The camera of the map. `x`,`y` are the tile coordinates at the middle of the viewport; `zoom` is CSS pixels per tile. */
export type Camera = Readonly<{ x: number; y: number; zoom: number }>;
/** The drawing area in CSS pixels. `inset*` are the parts that panels cover; "the middle" is the middle of the uncovered part. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly insetLeft: number;
  readonly insetRight: number;
  readonly insetTop: number;
  readonly insetBottom: number;
}
export type Point = Readonly<{ x: number; y: number }>;
/** A rectangle of tiles: whole numbers, `x`,`y` its upper left. */
export type TileRect = Readonly<{ x: number; y: number; width: number; height: number }>;
export type MapSize = Readonly<{ width: number; height: number }>;

/** Pixels per tile: below the minimum a tile is too small to recognize, above the maximum the art has no more detail. */
export const MIN_ZOOM = 3;
export const MAX_ZOOM = 96;
export const EDGE_TILES = 24;

function focusPoint(viewport: Viewport): Point {
  return {
    x: viewport.insetLeft + (viewport.width - viewport.insetLeft - viewport.insetRight) / 2,
    y: viewport.insetTop + (viewport.height - viewport.insetTop - viewport.insetBottom) / 2,
  };
}

export function worldToScreen(camera: Camera, viewport: Viewport, world: Point): Point {
  const focus = focusPoint(viewport);
  return { x: focus.x + (world.x - camera.x) * camera.zoom, y: focus.y + (world.y - camera.y) * camera.zoom };
}

export function screenToWorld(camera: Camera, viewport: Viewport, screen: Point): Point {
  const focus = focusPoint(viewport);
  return { x: camera.x + (screen.x - focus.x) / camera.zoom, y: camera.y + (screen.y - focus.y) / camera.zoom };
}

/** Zooms by `factor` and keeps the tile under `screen` in place. */
export function zoomAt(
  camera: Camera,
  viewport: Viewport,
  change: { readonly screen: Point; readonly factor: number },
): Camera {
  const zoom = clamp(camera.zoom * change.factor, MIN_ZOOM, MAX_ZOOM);
  const anchor = screenToWorld(camera, viewport, change.screen);
  const focus = focusPoint(viewport);
  return { x: anchor.x - (change.screen.x - focus.x) / zoom, y: anchor.y - (change.screen.y - focus.y) / zoom, zoom };
}

export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

export function clampCamera(camera: Camera, map: MapSize): Camera {
  return {
    x: clamp(camera.x, 0, map.width),
    y: clamp(camera.y, 0, map.height),
    zoom: clamp(camera.zoom, MIN_ZOOM, MAX_ZOOM),
  };
}

/** The camera that shows all of `rect` with a margin, at a zoom of at most `maxZoom`. */
export function fitRect(rect: TileRect, viewport: Viewport, maxZoom: number): Camera {
  const free = {
    width: viewport.width - viewport.insetLeft - viewport.insetRight,
    height: viewport.height - viewport.insetTop - viewport.insetBottom,
  };
  const zoom = Math.min(free.width / (rect.width + 2), free.height / (rect.height + 2), maxZoom);
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2, zoom: clamp(zoom, MIN_ZOOM, MAX_ZOOM) };
}

/** The camera of a first visit: near enough to recognize agents, with as many of them in sight as possible. */
export function showPeople(people: readonly Point[], viewport: Viewport, map: MapSize): Camera {
  if (people.length === 0) return fitRect({ x: 0, y: 0, ...map }, viewport, FIRST_ZOOM);
  const xs = people.map((person) => person.x);
  const ys = people.map((person) => person.y);
  const x = Math.min(...xs) - 3;
  const y = Math.min(...ys) - 3;
  const camera = fitRect(
    { x, y, width: Math.max(...xs) + 4 - x, height: Math.max(...ys) + 4 - y },
    viewport,
    FIRST_ZOOM,
  );
  if (camera.zoom >= FIRST_ZOOM_LEAST) return camera;
  // If one view cannot show all agents, the camera shows the agent nearest to their middle.
  const distance = (person: Point): number => Math.hypot(person.x - camera.x, person.y - camera.y);
  const middle = people.reduce((best, person) => (distance(person) < distance(best) ? person : best));
  return { x: middle.x + 0.5, y: middle.y + 0.5, zoom: FIRST_ZOOM_LEAST };
}
/** True if a place is in the uncovered part of the picture, with room for a name. */
function inSight(camera: Camera, viewport: Viewport, place: Point): boolean {
  const at = worldToScreen(camera, viewport, place);
  return (
    at.x > viewport.insetLeft + SIGHT_PX &&
    at.x < viewport.width - viewport.insetRight - SIGHT_PX &&
    at.y > viewport.insetTop + SIGHT_PX &&
    at.y < viewport.height - viewport.insetBottom - SIGHT_PX
  );
}
const SIGHT_PX = 24;

/** On a tour the camera ignores shorter distances than this, because a camera that never rests is tiring. */
const TOUR_STEP_TILES = 3;
/** With more agents than this there is no tour, because every view shows some. */
const TOUR_AGENTS = 12;

/** The camera of a tour, which keeps the agents in sight; the same one while it does. */
export function tourOf(
  camera: Camera,
  agents: readonly Point[],
  { viewport, map }: Readonly<{ viewport: Viewport; map: MapSize }>,
): Camera {
  if (agents.length > TOUR_AGENTS || agents.every((agent) => inSight(camera, viewport, agent))) return camera;
  const better = clampCamera(showPeople(agents, viewport, map), map);
  const isFar = Math.hypot(better.x - camera.x, better.y - camera.y) > TOUR_STEP_TILES;
  return isFar || Math.abs(better.zoom / camera.zoom - 1) > 0.1 ? better : camera;
}

const FIRST_ZOOM = 28;
const FIRST_ZOOM_LEAST = 8.5;

/** The visible tiles with a margin of `margin` tiles, limited to the map and `edge` tiles around it. */
export function visibleTiles(
  camera: Camera,
  viewport: Viewport,
  limits: { readonly map: MapSize; readonly margin: number; readonly edge: number },
): TileRect {
  const upperLeft = screenToWorld(camera, viewport, { x: 0, y: 0 });
  const lowerRight = screenToWorld(camera, viewport, { x: viewport.width, y: viewport.height });
  const x = clamp(Math.floor(upperLeft.x - limits.margin), -limits.edge, limits.edge + limits.map.width);
  const y = clamp(Math.floor(upperLeft.y - limits.margin), -limits.edge, limits.edge + limits.map.height);
  const right = clamp(Math.ceil(lowerRight.x + limits.margin), -limits.edge, limits.edge + limits.map.width);
  const bottom = clamp(Math.ceil(lowerRight.y + limits.margin), -limits.edge, limits.edge + limits.map.height);
  return { x, y, width: right - x, height: bottom - y };
}

/** The camera `elapsedMs` later: nearer to `target`, or equal to it if less than a twentieth of a pixel is left. */
export function glide(camera: Camera, target: Camera, elapsedMs: number): Camera {
  const share = 1 - Math.exp(-elapsedMs / GLIDE_MS);
  const zoom = camera.zoom * (target.zoom / camera.zoom) ** share;
  const next = { x: camera.x + (target.x - camera.x) * share, y: camera.y + (target.y - camera.y) * share, zoom };
  const restPx = Math.hypot(target.x - next.x, target.y - next.y) * zoom + Math.abs(target.zoom - zoom);
  return restPx < 0.05 ? target : next;
}
/** The time in which a glide covers 63 % of the way: fast enough to feel direct, slow enough to follow with the eye. */
const GLIDE_MS = 160;

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
