import { createHash } from 'node:crypto'
import { escapeHtml } from '@lettergate/values/html'

const style = `:root{color-scheme:light dark;--ink:#1d2129;--soft:#545c69;--paper:#f6f7f9;--card:#fff;--line:#d5d9e0;--act:#1f5fbf}
@media (prefers-color-scheme:dark){:root{--ink:#eceff4;--soft:#aab3c0;--paper:#101317;--card:#181c22;--line:#39404b;--act:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0;padding:clamp(1rem,5vw,4rem) 1rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:58rem;margin:0 auto}
h1{margin:0 0 .5rem;font-size:clamp(1.6rem,5vw,2.25rem);line-height:1.2}
p{margin:0 0 1rem;max-width:42rem}
.soft{color:var(--soft)}
ul{list-style:none;margin:2rem 0;padding:0;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr))}
li{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem}
li a{font-weight:600}
li p{margin:.25rem 0 0;color:var(--soft)}
a{color:var(--act);text-underline-offset:.2em}
a:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
code{font:.9em ui-monospace,monospace}`

/** The content security policy: only the style of the page, no script, no form, no external resources. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Escapes a text; text between backticks becomes code. */
const prose = (text: string) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

export interface Page {
  title: string
  paragraphs: readonly string[]
  links: readonly { href: string; text: string; about: string }[]
  /** small text below the links */
  notes?: readonly string[]
}

/** A page of text and links, light and dark, for widths from 320 px. All its text is escaped. */
export function page({ title, paragraphs, links, notes = [] }: Page): string {
  const items = links.map(
    ({ href, text, about }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a><p>${prose(about)}</p></li>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p>${prose(text)}</p>`).join('\n')}
<ul>
${items.join('\n')}
</ul>
${notes.map((text) => `<p class="soft">${prose(text)}</p>`).join('\n')}
</main>
</body>
</html>
`
}
