import { drain } from '@lettergate/http/drain'
import { prefersHtml, type Handler } from '../../engine/exchange.ts'
import { answerRecipient, scopeOf, sendPreferencePage, type PreferenceOptions } from './preference-exchange.ts'

/** Honours the link, whatever the body and however often. Over the limit only tokens that are not ours are turned away. */
export const usePreferenceLink =
  (options: PreferenceOptions): Handler =>
  (exchange) =>
    answerRecipient(options, exchange, async (token) => {
      const { req, res, answer, correlationId } = exchange
      const via = req.path.startsWith('/preferences/one-click/') ? 'one_click' : 'preference_page'
      const { unsubscribed, scope } = await options.contacts.usePreferenceLink(scopeOf(correlationId), { token, via })
      // Nobody needs the body, but a sender that is still writing would not see the answer.
      await drain(req)
      if (!req.complete) res.setHeader('Connection', 'close')
      if (prefersHtml(req)) await sendPreferencePage(options, exchange, { token })
      else answer(200, { unsubscribed, scope })
    })
