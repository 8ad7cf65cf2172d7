import { createHash } from 'node:crypto'
import { escapeHtml } from '@lettergate/values/html'
import { languages, wordsIn, type Language } from './preference-words.ts'

const style = `:root{color-scheme:light dark;--ink:#1d2129;--soft:#545c69;--paper:#f6f7f9;--card:#fff;--line:#d5d9e0;--act:#1f5fbf;--act-on:#174a96;--on-act:#fff;--note:#fff6dd}
@media (prefers-color-scheme:dark){:root{--ink:#eceff4;--soft:#aab3c0;--paper:#101317;--card:#181c22;--line:#39404b;--act:#8ab4f8;--act-on:#aecbfa;--on-act:#0b1220;--note:#3a3216}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;align-content:center;gap:1.5rem;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main,nav{width:100%;max-width:34rem;overflow-wrap:anywhere}
main{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:clamp(1.25rem,5vw,2.5rem)}
h1,h2{line-height:1.25;hyphens:auto}
h1{margin:0 0 1rem;font-size:1.5rem}
h2{margin:0 0 .5rem;font-size:1.125rem}
p,dl,ul{margin:0 0 1rem}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0;font-weight:600}
:is(dd,code)[dir=ltr]{text-align:start;unicode-bidi:isolate}
[dir=rtl] dd[dir=ltr]{text-align:right}
.from{color:var(--soft);margin-block-end:.5rem}
.note{background:var(--note);border-radius:.5rem;padding:.75rem 1rem}
.left{padding-inline-start:1.25rem;font-weight:600}
section{margin-block-start:2rem;padding-block-start:1.5rem;border-block-start:1px solid var(--line)}
main>:last-child{margin-block-end:0}
form{margin:0}
.choices{list-style:none;padding:0}
.choices li{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding-block:.5rem;border-block-end:1px solid var(--line)}
.choices b{flex:1 1 10rem;min-width:0}
.choices [role]{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
label{display:flex;align-items:center;gap:.5rem;min-height:2.75rem;cursor:pointer}
input{inline-size:1.25rem;block-size:1.25rem;margin:0;flex:none;accent-color:var(--act)}
button{appearance:none;max-width:100%;border:2px solid var(--act);border-radius:.5rem;padding:.625rem 1.375rem;min-height:2.75rem;font:inherit;font-weight:600;line-height:1.3;overflow-wrap:anywhere;background:var(--act);color:var(--on-act);cursor:pointer}
button:hover{background:var(--act-on);border-color:var(--act-on)}
section button{background:transparent;color:var(--act)}
section button:hover{background:transparent;color:var(--act-on)}
:is(button,input,a):focus-visible{outline:3px solid var(--ink);outline-offset:3px}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem 1rem;font-size:.875rem}
nav a{display:inline-block;padding-block:.375rem;color:var(--soft);text-underline-offset:.2em}
nav a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
@media (min-width:24rem){h1{text-wrap:balance}}
@media (max-width:24rem){button{width:100%}}`

/** The content security policy: the style of the page and forms to this server; no script, no external resources. */
export const preferencePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** Isolates a name in a sentence from the direction of its text. */
export const named = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`
const plain = (html: string) => html.replaceAll(/<\/?bdi>/g, '')

function languageLinks(current: Language): string {
  const links = languages.map((language) => {
    const { nameOfLanguage, direction } = wordsIn(language)
    const mark = language === current ? ' aria-current="true"' : ''
    return `<li><a href="?lang=${language}" hreflang="${language}" lang="${language}" dir="${direction}"${mark}>${nameOfLanguage}</a></li>`
  })
  return `<nav aria-label="${wordsIn(current).language}">\n<ul>\n${links.join('\n')}\n</ul>\n</nav>`
}

/**
 * A preference page: complete without script, for widths from 320 px, light and dark, in the direction of its language, with
 * links to the other languages. `heading` and `parts` are HTML.
 */
export function preferenceLayout(
  language: Language,
  { heading, sender, parts }: { heading: string; sender?: string; parts: readonly string[] },
): string {
  const { direction } = wordsIn(language)
  return `<!doctype html>
<html lang="${language}"${direction === 'rtl' ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${plain(heading)}${sender === undefined ? '' : ` · ${escapeHtml(sender)}`}</title>
<style>${style}</style>
</head>
<body>
<main>
${[sender === undefined ? '' : `<p class="from">${named(sender)}</p>`, `<h1>${heading}</h1>`, ...parts].filter((part) => part !== '').join('\n')}
</main>
${languageLinks(language)}
</body>
</html>
`
}
