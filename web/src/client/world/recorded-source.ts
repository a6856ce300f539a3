import type { MapResponse, WorldView } from '@hamlet/contract';
import { DRAW_BEHIND_TICKS, decodeFrame } from '@hamlet/core';
import type { Moment } from '../../canvas/map-host.ts';
import type { StageWorld } from '../../canvas/render/stage.ts';
import type { AppState } from '../app-state.ts';
import type { Store } from '../store.ts';
import { FramedWorld } from './framed-world.ts';
import { EventListeners, NO_GOALS, stageWorldOf, worldMapOf, type WorldSource } from './world-source.ts';

/** A part of the village's past: its map, and the frames of `/ws/world` in order. The first frame has the whole state. */
export type Recording = Readonly<{ map: MapResponse; world: WorldView; frames: readonly Uint8Array[] }>;

/**
 * The world of a recording at tick `t` of the store. If `t` goes back, it replays from the start. Mutable because it
 * counts the applied frames.
 */
export class RecordedSource implements WorldSource {
  readonly #recording: Recording;
  readonly #store: Store<AppState>;
  readonly #listeners = new EventListeners();
  readonly #ticks: readonly number[];
  #world: FramedWorld | null = null;
  /** The number of frames applied. */
  #folded = 0;
  #stop: () => void = () => undefined;

  constructor(recording: Recording, store: Store<AppState>) {
    this.#recording = recording;
    this.#store = store;
    this.#ticks = recording.frames.map((frame) => decodeFrame(frame).tick);
  }

  readonly subscribe: WorldSource['subscribe'] = this.#listeners.subscribe;

  load(): Promise<StageWorld | null> {
    const scene = stageWorldOf(this.#recording.map, this.#recording.world);
    this.#store.set((state) => ({
      ...state,
      t: state.t ?? this.#recording.world.tick,
      loading: 'ready',
      landmarks: scene.landmarks,
      zones: scene.zones,
    }));
    this.#stop = this.#store.subscribe(() => this.#foldTo(this.#now()));
    this.#foldTo(this.#now());
    return Promise.resolve(scene);
  }

  moment(): Moment | null {
    return this.#world?.at(this.#now()) ?? null;
  }

  goals(): ReturnType<WorldSource['goals']> {
    return this.#world?.goals() ?? NO_GOALS;
  }

  /** Has no effect: a recording has its frames wherever the camera is. */
  look(): void {
    return undefined;
  }

  stop(): void {
    this.#stop();
  }

  #now(): number {
    return this.#store.get().t ?? this.#recording.world.tick;
  }

  /** Applies the frames up to a little after the drawn tick, as in the live world. */
  #foldTo(tick: number): void {
    const later = this.#ticks.findIndex((frame) => frame > tick + DRAW_BEHIND_TICKS);
    const wanted = later === -1 ? this.#ticks.length : later;
    const goesBack = wanted < this.#folded;
    if (this.#world === null || goesBack) {
      this.#world = new FramedWorld(worldMapOf(this.#recording.map, this.#recording.world));
      this.#folded = 0;
    }
    const world = this.#world;
    const events = this.#recording.frames.slice(this.#folded, wanted).flatMap((frame) => world.receive(frame).events);
    this.#folded = wanted;
    if (!goesBack) this.#listeners.emit(events);
  }
}
