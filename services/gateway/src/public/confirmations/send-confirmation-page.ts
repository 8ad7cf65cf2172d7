import type { SignupConfirmation } from '@lettergate/contracts/contacts/v1/confirmations'
import { sendHtml, type Exchange } from '../../engine/exchange.ts'
import { browserLanguage, languageInQuery } from '../preferences/preference-exchange.ts'
import { preferencePolicy } from '../preferences/preference-layout.ts'
import { languageOf } from '../preferences/preference-words.ts'
import { confirmationPage } from './confirmation-page.ts'

/** The page of a confirmation link in the language of the reader. */
export function sendConfirmationPage(
  exchange: Exchange,
  { token, confirmation }: { token: string; confirmation: SignupConfirmation },
): void {
  const chosen = languageInQuery(exchange)
  const language = languageOf(confirmation.locale, browserLanguage(exchange), chosen)
  exchange.res.setHeader('Content-Language', language)
  sendHtml(exchange.res, 200, confirmationPage({ confirmation, language, chosen, token }), preferencePolicy)
}
