/** One world tick in milliseconds; every rule of the world counts in whole ticks. */
export const TICK_MS = 100;
/** Ticks an agent needs to walk one tile (2.5 tiles a second). */
export const TICKS_PER_TILE = 4;
export const TICKS_PER_MINUTE = 10;
/** Ticks of one village day (24 real minutes). */
export const TICKS_PER_DAY = 14_400;
/** Side of one cell of the spatial index, in tiles. */
export const CELL_SIZE = 16;
/** Longest side of a view, and of any map, in tiles. */
export const VIEW_MAX_TILES = 4096;
/** Maximum number of agents in the world: the binary frame has 16 bits for an agent's slot. */
export const MAX_AGENTS = 65_535;
/** Maximum number of items in the world; regrowth and gifts stop at this count. */
export const MAX_ITEMS = 4096;
export const INVENTORY_LIMIT = 6;
/** Longest spoken text and board note, in UTF-16 code units. */
export const SPEECH_MAX_LENGTH = 280;
/** Range of a voice, and its range in a quiet zone, in tiles. Distances are Chebyshev. */
export const EARSHOT_TILES = 6;
export const QUIET_EARSHOT_TILES = 2;
/** Maximum distance in tiles at which an agent picks up or receives an item. */
export const REACH_TILES = 1;
/** Maximum distance in tiles at which an agent notices a new item. */
export const SIGHT_TILES = 4;
/** Maximum distance in tiles at which an arriving agent meets another one. */
export const MEETING_TILES = 3;
/** Ticks for which a spoken text stays above its speaker. */
export const SPEECH_TICKS = 60;
/** Ticks for which an emote stays above its agent. */
export const EMOTE_TICKS = 30;
/** Radius of the surroundings of an agent, in tiles: the default and the greatest. */
export const AROUND_DEFAULT_TILES = 24;
export const AROUND_MAX_TILES = 64;
/** Maximum number of agents, and of lying items, in one answer about the surroundings of an agent: the nearest. */
export const AROUND_MAX_AGENTS = 64;
export const AROUND_MAX_ITEMS = 64;
/** Maximum number of agents that a viewer may pin; it receives pinned agents even outside its view. */
export const MAX_PINNED = 32;
