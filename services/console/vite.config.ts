import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // The gateway replaces the placeholder in each response (services/gateway/src/pages/console-files.ts).
  html: { cspNonce: 'console-style-nonce' },
  build: {
    target: 'es2024',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    manifest: true, // test/console/bundle.test.ts adds up the files of a page
  },
})
