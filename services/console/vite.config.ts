import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { summaryOf } from './src/pages/runbooks/summary.ts'

/** Makes `….md?summary` of a runbook, so that a list does not load its whole text. */
const runbookSummaries: Plugin = {
  name: 'runbook-summaries',
  load(id) {
    const [, path] = /^(.*\.md)\?summary$/.exec(id) ?? []
    return path === undefined ? null : `export default ${JSON.stringify(summaryOf(readFileSync(path, 'utf8')))}`
  },
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), runbookSummaries],
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
