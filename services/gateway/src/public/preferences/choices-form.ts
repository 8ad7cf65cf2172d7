import { escapeHtml } from '@lettergate/values/html'
import { named } from './preference-layout.ts'
import type { Words } from './words/words.ts'

export interface Choice {
  audienceId: string
  audienceName: string
}

/** The target of the forms of a page: the token of the link, and the language that the reader chose. */
export interface Target {
  token: string
  chosen: string | undefined
}

const actionOf = (path: string, { token, chosen }: Target) =>
  `${path}${escapeHtml(encodeURIComponent(token))}${chosen === undefined ? '' : `?lang=${chosen}`}`

/** A form with one button that ends the subscriptions of the link of `target`. `button` is HTML. */
export const endForm = (target: Target, button: string) =>
  `<form method="post" action="${actionOf('/preferences/', target)}"><button type="submit">${button}</button></form>`

const radio = ({ audienceId }: Choice, value: 'keep' | 'leave', label: string) =>
  `<label><input type="radio" name="${escapeHtml(audienceId)}" value="${value}"${value === 'keep' ? ' checked' : ''}>${label}</label>`

/** A choice to keep or to leave each subscription, `keep` by default, and one button for all of them. */
export const choicesForm = (words: Words, target: Target, choices: readonly Choice[]) =>
  `<form method="post" action="${actionOf('/preferences/choices/', target)}" autocomplete="off">
<ul class="choices">
${choices
  .map(
    (choice, index) =>
      `<li><b id="s${index}">${named(choice.audienceName)}</b><span role="radiogroup" aria-labelledby="s${index}">${radio(choice, 'keep', words.keep)}${radio(choice, 'leave', words.leave)}</span></li>`,
  )
  .join('\n')}
</ul>
<button type="submit">${words.confirm}</button>
</form>`
