import { drain } from '@lettergate/http/drain'
import { prefersHtml, type Handler } from '../../engine/exchange.ts'
import { answerRecipient, scopeOf, type PreferenceOptions } from '../preferences/preference-exchange.ts'
import { sendConfirmationPage } from './send-confirmation-page.ts'

/** Confirms the sign-up of the link, with any body and any number of times. Over the limit only invalid tokens are refused. */
export const confirmSignup =
  (options: PreferenceOptions): Handler =>
  (exchange) =>
    answerRecipient(options, exchange, async (token) => {
      const { req, res, answer, correlationId } = exchange
      const confirmation = await options.contacts.confirmSignup(scopeOf(correlationId), { token })
      // The body is discarded, because a client that is still writing would not see the answer.
      await drain(req)
      if (!req.complete) res.setHeader('Connection', 'close')
      const { state } = confirmation
      if (prefersHtml(req)) sendConfirmationPage(exchange, { token, confirmation })
      else answer(200, { confirmed: state === 'confirmed', state })
    })
