// Without this module Pixi compiles uniform code with eval, which the page's content security policy forbids.
import 'pixi.js/unsafe-eval';
import { CanvasSource, Container, Sprite, Texture, Ticker, WebGLRenderer } from 'pixi.js';
import { clamp, EDGE_TILES, type Point, type TileRect, worldToScreen } from '../model/camera.ts';
import type { Daylight } from '../model/daylight.ts';
import type { DrawList, FigureCommand } from '../model/draw-list.ts';
import { badgeSteps, type MapFrame } from '../model/picture.ts';
import type { SceneLandmark, SceneZone } from '../model/scene.ts';
import { type Building, findBuildings, type TileMap } from '../model/tile-map.ts';
import { type Atlas, createAtlas } from './atlas.ts';
import { paintInteriors, paintRoofs, roofTouches } from './art/paint-buildings.ts';
import { paintFurniture } from './art/paint-furniture.ts';
import { paintFarGround } from './art/paint-far-ground.ts';
import { type Brush, paintGround } from './art/paint-ground.ts';
import { paintNature } from './art/paint-nature.ts';
import { SpritePool } from './sprite-pool.ts';
import { TerrainPyramid } from './terrain-pyramid.ts';
import { reducedMotion } from '../input/reduced-motion.ts';
import { lookOf } from './art/figure-art.ts';
import { LabelCache } from './label-cache.ts';

type Tools = Readonly<{ atlas: Atlas; labels: LabelCache; light: Daylight; tick: number; isStill: boolean }>;

/** An atlas cell is this many times as high as the figure in it; the feet are at 92 % of the cell's height. */
const CELL_OVER_FIGURE = 1.18;
const FEET = [0.5, 0.92] as const;
const RING = { selected: 0xffd34d, hover: 0xffffff } as const;

function drawItems(pool: SpritePool, list: DrawList, { atlas, light }: Tools): void {
  for (const item of list.items)
    pool.add({ texture: atlas.item(item.kind), at: item, anchor: [0.5, 0.7], size: item.size, tint: lit(light) });
}

function drawFigures(pool: SpritePool, list: DrawList, tools: Tools): void {
  const { dot, ring } = tools.atlas;
  const lights = { tools, tint: lit(tools.light) };
  for (const figure of list.figures) {
    const { size, look, alpha } = figure;
    if (figure.ring !== 'none')
      pool.add({ texture: ring, at: figure, size: Math.max(22, size * 0.85), tint: RING[figure.ring] });
    if (figure.dot) pool.add({ texture: dot, at: figure, size, alpha, tint: dotColour(look) });
    else body(pool, figure, lights);
  }
}

function body(
  pool: SpritePool,
  figure: FigureCommand,
  { tools, tint }: { readonly tools: Tools; readonly tint: number },
): void {
  const { atlas } = tools;
  const { x, y, size, look, alpha } = figure;
  const texture = figure.asleep ? atlas.asleep(look) : atlas.figure(look, figure.facing, figure.step);
  pool.add({ texture, at: figure, anchor: FEET, size: size * CELL_OVER_FIGURE, alpha, tint });
  if (figure.carried !== null && size > 22) {
    const at = { x: x + size * (figure.facing === 'west' ? -0.24 : 0.24), y: y - size * 0.22 };
    pool.add({ texture: atlas.item(figure.carried), at, size: size * 0.36, tint });
  }
  if (figure.asleep) snores(pool, figure, tools);
  if (figure.hands !== null) badge(pool, figure, atlas.hands(figure.hands, handsStep(tools, look)));
  if (figure.emote !== null) {
    const at = { x: x + size * 0.12, y: y - size * 0.92 };
    pool.add({ texture: atlas.emote(figure.emote), at, anchor: [0.5, 0.95], size: Math.max(26, size * 0.55) });
  }
}

/** The step of a badge, which moves while its agent works. With reduced motion it stands still. */
function handsStep({ tick, isStill }: Tools, look: number): 0 | 1 {
  return !isStill && (badgeSteps(tick) + look) % 2 === 1 ? 1 : 0;
}

/** A badge at the shoulder: the emote and the bubble are above the head. */
function badge(pool: SpritePool, { x, y, size }: FigureCommand, texture: Texture): void {
  pool.add({ texture, at: { x: x + size * 0.38, y: y - size * 0.66 }, size: Math.max(20, size * 0.4) });
}

/** Two letters z, which rise and vanish in turn, each every 3 seconds. */
function snores(pool: SpritePool, { x, y, size, look }: FigureCommand, { atlas, tick }: Tools): void {
  for (const offset of [0, 0.5]) {
    const phase = (tick / 30 + offset + look * 0.13) % 1;
    pool.add({
      texture: atlas.snore,
      at: { x: x - size * (0.18 - phase * 0.3), y: y - size * (0.42 + phase * 0.45) },
      size: size * (0.16 + phase * 0.14),
      alpha: Math.sin(phase * Math.PI),
    });
  }
}

const dots = new Map<number, number>();

function dotColour(look: number): number {
  const known = dots.get(look);
  if (known !== undefined) return known;
  const [hue = 0, saturation = 60, lightness = 57] = (lookOf(look).shirt.match(/[\d.]+/g) ?? []).map(Number);
  const chroma = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (shift: number): number => {
    const at = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness / 100 - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  const colour = (channel(0) << 16) | (channel(8) << 8) | channel(4);
  dots.set(look, colour);
  return colour;
}

/** The light on figures, which is brighter than on the ground, so that they stay visible at night. */
function lit(light: Daylight): number {
  const channel = (shift: number): number => Math.round((((light.tint >> shift) & 255) + 255) / 2) << shift;
  return channel(16) | channel(8) | channel(0);
}

export type StageWorld = Readonly<{ map: TileMap; zones: readonly SceneZone[]; landmarks: readonly SceneLandmark[] }>;

/** The background: the colour of the forest beyond the drawn ground. */
const BEYOND = 0x5f8f56;
/** Zooms between which roofs fade out; at the second, rooms are large enough to see. */
const ROOF_WHOLE = 13;
const ROOF_GONE = 19;
const ZONE_TINT: Readonly<Record<string, string>> = {
  quiet: '#5a7fd6',
  work: '#d98f3a',
  home: '#c46a52',
  nature: '#3f8f5f',
  water: '#3f8fc4',
  public: '#d6b24a',
};

/** Pixels of a tile of a zone. Zones fade out where a tile is much larger. */
const ZONE_PX = 8;

/** A zone as a rounded area with a border, without the code with which Pixi draws shapes: it has 30 KB. */
function paintZone({ width, height, kind }: SceneZone): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width * ZONE_PX;
  canvas.height = height * ZONE_PX;
  const brush = canvas.getContext('2d');
  if (brush === null) return canvas;
  brush.fillStyle = brush.strokeStyle = ZONE_TINT[kind] ?? '#ffffff';
  brush.roundRect(0.5, 0.5, canvas.width - 1, canvas.height - 1, 1.2 * ZONE_PX);
  brush.globalAlpha = 0.12;
  brush.fill();
  brush.globalAlpha = 0.35;
  brush.stroke();
  return canvas;
}

/** Draws the picture with Pixi. Mutable because it owns memory of the graphics card. */
export class Stage {
  readonly #renderer: WebGLRenderer;
  readonly #atlas: Atlas;
  readonly #labels: LabelCache;
  readonly #root = new Container();
  readonly #ground: TerrainPyramid;
  readonly #roofs: TerrainPyramid;
  readonly #zones = new Container();
  readonly #rooms = new Container();
  readonly #windows = new Container();
  readonly #marks = new SpritePool();
  readonly #figures = new SpritePool({ ownDrawCalls: true });
  readonly #tags = new SpritePool();

  private constructor(renderer: WebGLRenderer, world: StageWorld) {
    const buildings = findBuildings(world.map);
    this.#renderer = renderer;
    this.#atlas = createAtlas();
    this.#labels = new LabelCache(renderer.resolution);
    const whole = mapWithEdge(world.map);
    const paintAll = (brush: Brush): void => {
      paintGround(brush);
      paintInteriors(brush);
      paintFurniture(brush);
      paintNature(brush);
    };
    this.#ground = new TerrainPyramid(world.map, paintAll, {
      whole: { rect: whole, picture: paintFarGround(world.map, whole) },
    });
    this.#roofs = new TerrainPyramid(world.map, (brush) => paintRoofs(brush, buildings), {
      isEmpty: (rect) => !buildings.some((building) => roofTouches(rect, building)),
    });
    this.#paintZones(world.zones);
    this.#hangLamps(buildings, world);
    this.#root.addChild(
      this.#ground.container,
      this.#zones,
      this.#rooms,
      this.#roofs.container,
      this.#windows,
      this.#marks.container,
      this.#figures.container,
      this.#tags.container,
    );
  }

  /** Starts WebGL on `canvas`. Rejects if the browser has no WebGL. */
  static async create(canvas: HTMLCanvasElement, world: StageWorld): Promise<Stage> {
    // Pixi's own clock asks for every repaint, also while the map rests; the frames of the map drive it instead.
    Ticker.system.autoStart = false;
    const renderer = new WebGLRenderer();
    const resolution = clamp(window.devicePixelRatio, 1, 2);
    await renderer.init({
      canvas,
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      resolution,
      autoDensity: false,
      antialias: false,
      background: BEYOND,
      powerPreference: 'low-power',
      // Pixi's own events, accessibility and filters: the page has its own, or uses none.
      skipExtensionImports: true,
    });
    // A processor computes every branch of the shader that chooses between the textures of a batch.
    if (isSoftware(renderer.gl)) renderer.limits.maxBatchableTextures = 1;
    return new Stage(renderer, world);
  }

  resize(width: number, height: number): void {
    this.#renderer.resize(width, height, this.#renderer.resolution);
  }

  /** Draws a frame; `paintMs` limits the painting of ground. True while finer ground is missing: draw another frame. */
  draw(frame: MapFrame, paintMs: number): boolean {
    const origin = worldToScreen(frame.camera, frame.viewport, { x: 0, y: 0 });
    const scale = frame.camera.zoom * this.#renderer.resolution;
    const roof = 1 - clamp((frame.camera.zoom - ROOF_WHOLE) / (ROOF_GONE - ROOF_WHOLE), 0, 1);
    for (const layer of [this.#ground.container, this.#roofs.container, this.#zones, this.#rooms, this.#windows]) {
      layer.position.set(origin.x, origin.y);
      layer.scale.set(frame.camera.zoom);
    }
    this.#light(frame.light);
    this.#zones.alpha = clamp(1.5 - frame.camera.zoom / 18, 0, 1);
    this.#roofs.container.alpha = roof;
    this.#roofs.container.visible = roof > 0;
    const groundDone = this.#ground.show(frame.visible, scale, paintMs);
    const roofsDone = roof === 0 || this.#roofs.show(frame.visible, scale, paintMs);
    this.#sprites(frame);
    this.#atlas.upload();
    this.#renderer.render(this.#root);
    Ticker.system.update();
    this.#labels.trim();
    return !(groundDone && roofsDone);
  }

  destroy(): void {
    this.#ground.destroy();
    this.#roofs.destroy();
    this.#labels.destroy();
    this.#atlas.destroy();
    this.#renderer.destroy();
  }

  #sprites(frame: MapFrame): void {
    const { light, tick } = frame;
    const tools = { atlas: this.#atlas, labels: this.#labels, light, tick, isStill: reducedMotion() };
    for (const pool of [this.#marks, this.#figures, this.#tags]) pool.begin();
    drawMarks(this.#marks, frame.list, tools);
    drawPins(this.#marks, frame.list, tools);
    drawItems(this.#figures, frame.list, tools);
    drawFigures(this.#figures, frame.list, tools);
    drawLabels(this.#tags, frame.list, { ...tools, width: frame.viewport.width, top: frame.viewport.insetTop });
    for (const pool of [this.#marks, this.#figures, this.#tags]) pool.end();
  }

  #light(light: Daylight): void {
    this.#ground.container.tint = light.tint;
    this.#roofs.container.tint = light.tint;
    this.#renderer.background.color = multiply(BEYOND, light.tint);
    for (const lamps of [this.#rooms, this.#windows]) {
      lamps.alpha = light.glow;
      lamps.visible = light.glow > 0.02;
    }
  }

  #paintZones(zones: readonly SceneZone[]): void {
    for (const zone of zones) {
      const texture = new Texture({ source: new CanvasSource({ resource: paintZone(zone), resolution: ZONE_PX }) });
      this.#zones.addChild(new Sprite({ texture, x: zone.x, y: zone.y }));
    }
  }

  /** Adds the lights of the night: lamps in rooms and at places, which roofs can cover, and windows. */
  #hangLamps(buildings: readonly Building[], { map, landmarks }: StageWorld): void {
    for (const { rect } of buildings)
      this.#hang(this.#rooms, {
        x: rect.x + rect.width / 2,
        y: rect.y + rect.height / 2,
        size: Math.max(rect.width, rect.height) * 1.4,
      });
    for (const { rect } of buildings) {
      const front = rect.y + rect.height - 1;
      for (let x = rect.x; x < rect.x + rect.width; x++)
        if (map.at(x, front) === 'window') this.#hang(this.#windows, { x: x + 0.5, y: front + 0.75, size: 2.4 });
    }
    for (const landmark of landmarks) this.#hang(this.#rooms, { x: landmark.x + 0.5, y: landmark.y + 0.5, size: 5 });
  }

  #hang(where: Container, lamp: { readonly x: number; readonly y: number; readonly size: number }): void {
    const sprite = new Sprite({
      texture: this.#atlas.glow,
      anchor: 0.5,
      x: lamp.x,
      y: lamp.y,
      blendMode: 'add',
      alpha: 0.6,
    });
    sprite.width = lamp.size;
    sprite.height = lamp.size;
    where.addChild(sprite);
  }
}

function mapWithEdge({ width, height }: TileMap): TileRect {
  return { x: -EDGE_TILES, y: -EDGE_TILES, width: width + 2 * EDGE_TILES, height: height + 2 * EDGE_TILES };
}

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** True if the processor draws, because there is no usable graphics card. */
function isSoftware(gl: WebGLRenderer['gl']): boolean {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return SOFTWARE.test(String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)));
}

function multiply(left: number, right: number): number {
  const channel = (shift: number): number =>
    Math.round((((left >> shift) & 255) * ((right >> shift) & 255)) / 255) << shift;
  return channel(16) | channel(8) | channel(0);
}

/** Names of zones and places: below the figures, so that they cover no agent. */
function drawMarks(pool: SpritePool, list: DrawList, { labels }: Tools): void {
  for (const { x, y, width, text, labelAlpha: alpha } of list.zones) {
    if (alpha === 0) continue;
    const texture = labels.get({ kind: 'zone', text });
    if (texture.width <= width) pool.add({ texture, at: whole(x + width / 2, y + 16), alpha });
  }
  for (const { x, y, text, kind: icon, labelled } of list.landmarks) {
    const texture = labels.get({ kind: 'landmark', text, icon, labelled });
    pool.add({ texture, at: whole(x, y), anchor: [labelled ? 13.5 / texture.width : 0.5, 0.5] });
  }
}

/** Pins of posts: above the ground and its names, and below the figures. */
function drawPins(pool: SpritePool, list: DrawList, { labels }: Tools): void {
  for (const { x, y, tone, ids } of list.pins) {
    const texture = labels.get({ kind: 'pin', tone, count: ids.length });
    pool.add({ texture, at: whole(x, y), anchor: [0.5, 1] });
  }
}

type Frame = Readonly<{ width: number; top: number }>;

/** Names, bubbles and counts: above everything. */
function drawLabels(pool: SpritePool, list: DrawList, { labels, width, top }: Tools & Frame): void {
  for (const { x, y, text, tone, selected } of list.names)
    pool.add({ texture: labels.get({ kind: 'name', text, tone, selected }), at: whole(x, y), anchor: [0.5, 0] });
  for (const { x, y, count, radius } of list.clusters)
    pool.add({ texture: labels.get({ kind: 'cluster', count, radius: Math.round(radius) }), at: whole(x, y) });
  for (const { x, y, text, count, alpha } of list.bubbles.toReversed()) {
    const texture = labels.get({ kind: 'bubble', text, crowd: count > 2 });
    const left = clamp(x, texture.width / 2 + 6, width - texture.width / 2 - 6);
    pool.add({ texture, at: whole(left, Math.max(y, top + texture.height + 4)), anchor: [0.5, 1], alpha });
  }
}

/** The nearest whole pixel, so that text stays sharp. */
function whole(x: number, y: number): Point {
  return { x: Math.round(x), y: Math.round(y) };
}
