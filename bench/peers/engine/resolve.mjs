/** Lets the programs in this folder import packages from PEER_PACKAGES, a folder outside of the work tree. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const here = new URL('./', import.meta.url).href;
const parentURL = pathToFileURL(`${process.env.PEER_PACKAGES}/package.json`).href;

registerHooks({
  resolve: (specifier, context, next) =>
    /^[a-z@]/.test(specifier) && !specifier.startsWith('node:') && context.parentURL?.startsWith(here)
      ? next(specifier, { ...context, parentURL })
      : next(specifier, context),
});
