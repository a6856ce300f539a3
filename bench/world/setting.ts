/** The size of one run; child processes receive it as JSON. */
export interface Setting {
  readonly agents: number;
  readonly viewers: number;
  readonly panning: number;
  /** Side of the square map, in tiles. */
  readonly mapSide: number;
  /** Side of each viewer's rectangle, in tiles. */
  readonly viewSide: number;
  readonly panTilesPerSecond: number;
  /** Seconds between two decisions of an agent: 1,000 agents make 143 decisions a second. */
  readonly decideEverySeconds: number;
  readonly warmSeconds: number;
  readonly measureSeconds: number;
  readonly seed: number;
  /** File for a CPU profile of the measured window; null for no profile. */
  readonly profileTo: string | null;
  /** The stores of the product; null for the peers. */
  readonly stores: { readonly postgresUrl: string; readonly redisUrl: string } | null;
  /** Folder of the built web, which the product serves; null for none. */
  readonly webDir: string | null;
}

/** Workload of the design: 1,000 walkers, 200 viewers of whom 40 pan, a tenth of the map in view. */
export const FULL: Setting = {
  agents: 1000,
  viewers: 200,
  panning: 40,
  mapSide: 250,
  viewSide: 79,
  panTilesPerSecond: 4,
  decideEverySeconds: 7,
  warmSeconds: 35,
  measureSeconds: 30,
  seed: 11,
  profileTo: null,
  stores: null,
  webDir: null,
};

/** The same density with fifty times the agents. */
export const CROWD = { agents: 50_000, mapSide: 1768 } as const;

/** The same load for a shorter time: the figures are less exact, but not smaller. */
export const QUICK = { warmSeconds: 6, measureSeconds: 8 } as const;
