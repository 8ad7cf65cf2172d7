import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sendHtml, type Handler } from '../engine/exchange.ts'
import type { DocumentKind, OpenApiDocument } from '../engine/load-document.ts'

/** The description of the API, as files and as a page. The page loads no external resources. */

const compress = promisify(gzip)

interface File {
  etag: string
  type: string
  plain: Buffer
  gzipped: Buffer
}

async function fileOf(type: string, content: Buffer | string): Promise<File> {
  const plain = Buffer.from(content)
  return {
    etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    type,
    plain,
    gzipped: await compress(plain, { level: 6 }),
  }
}

/** Sends a file, compressed if the client accepts that, or 304 if the client has it. */
const serve =
  (file: () => Promise<File>, cacheControl: string): Handler =>
  async ({ req, res }) => {
    const { etag, type, plain, gzipped } = await file()
    const isGzip = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''))
    res.setHeader('ETag', etag)
    res.setHeader('Vary', 'Accept-Encoding')
    res.setHeader('Cache-Control', cacheControl)
    if (req.headers['if-none-match'] === etag) return void res.writeHead(304).end()
    const body = isGzip ? gzipped : plain
    res.writeHead(200, {
      'Content-Type': type,
      'Content-Length': body.length,
      ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
    })
    res.end(body)
  }

const once = (make: () => Promise<File>): (() => Promise<File>) => {
  let made: Promise<File> | undefined
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
