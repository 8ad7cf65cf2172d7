import { prefersHtml, type Handler } from '../../engine/exchange.ts'
import { answerRecipient, scopeOf, sendPreferencePage, type PreferenceOptions } from './preference-exchange.ts'
import { readChoices } from './read-choices.ts'

/**
 * Ends the subscriptions that the form marks `leave`, and keeps the others. Over the limit only requests with invalid tokens
 * are refused.
 */
export const leaveSubscriptions =
  (options: PreferenceOptions): Handler =>
  (exchange) =>
    answerRecipient(options, exchange, async (token) => {
      const { req, answer, correlationId } = exchange
      const audienceIds = await readChoices(req)
      const { left } = await options.contacts.leaveSubscriptions(scopeOf(correlationId), { token, audienceIds })
      if (prefersHtml(req)) await sendPreferencePage(options, exchange, { token, left })
      else answer(200, { left: left.map((one) => ({ audience_id: one.audienceId, audience_name: one.audienceName })) })
    })
