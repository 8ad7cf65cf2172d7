import { tooMany } from '@lettergate/http/rate-limit'
import type { Handler } from '../../engine/exchange.ts'
import { answerRecipient, scopeOf, type PreferenceOptions } from '../preferences/preference-exchange.ts'
import { sendConfirmationPage } from './send-confirmation-page.ts'

/** The hosted page of a confirmation link. Opening it changes nothing. */
export const showConfirmationPage =
  (options: PreferenceOptions): Handler =>
  (exchange) =>
    answerRecipient(options, exchange, async (token, wait) => {
      if (wait !== null) throw tooMany(wait)
      const scope = scopeOf(exchange.correlationId)
      const confirmation = await options.contacts.describeConfirmation(scope, { token })
      sendConfirmationPage(exchange, { token, confirmation })
    })
