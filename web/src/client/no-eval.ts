/**
 * By default Zod tries eval to compile fast parsers, and the page's content security policy reports the attempt as a
 * violation. This sets Zod's own switch against it (as `z.config({ jitless: true })` does) before the first schema is
 * used.
 */
declare global {
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };

export {};
