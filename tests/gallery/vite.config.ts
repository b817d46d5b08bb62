// Every state of the design language on one page, without a bridge: node scripts/run.mjs node_modules/vite/bin/vite.js tests/gallery
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  define: { global: 'globalThis' },
  server: { fs: { allow: ['../..'] } },
});
