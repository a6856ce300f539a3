/**
 * Zod compiles fast parsers with eval where it may, and finds out by trying, which the page's content security policy reports as a
 * violation. This is the switch it reads (`z.config({ jitless: true })` writes the same), set before the first schema is used.
 */
declare global {
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };

export {};
