import { escapeHtml } from '@lettergate/values/html'
import { pageStyle } from '../html.ts'
import type { WalletUser } from './seed.ts'

const shell = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<style>${pageStyle}
main { max-width: 30rem; margin: 8vh auto; padding: 0 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.5rem; }
p { color: var(--soft); margin: .35rem 0 1rem; } ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; }
.person { width: 100%; font: inherit; color: inherit; text-align: left; display: grid; padding: .65rem .9rem; border: 1px solid var(--line); border-radius: 10px; background: none; cursor: pointer; }
.person:hover { border-color: var(--accent); background: var(--tint); } .person b { font-weight: 600; } .person span { color: var(--soft); font-size: .9rem; }
</style></head><body><main><div class="card">${body}</div></main></body></html>`

/** The page where a user is chosen: one button for each user, so that it works without scripts and by keyboard. */
export function signInPage(users: readonly WalletUser[], redirectUri: string, state: string): string {
  const choices = users.map(
    (user) =>
      `<li><button class="person" name="user" value="${escapeHtml(user.sub)}"><b>${escapeHtml(user.username)}</b><span>${escapeHtml(user.description)}</span></button></li>`,
  )
  return shell(
    'Sign in · Local wallet',
    `<h1>Sign in as</h1><p>This is the local identity wallet. You go on to ${escapeHtml(new URL(redirectUri).host)}.</p>
<form method="post" action="/signin"><input type="hidden" name="redirect_uri" value="${escapeHtml(redirectUri)}"><input type="hidden" name="state" value="${escapeHtml(state)}">
<ul>${choices.join('\n')}</ul></form>`,
  )
}

/** A page with an error and what to do. */
export const noticePage = (title: string, message: string) =>
  shell(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p>`)
