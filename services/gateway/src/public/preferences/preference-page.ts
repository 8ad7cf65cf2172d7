import type { PreferenceLink, Subscription } from '@lettergate/contracts/contacts/v1/contacts'
import { choicesForm, endForm, type Choice } from './choices-form.ts'
import { escapeHtml } from '@lettergate/values/html'
import { named, preferenceLayout } from './preference-layout.ts'
import { wordsIn, type Language } from './preference-words.ts'

export interface PreferencePage {
  link: PreferenceLink
  language: Language
  /** the language that the reader chose on the page */
  chosen: Language | undefined
  token: string
  /** The subscriptions that the reader just left by a choice; undefined without a choice. */
  left: readonly Subscription[] | undefined
}

interface State {
  heading: string
  about: string
  /** true after a subscription ended: the page says so first, and what to do about a mistake */
  isDone?: boolean
  /** the text of the main button; undefined when there is nothing to end */
  button?: string
}

const senderOf = (link: PreferenceLink) => link.workspaceName || 'Lettergate'

/** The texts of the page, by the scope of the link and by the subscriptions that are left. */
function stateOf({ link, language, left }: PreferencePage): State {
  const words = wordsIn(language)
  const sender = named(senderOf(link))
  const audience = link.audienceName === undefined ? undefined : named(link.audienceName)
  if (link.maskedEmail === '') return { heading: words.nobodyHeading, about: words.nobody(sender) }
  if (left !== undefined) {
    const names = left.map(({ audienceName }) => `<li>${named(audienceName)}</li>`).join('\n')
    const about =
      left.length === 0 ? words.nothingLeft : `${words.saved(sender)}</p>\n<ul class="left">\n${names}\n</ul>`
    return { heading: words.savedHeading, about, isDone: left.length > 0 }
  }
  if (link.scope === 'workspace') {
    if (link.isUnsubscribed) return { heading: words.doneHeading, about: words.doneAll(sender), isDone: true }
    return { heading: words.askAllHeading(sender), about: words.askAll(sender), button: words.stopAll(sender) }
  }
  if (link.isUnsubscribed) {
    const isAll = link.workspaceToken === undefined || audience === undefined
    const about = isAll ? words.doneAll(sender) : words.doneAudience(sender, audience)
    return { heading: words.doneHeading, about, isDone: true }
  }
  if (audience === undefined) return { heading: words.endedHeading, about: words.ended(sender) }
  return {
    heading: words.askAudienceHeading(audience),
    about: words.askAudience(sender, audience),
    button: words.unsubscribe,
  }
}

/** The subscriptions of the choice form, without the one of the main button. */
const choicesOf = ({ link }: PreferencePage, hasButton: boolean): Choice[] =>
  link.subscriptions.filter(({ audienceId }) => !(hasButton && audienceId === link.audienceId))

/** The page: its forms, the other subscriptions of the contact, or the confirmation after the subscription ended. */
export function preferencePage(page: PreferencePage): string {
  const { link, language, token, chosen } = page
  const words = wordsIn(language)
  const sender = named(senderOf(link))
  const { heading, about, isDone = false, button } = stateOf(page)
  const choices = link.maskedEmail === '' ? [] : choicesOf(page, button !== undefined)
  return preferenceLayout(language, {
    heading,
    sender: senderOf(link),
    parts: [
      `<p${isDone || page.left !== undefined ? ' role="status"' : ''}>${about}${about.endsWith('</ul>') ? '' : '</p>'}`,
      link.maskedEmail === ''
        ? ''
        : `<dl><dt>${words.address}</dt><dd dir="ltr">${escapeHtml(link.maskedEmail)}</dd></dl>`,
      link.isAged ? `<p class="note">${words.older}</p>` : '',
      isDone ? `<p>${words.mistake}</p>` : '',
      button === undefined ? '' : `<p>${words.whatStops}</p>\n${endForm({ token, chosen }, button)}`,
      choices.length === 0
        ? ''
        : `<section aria-labelledby="subscriptions">
<h2 id="subscriptions">${words.subscriptionsHeading(sender)}</h2>
<p>${words.choose}</p>
${choicesForm(words, { token, chosen }, choices)}
</section>`,
      link.workspaceToken === undefined
        ? ''
        : `<section aria-labelledby="all">
<h2 id="all">${words.stopAllHeading}</h2>
<p>${words.stopAllToo(sender)}</p>
${endForm({ token: link.workspaceToken, chosen }, words.stopAll(sender))}
</section>`,
    ],
  })
}
