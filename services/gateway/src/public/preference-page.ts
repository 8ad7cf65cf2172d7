import { createHash } from 'node:crypto'
import type { PreferenceLink } from '@lettergate/contracts/contacts/v1/contacts'
import { wordsIn, type Language } from './preference-words.ts'

const style = `:root{color-scheme:light dark;--ink:#1d2129;--soft:#545c69;--paper:#f6f7f9;--card:#fff;--line:#d5d9e0;--act:#1f5fbf;--act-on:#174a96;--on-act:#fff;--note:#fff6dd}
@media (prefers-color-scheme:dark){:root{--ink:#eceff4;--soft:#aab3c0;--paper:#101317;--card:#181c22;--line:#39404b;--act:#8ab4f8;--act-on:#aecbfa;--on-act:#0b1220;--note:#3a3216}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:34rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:clamp(1.25rem,5vw,2.5rem);overflow-wrap:anywhere}
h1,h2{line-height:1.25;hyphens:auto}
h1{margin:0 0 1rem;font-size:1.5rem}
h2{margin:0 0 .5rem;font-size:1.125rem}
p,dl{margin:0 0 1rem}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0;font-weight:600}
.from{color:var(--soft);margin-bottom:.5rem}
.note{background:var(--note);border-radius:.5rem;padding:.75rem 1rem}
section{margin-top:2rem;padding-top:1.5rem;border-top:1px solid var(--line)}
main>:last-child{margin-bottom:0}
form{margin:0}
button{appearance:none;max-width:100%;border:2px solid var(--act);border-radius:.5rem;padding:.625rem 1.375rem;min-height:2.75rem;font:inherit;font-weight:600;line-height:1.3;overflow-wrap:anywhere;background:var(--act);color:var(--on-act);cursor:pointer}
button:hover{background:var(--act-on);border-color:var(--act-on)}
section button{background:transparent;color:var(--act)}
section button:hover{background:transparent;color:var(--act-on)}
button:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
@media (min-width:24rem){h1{text-wrap:balance}}
@media (max-width:24rem){button{width:100%}}`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
/** A name in a sentence, whatever direction it is written in. */
const named = (text: string) => `<bdi>${escape(text)}</bdi>`
const plain = (html: string) => html.replaceAll(/<\/?bdi>/g, '')

/** Its own style and a form back to us; no script, nothing loaded. */
export const preferencePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

export interface PreferencePage {
  link: Pick<
    PreferenceLink,
    'maskedEmail' | 'scope' | 'audienceName' | 'workspaceName' | 'isAged' | 'isUnsubscribed' | 'workspaceToken'
  >
  language: Language
  token: string
}

interface Told {
  heading: string
  about: string
  /** who pressed is told first of all that it is done */
  isDone?: boolean
  /** the words of the main button; without one there is nothing to press */
  button?: string
}

/** What the reader is told, by what the link is for and what is left to end. */
function toldOf({ link, language }: PreferencePage): Told {
  const words = wordsIn(language)
  const workspace = named(link.workspaceName || 'Lettergate')
  const audience = link.audienceName === undefined ? undefined : named(link.audienceName)
  if (link.maskedEmail === '') return { heading: words.nobodyHeading, about: words.nobody(workspace) }
  if (link.scope === 'workspace') {
    if (link.isUnsubscribed) return { heading: words.doneHeading, about: words.doneAll(workspace), isDone: true }
    return { heading: words.askAllHeading(workspace), about: words.askAll(workspace), button: words.stopAll(workspace) }
  }
  if (link.isUnsubscribed) {
    const isAll = link.workspaceToken === undefined || audience === undefined
    const about = isAll ? words.doneAll(workspace) : words.doneAudience(workspace, audience)
    return { heading: words.doneHeading, about, isDone: true }
  }
  if (audience === undefined) return { heading: words.endedHeading, about: words.ended(workspace) }
  return {
    heading: words.askAudienceHeading(audience),
    about: words.askAudience(workspace, audience),
    button: words.unsubscribe,
  }
}

const form = (token: string, button: string) =>
  `<form method="post" action="/preferences/${escape(encodeURIComponent(token))}"><button type="submit">${button}</button></form>`

/** What the link is for and the buttons that end it, or the news that it is done. Complete without script, from 320 px on, light and dark. */
export function preferencePage(page: PreferencePage): string {
  const { link, language, token } = page
  const words = wordsIn(language)
  const sender = link.workspaceName || 'Lettergate'
  const { heading, about, isDone = false, button } = toldOf(page)
  const parts = [
    `<p class="from">${named(sender)}</p>`,
    `<h1>${heading}</h1>`,
    `<p${isDone ? ' role="status"' : ''}>${about}</p>`,
    link.maskedEmail === '' ? '' : `<dl><dt>${words.address}</dt><dd dir="ltr">${escape(link.maskedEmail)}</dd></dl>`,
    link.isAged ? `<p class="note">${words.older}</p>` : '',
    isDone ? `<p>${words.mistake}</p>` : '',
    button === undefined ? '' : `<p>${words.whatStops}</p>\n${form(token, button)}`,
    link.workspaceToken === undefined
      ? ''
      : `<section aria-labelledby="all">
<h2 id="all">${words.stopAllHeading}</h2>
<p>${words.stopAllToo(named(sender))}</p>
${form(link.workspaceToken, words.stopAll(named(sender)))}
</section>`,
  ]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${plain(heading)} · ${escape(sender)}</title>
<style>${style}</style>
</head>
<body>
<main>
${parts.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`
}
