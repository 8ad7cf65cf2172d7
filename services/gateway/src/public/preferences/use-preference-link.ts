import { drain } from '@lettergate/http/drain'
import { prefersHtml, type Handler } from '../../engine/exchange.ts'
import { answerRecipient, scopeOf, sendPreferencePage, type PreferenceOptions } from './preference-exchange.ts'

/** Unsubscribes by the link, with any body and any number of times. Over the limit only requests with invalid tokens are refused. */
export const usePreferenceLink =
  (options: PreferenceOptions): Handler =>
  (exchange) =>
    answerRecipient(options, exchange, async (token) => {
      const { req, res, answer, correlationId } = exchange
      const via = req.url!.startsWith('/preferences/one-click/') ? 'one_click' : 'preference_page'
      const { unsubscribed, scope } = await options.contacts.usePreferenceLink(scopeOf(correlationId), { token, via })
      // The body is discarded, because a client that is still writing would not see the answer.
      await drain(req)
      if (!req.complete) res.setHeader('Connection', 'close')
      if (prefersHtml(req)) await sendPreferencePage(options, exchange, { token })
      else answer(200, { unsubscribed, scope })
    })
