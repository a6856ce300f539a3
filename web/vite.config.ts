import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { encodeFiles } from './encode-files.ts';

/** The page names the code of the map and the font of its labels, so that they arrive while its first script runs. */
const preloadMap: Plugin = {
  name: 'preload-map',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.values(bundle).flatMap((file) => {
        const href = `/${file.fileName}`;
        if (file.type === 'chunk' && file.name === 'map-view')
          return { tag: 'link', injectTo: 'head', attrs: { rel: 'modulepreload', crossorigin: true, href } };
        if (/nunito-latin-wght-normal.*woff2$/.test(href))
          return {
            tag: 'link',
            injectTo: 'head',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href },
          };
        return [];
      }),
  },
};

/** The only bundled part of the project. `make dev` serves the API on another port, so dev requests are passed on. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadMap, { name: 'encode-files', writeBundle: ({ dir = '' }) => encodeFiles(dir) }],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
    // Zod checks for eval when it makes its first schema; the switch that forbids eval must run earlier, so it comes
    // first in the same file.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'zod', test: /[\\/]zod[\\/]|no-eval/ }] } } },
  },
  server: {
    port: 5173,
    proxy: {
      '/api': process.env['HAMLET_DEV_URL'] ?? 'http://127.0.0.1:8080',
      '/ws': { target: process.env['HAMLET_DEV_URL'] ?? 'http://127.0.0.1:8080', ws: true },
    },
  },
});
