import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { sendHtml, type Handler } from '../engine/exchange.ts'
import { fileOf, sendFile, type StoredFile } from '../pages/stored-file.ts'
import type { DocumentKind, OpenApiDocument } from '../engine/load-document.ts'

/** The description of the API, as files and as a page. The page loads no external resources. */

const serve =
  (file: () => Promise<StoredFile>, cacheControl: string): Handler =>
  async (exchange) =>
    sendFile(exchange, await file(), cacheControl)

const once = (make: () => Promise<StoredFile>): (() => Promise<StoredFile>) => {
  let made: Promise<StoredFile> | undefined
  return () => (made ??= make())
}

/** The document of the requested route. */
export function openapiDocument(documents: Record<DocumentKind, OpenApiDocument>): Handler {
  const handlerOf = (kind: DocumentKind) =>
    serve(
      once(() => fileOf('application/json; charset=utf-8', JSON.stringify(documents[kind]))),
      'no-cache',
    )
  const handlers = { public: handlerOf('public'), console: handlerOf('console') }
  return (exchange) => handlers[exchange.document ?? 'public'](exchange)
}

const scriptPath = '/docs/reference.js'
const startPath = '/docs/start.js'
const stylePath = '/docs/page.css'

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Lettergate API</title>
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<div id="reference"><p>The reference is being drawn from <a href="/api/v1/openapi.json">openapi.json</a>. Without JavaScript, read that document.</p></div>
<script src="${scriptPath}"></script>
<script src="${startPath}"></script>
</body>
</html>
`

/**
 * Removes the regular expressions from the document of the page; the descriptions have the patterns in words. Names the
 * buttons that Scalar leaves without a name, and lets the keyboard reach the lists that scroll.
 */
const start = `const withoutPatterns = (node) => {
  if (Array.isArray(node)) return node.map(withoutPatterns)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([name, value]) => name !== 'pattern' || typeof value !== 'string')
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutPatterns(value)]))
}
fetch('/api/v1/openapi.json').then((answer) => answer.json()).then((content) =>
  Scalar.createApiReference('#reference', {
    content: withoutPatterns(content),
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'json',
  }),
)
const isUnnamed = (button) => !button.ariaLabel && !button.innerText.trim()
const repair = () => {
  for (const button of document.querySelectorAll('button[class*=copy-button]')) if (isUnnamed(button)) button.ariaLabel = 'Copy'
  for (const button of document.querySelectorAll('button.show-more')) {
    const text = button.innerText.trim()
    if (!button.ariaLabel.startsWith(text)) button.ariaLabel = text + ': ' + button.ariaLabel
  }
  for (const list of document.querySelectorAll('ul.endpoints')) list.tabIndex = 0
}
new MutationObserver(repair).observe(document.body, { childList: true, subtree: true })
`

/** The colors of Scalar have too little contrast for small text on its gray backgrounds. */
const style = `:root{--scalar-font:system-ui,sans-serif;--scalar-font-code:ui-monospace,monospace}
body{margin:0;font-family:system-ui,sans-serif}
#reference>p{padding:2rem}
@media(prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}
body .light-mode,body.light-mode{--scalar-color-2:#555;--scalar-color-3:#5f5f5f;--scalar-color-blue:#005f9e;--scalar-color-green:#086a47;--scalar-color-orange:#954300;--scalar-color-red:#b3111f;--scalar-color-yellow:#715400;--scalar-color-purple:#5b37a5}
body .dark-mode,body.dark-mode{--scalar-color-3:#a4a4a4;--scalar-color-blue:#6cb8ff;--scalar-color-green:#00c08a;--scalar-color-orange:#ff9b5e;--scalar-color-red:#ff8a85;--scalar-color-yellow:#ffd257;--scalar-color-purple:#b9a3f5}
`

const scalarScript = () =>
  readFile(
    createRequire(import.meta.url)
      .resolve('@scalar/api-reference')
      .replace(/\/dist\/.*$/, '/dist/browser/standalone.js'),
  )

/** The page and its files, each with its route. The script of 4 MB is compressed once, at the first request. */
export const docsPage: Handler = ({ res }) => sendHtml(res, 200, page, pagePolicy)

export const docsFiles = [
  {
    method: 'GET',
    template: scriptPath,
    handler: serve(
      once(async () => fileOf('text/javascript; charset=utf-8', await scalarScript())),
      'public, max-age=3600',
    ),
  },
  {
    method: 'GET',
    template: startPath,
    handler: serve(
      once(() => fileOf('text/javascript; charset=utf-8', start)),
      'public, max-age=3600',
    ),
  },
  {
    method: 'GET',
    template: stylePath,
    handler: serve(
      once(() => fileOf('text/css; charset=utf-8', style)),
      'public, max-age=3600',
    ),
  },
]
