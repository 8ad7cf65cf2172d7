import type { SignupConfirmation } from '@lettergate/contracts/contacts/v1/confirmations'
import { escapeHtml } from '@lettergate/values/html'
import { named, preferenceLayout } from '../preferences/preference-layout.ts'
import { wordsIn, type Language } from '../preferences/preference-words.ts'
import { confirmationWordsIn } from './confirmation-words.ts'

export interface ConfirmationPage {
  confirmation: SignupConfirmation
  language: Language
  /** the language that the reader chose on the page */
  chosen: Language | undefined
  token: string
}

const senderOf = ({ workspaceName }: SignupConfirmation) => workspaceName || 'Lettergate'

function textsOf({ confirmation, language }: ConfirmationPage): { heading: string; about: string; hasButton: boolean } {
  const words = confirmationWordsIn(language)
  const sender = named(senderOf(confirmation))
  const audience = named(confirmation.audienceName ?? '')
  switch (confirmation.state) {
    case 'pending':
      return { heading: words.askHeading(audience), about: words.ask(sender, audience), hasButton: true }
    case 'confirmed':
      return { heading: words.doneHeading, about: words.done(sender, audience), hasButton: false }
    case 'expired':
      return { heading: words.expiredHeading, about: words.expired, hasButton: false }
    default:
      return { heading: words.endedHeading, about: words.ended, hasButton: false }
  }
}

/** The page of a confirmation link: a button while the sign-up waits, otherwise what became of it. */
export function confirmationPage(page: ConfirmationPage): string {
  const { confirmation, language, token, chosen } = page
  const { heading, about, hasButton } = textsOf(page)
  const words = confirmationWordsIn(language)
  const query = chosen === undefined ? '' : `?lang=${chosen}`
  const action = `/confirmations/${escapeHtml(encodeURIComponent(token))}${query}`
  return preferenceLayout(language, {
    heading,
    sender: senderOf(confirmation),
    parts: [
      `<p${hasButton ? '' : ' role="status"'}>${about}</p>`,
      confirmation.maskedEmail === ''
        ? ''
        : `<dl><dt>${wordsIn(language).address}</dt><dd dir="ltr">${escapeHtml(confirmation.maskedEmail)}</dd></dl>`,
      hasButton
        ? `<form method="post" action="${action}"><button type="submit">${words.button}</button></form>\n<p>${words.notYou}</p>`
        : '',
    ],
  })
}
