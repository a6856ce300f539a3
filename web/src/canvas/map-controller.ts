import type { DrawnAgent } from '@hamlet/core';
import type { Camera, MapSize, Point, TileRect, Viewport } from './model/camera.ts';
import {
  clampCamera,
  EDGE_TILES,
  fitRect,
  glide,
  panBy,
  screenToWorld,
  tourOf,
  visibleTiles,
  zoomAt,
} from './model/camera.ts';
import { Corrections } from './model/correction.ts';
import { daylight } from './model/daylight.ts';
import { type DrawList, drawList, type FrameInput } from './model/draw-list.ts';
import { causeOf, type FrameCause, GAP_MS, isSlow, paintTime, pauseAfter } from './model/pace.ts';
import { isLively, isMoving, type MapFrame, pictureOf } from './model/picture.ts';
import type { ScenePin } from './model/scene.ts';
import { hitTest } from './hit/hit-test.ts';
import { reducedMotion } from './input/reduced-motion.ts';
import { listenToGestures } from './input/gestures.ts';
import type { KeyIntent } from './input/keys.ts';
import { Frames } from './frames.ts';
import type { Insets, MapHost } from './map-host.ts';
import { Stage, type StageWorld } from './render/stage.ts';

const FOLLOW_ZOOM = 34;
const REST_MS = 400;

/** Reads the world, moves the camera, draws and handles input, without React. Mutable between frames. */
export class MapController {
  readonly #canvas: HTMLCanvasElement;
  readonly #stage: Stage;
  readonly #world: StageWorld;
  readonly #host: MapHost;
  readonly #stop: (() => void)[] = [];
  readonly #corrections = new Corrections();
  readonly #frames = new Frames((nowMs) => this.#frame(nowMs));
  #camera: Camera;
  #target: Camera;
  #viewport: Viewport;
  #list: DrawList | null = null;
  #selected: string | null = null;
  #following = false;
  /** True until a person moves the camera; until then the camera itself keeps the agents in sight. */
  #touring: boolean;
  #hovered: string | null = null;
  #lastMs = 0;
  #cause: FrameCause = 'asked';
  /** The picture of the last frame while nothing moved; null after any other frame. */
  #picture: string | null = null;
  #drewLast = false;
  /** The end of the last frame, its cost, and the cost of the last one whose picture was drawn. */
  #shown = { atMs: 0, costMs: 0, drawMs: 0 };
  #isDrawn = false;
  #changedMs = 0;
  #restMs: number | null = null;
  #inSight = true;
  #pins: readonly ScenePin[] = [];
  #hands: FrameInput['hands'] = new Map();
  /** While a person picks a place, a tap names a tile and selects no agent. */
  #picking = false;

  private constructor(parts: {
    canvas: HTMLCanvasElement;
    stage: Stage;
    world: StageWorld;
    host: MapHost;
    viewport: Viewport;
    camera: Camera;
    tour: boolean;
  }) {
    this.#canvas = parts.canvas;
    this.#stage = parts.stage;
    this.#world = parts.world;
    this.#host = parts.host;
    this.#camera = parts.camera;
    this.#target = parts.camera;
    this.#viewport = parts.viewport;
    this.#touring = parts.tour && !reducedMotion();
    this.#listen();
  }

  static async start(
    canvas: HTMLCanvasElement,
    options: {
      readonly world: StageWorld;
      readonly host: MapHost;
      readonly start: (viewport: Viewport) => Camera;
      readonly insets: Insets;
      readonly tour: boolean;
    },
  ): Promise<MapController> {
    const stage = await Stage.create(canvas, options.world);
    const viewport = { width: canvas.clientWidth, height: canvas.clientHeight, ...options.insets };
    return new MapController({
      canvas,
      stage,
      world: options.world,
      host: options.host,
      viewport,
      camera: clampCamera(options.start(viewport), options.world.map),
      tour: options.tour,
    });
  }

  get list(): DrawList | null {
    return this.#list;
  }
  get camera(): Camera {
    return this.#camera;
  }
  get visible(): TileRect {
    return visibleTiles(this.#camera, this.#viewport, { map: this.#world.map, margin: 2, edge: EDGE_TILES });
  }

  /** Marks the selected agent. While `following`, the camera stays with it. */
  mark(selected: string | null, following: boolean): void {
    const starts = following && !(this.#following && this.#selected === selected);
    if (selected !== null) this.#touring = false;
    this.#selected = selected;
    this.#following = following && selected !== null;
    if (starts) this.#glideTo({ ...this.#target, zoom: Math.max(this.#target.zoom, FOLLOW_ZOOM) });
    this.#ask();
  }

  /** `inSight` is false while a page covers the map; the controller then draws nothing. */
  setInSight(inSight: boolean): void {
    this.#inSight = inSight;
    this.#ask();
  }

  /** Notes a change of the world, which the map may show from now on. */
  worldChanged(): void {
    this.#changedMs = performance.now();
    if (this.#cause !== 'still') return;
    this.#cause = 'rest';
    this.#frames.wake();
  }

  setHands(hands: FrameInput['hands']): void {
    this.#hands = hands;
    this.#ask();
  }

  setPins(pins: readonly ScenePin[]): void {
    this.#pins = pins;
    this.#ask();
  }

  setPicking(picking: boolean): void {
    this.#picking = picking;
    // A person cannot point at a map that moves by itself.
    if (picking) this.#touring = false;
    this.#canvas.style.cursor = picking ? 'crosshair' : '';
  }

  setInsets(insets: Insets): void {
    this.#viewport = { ...this.#viewport, ...insets };
    this.#ask();
  }

  goTo(place: Point, zoom = FOLLOW_ZOOM): void {
    this.#touring = false;
    this.#glideTo({ x: place.x, y: place.y, zoom: Math.max(this.#target.zoom, zoom) });
  }

  /** Carries out a camera command; the host handles all other keys. */
  obey(intent: KeyIntent): void {
    this.#touring = false;
    if (intent.kind === 'pan') {
      this.#stopFollowing();
      this.#glideTo(panBy(this.#target, intent.dx, intent.dy));
    }
    if (intent.kind === 'zoom') this.zoomBy(intent.factor);
    if (intent.kind === 'whole') this.showWhole();
  }

  zoomBy(factor: number): void {
    this.#touring = false;
    this.#glideTo({ ...this.#target, zoom: this.#target.zoom * factor });
  }

  showWhole(): void {
    this.#touring = false;
    this.#stopFollowing();
    this.#glideTo(fitRect({ x: 0, y: 0, ...sizeOf(this.#world.map) }, this.#viewport, 40));
  }

  destroy(): void {
    for (const stop of this.#stop) stop();
    this.#stage.destroy();
  }

  #listen(): void {
    this.#stop.push(
      listenToGestures(this.#canvas, {
        pan: (dx, dy) => {
          this.#touring = false;
          this.#stopFollowing();
          this.#jumpTo(panBy(this.#camera, dx, dy));
        },
        zoom: (screen, factor) => {
          this.#touring = false;
          this.#glideTo(zoomAt(this.#target, this.#viewport, { screen, factor }));
        },
        tap: (at, finger) => this.#tap(at, finger),
        doubleTap: (at, finger) => this.#doubleTap(at, finger),
        hover: (at) => this.#hover(at),
      }),
    );
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(this.#canvas);
    this.#stop.push(() => observer.disconnect());
    const redraw = (): void => this.#ask();
    this.#canvas.addEventListener('webglcontextrestored', redraw);
    this.#stop.push(() => this.#canvas.removeEventListener('webglcontextrestored', redraw));
    this.#stop.push(() => this.#frames.stop());
    this.#frames.wake();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === 0 || height === 0) return;
    this.#viewport = { ...this.#viewport, width, height };
    this.#stage.resize(width, height);
    // A resized canvas is empty until it is drawn, and the browser shows it right after this.
    this.#ask();
    if (this.#inSight) this.#draw(performance.now());
  }

  /** Draws a frame if one is due. Returns the milliseconds until the next one may be due. */
  #frame(nowMs: number): number {
    if (this.#drewLast) {
      const costMs = nowMs - this.#lastMs;
      this.#shown = { atMs: nowMs, costMs, drawMs: this.#isDrawn ? costMs : this.#shown.drawMs };
    }
    this.#drewLast = false;
    if (!this.#inSight) return Infinity;
    const { atMs, costMs } = this.#shown;
    const waitMs = Math.max(atMs + pauseAfter(costMs, this.#cause), this.#lastMs + GAP_MS[this.#cause]) - nowMs;
    if (waitMs > 0) return waitMs;
    this.#draw(nowMs);
    // The next repaint measures the cost of a drawn picture.
    this.#drewLast = this.#isDrawn;
    return this.#isDrawn ? 0 : GAP_MS[this.#cause];
  }

  #ask(): void {
    this.#cause = 'asked';
    this.#frames.wake();
  }

  #draw(nowMs: number): void {
    const started = performance.now();
    const elapsedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const moment = this.#host.moment();
    const agents = this.#corrections.apply(moment.agents, Math.min(elapsedMs, 100));
    const moving = this.#moveCamera(agents, Math.min(elapsedMs, 500));
    const sight = { camera: this.#camera, viewport: this.#viewport, visible: this.visible, tick: moment.tick };
    const list = drawList({
      ...sight,
      agents,
      items: moment.items,
      clusters: moment.clusters,
      landmarks: this.#world.landmarks,
      zones: this.#world.zones,
      pins: this.#pins,
      selected: this.#selected,
      hovered: this.#hovered,
      hands: this.#hands,
    });
    // Tests read the number of drawn agents and the state of the ground here, because the canvas has no text.
    if (list.figures.length !== this.#list?.figures.length)
      this.#canvas.dataset['figures'] = String(list.figures.length);
    this.#list = list;
    const frame = { ...sight, list, light: daylight(moment.minute) };
    // Snores and badges are not worth the power that a slow machine needs for a frame.
    const isCalm = reducedMotion() || isSlow(this.#shown.drawMs);
    const isFiner = this.#show(frame, isCalm);
    const isSteered = moving && !this.#touring && !this.#following;
    this.#cause = causeOf({
      isAsked: isSteered || isFiner,
      isMoving: moving || this.#corrections.areFading || isMoving(frame, agents),
      isLively: isLively(list, isCalm),
      changedMs: nowMs - this.#changedMs,
    });
    this.#rest(nowMs, moving);
    this.#host.measured(performance.now() - started);
  }

  /** Draws the frame, unless nothing moves and its picture is the last one. Returns true while finer ground is missing. */
  #show(frame: MapFrame, isCalm: boolean): boolean {
    const isResting = this.#cause === 'rest' || this.#cause === 'still';
    const picture = isResting ? pictureOf(frame, isCalm) : null;
    this.#isDrawn = picture === null || picture !== this.#picture;
    this.#picture = picture;
    const isFiner = this.#isDrawn && this.#stage.draw(frame, paintTime(this.#shown.drawMs));
    const ground = isFiner ? 'coarse' : 'whole';
    if (this.#isDrawn && this.#canvas.dataset['ground'] !== ground) this.#canvas.dataset['ground'] = ground;
    return isFiner;
  }

  #moveCamera(agents: readonly DrawnAgent[], elapsedMs: number): boolean {
    const followed = this.#following ? agents.find((agent) => agent.agentId === this.#selected) : undefined;
    if (followed !== undefined) this.#target = { ...this.#target, x: followed.x + 0.5, y: followed.y + 0.5 };
    else if (this.#touring)
      this.#target = tourOf(this.#target, agents, { viewport: this.#viewport, map: sizeOf(this.#world.map) });
    if (this.#camera === this.#target) return false;
    this.#camera = reducedMotion() ? this.#target : glide(this.#camera, this.#target, elapsedMs);
    return true;
  }

  /** Reports the camera to the host when it stops, and every `REST_MS` while it moves. */
  #rest(nowMs: number, moving: boolean): void {
    if (moving) {
      this.#restMs ??= nowMs + REST_MS;
      if (nowMs < this.#restMs) return;
    }
    if (this.#restMs === null) return;
    this.#restMs = null;
    this.#host.moved(this.#camera, this.visible, !this.#touring && !this.#following);
  }

  #glideTo(camera: Camera): void {
    this.#target = clampCamera(camera, this.#world.map);
    this.#ask();
  }

  #jumpTo(camera: Camera): void {
    this.#glideTo(camera);
    this.#camera = this.#target;
    this.#restMs ??= performance.now() + REST_MS;
  }

  #stopFollowing(): void {
    if (this.#following) this.#host.follow(false);
  }

  #tap(at: Point, finger: boolean): void {
    if (this.#picking) {
      this.#pick(at);
      return;
    }
    const hit = this.#list === null ? null : hitTest(this.#list, at, finger);
    if (hit?.kind === 'pin') this.#host.openPin(hit.ids);
    else this.#host.select(this.#agentAt(at, finger));
  }

  #pick(at: Point): void {
    const { x, y } = screenToWorld(this.#camera, this.#viewport, at);
    const { width, height } = this.#world.map;
    if (x >= 0 && y >= 0 && x < width && y < height) this.#host.picked({ x: Math.floor(x), y: Math.floor(y) });
  }

  #agentAt(at: Point, finger: boolean): string | null {
    const hit = this.#list === null ? null : hitTest(this.#list, at, finger);
    if (hit?.kind === 'landmark') {
      const landmark = this.#world.landmarks.find(({ id }) => id === hit.id);
      if (landmark !== undefined && this.#camera.zoom < FOLLOW_ZOOM)
        this.goTo({ x: landmark.x + 0.5, y: landmark.y + 0.5 });
    }
    return hit?.kind === 'agent' ? hit.id : null;
  }

  #doubleTap(at: Point, finger: boolean): void {
    if (this.#picking) {
      this.#pick(at);
      return;
    }
    const id = this.#agentAt(at, finger);
    if (id === null) {
      this.#glideTo(zoomAt(this.#target, this.#viewport, { screen: at, factor: 1.8 }));
      return;
    }
    this.#host.select(id);
    this.#host.follow(true);
  }

  #hover(at: Point | null): void {
    const hit = at === null || this.#list === null ? null : hitTest(this.#list, at);
    const hovered = hit?.kind === 'agent' ? hit.id : null;
    this.#canvas.style.cursor = this.#picking ? 'crosshair' : hit === null || hit.kind === 'ground' ? '' : 'pointer';
    if (hovered !== this.#hovered) this.#ask();
    this.#hovered = hovered;
  }
}

function sizeOf(map: MapSize): MapSize {
  return { width: map.width, height: map.height };
}
