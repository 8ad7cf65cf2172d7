import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { escapeHtml } from '@lettergate/values/html'

export interface ErrorPage {
  status: number
  /** Default: the text of the status. */
  title?: string
  /** Plain text, safe for every caller, that says what to do; escaped here. Each line is a separate problem. */
  message: string
  correlationId: string
}

const style = `:root{color-scheme:light dark;--ink:#1d2129;--soft:#545c69;--paper:#fff;--line:#d5d9e0}
@media (prefers-color-scheme:dark){:root{--ink:#eceff4;--soft:#aab3c0;--paper:#14171c;--line:#39404b}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
main{max-width:36rem;width:100%}
p,ul{margin:0 0 1rem;overflow-wrap:anywhere}
ul{padding-left:1.25rem}
h1{margin:0 0 1rem;font-size:1.6rem;line-height:1.25}
.status{margin:0 0 .25rem;color:var(--soft);font-variant-numeric:tabular-nums}
.reference{border-top:1px solid var(--line);padding-top:1rem;color:var(--soft);font-size:.875rem}
code{font-family:ui-monospace,monospace}`

/** The content security policy of `errorPage`, which allows only its own style. */
export const errorPagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

function messageHtml(message: string): string {
  const problems = message.split('\n')
  if (problems.length === 1) return `<p>${escapeHtml(message)}</p>`
  return `<ul>\n${problems.map((problem) => `<li>${escapeHtml(problem)}</li>`).join('\n')}\n</ul>`
}

/** A self-contained page (light and dark, no script, no external resources); every text in it is escaped. */
export function errorPage({ status, title, message, correlationId }: ErrorPage): string {
  const heading = escapeHtml(title ?? STATUS_CODES[status] ?? 'Error')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${status} ${heading}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="status">${status}</p>
<h1>${heading}</h1>
${messageHtml(message)}
<p class="reference">Reference for support: <code>${escapeHtml(correlationId)}</code></p>
</main>
</body>
</html>
`
}
