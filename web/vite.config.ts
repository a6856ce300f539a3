import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { encodeFiles } from './encode-files.ts';

/** The only bundled part of the project. `make dev` serves the API on another port, so dev requests are passed on. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), { name: 'encode-files', writeBundle: ({ dir = '' }) => encodeFiles(dir) }],
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
