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

/** Removes the regular expressions from the document of the page; the descriptions have the patterns in words. */
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
`

const style = `:root{--scalar-font:system-ui,sans-serif;--scalar-font-code:ui-monospace,monospace}
body{margin:0;font-family:system-ui,sans-serif}
#reference>p{padding:2rem}
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
