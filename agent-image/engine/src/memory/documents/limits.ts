/** A larger file is skipped. */
export const MAX_FILE_BYTES = 512 << 10;
export const MAX_SOURCE_FILES = 20_000;
export const MAX_SOURCE_BYTES = 64 << 20;
/** Maximum number of pieces of one source, and of all sources. */
export const MAX_SOURCE_CHUNKS = 50_000;
export const MAX_CHUNKS = 100_000;
export const MAX_SOURCES = 200;
export const MAX_PATH_CHARS = 1_000;
