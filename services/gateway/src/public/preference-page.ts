import { createHash } from 'node:crypto'
import type { PreferenceLink } from '@lettergate/contracts/contacts/v1/contacts'
import { wordsIn, type Language } from './preference-words.ts'

const style = `:root{color-scheme:light dark;--ink:#1d2129;--soft:#545c69;--paper:#f6f7f9;--card:#fff;--line:#d5d9e0;--act:#1f5fbf;--on-act:#fff;--note:#fff6dd}
@media (prefers-color-scheme:dark){:root{--ink:#eceff4;--soft:#aab3c0;--paper:#101317;--card:#181c22;--line:#39404b;--act:#8ab4f8;--on-act:#0b1220;--note:#3a3216}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:34rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:clamp(1.25rem,5vw,2.5rem)}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
p,dl{margin:0 0 1rem;overflow-wrap:anywhere}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0;font-weight:600}
.from{color:var(--soft);margin-bottom:.5rem}
.note{background:var(--note);border-radius:.5rem;padding:.75rem 1rem}
button{appearance:none;border:0;border-radius:.5rem;padding:.75rem 1.5rem;min-height:2.75rem;font:inherit;font-weight:600;background:var(--act);color:var(--on-act);cursor:pointer}
button:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
@media (max-width:24rem){button{width:100%}}`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)

/** Its own style and a form back to us; no script, nothing loaded. */
export const preferencePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

export interface PreferencePage {
  link: Pick<PreferenceLink, 'maskedEmail' | 'scope' | 'audienceName' | 'workspaceName' | 'isAged' | 'isUnsubscribed'>
  language: Language
  /** where the button leads */
  action: string
}

/** What the link is for and one button, or the news that it is done. Complete without script, from 320 px on, light and dark. */
export function preferencePage({ link, language, action }: PreferencePage): string {
  const words = wordsIn(language)
  const { workspaceName, audienceName, isUnsubscribed } = link
  const isAudience = link.scope === 'audience' && audienceName !== undefined
  const title = isUnsubscribed ? words.doneTitle : words.title
  const about = isAudience ? words.audience(workspaceName, audienceName) : words.workspace(workspaceName)
  const done = isAudience ? words.doneAudience(workspaceName, audienceName) : words.done(workspaceName)
  const older = link.isAged ? `<p class="note">${escape(words.older)}</p>` : ''
  const address = `<dl><dt>${escape(words.address)}</dt><dd dir="ltr">${escape(link.maskedEmail)}</dd></dl>`
  const body = isUnsubscribed
    ? `<h1>${escape(words.doneHeading)}</h1>
<div role="status"><p>${escape(done)}</p></div>
${address}
${older}
<p>${escape(words.mistake)}</p>`
    : `<h1>${escape(words.heading)}</h1>
<p>${escape(about)}</p>
${address}
${older}
<p>${escape(words.whatStops)}</p>
<form method="post" action="${escape(action)}"><button type="submit">${escape(words.button)}</button></form>`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${escape(title)} · ${escape(workspaceName)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="from">${escape(workspaceName)}</p>
${body}
</main>
</body>
</html>
`
}
