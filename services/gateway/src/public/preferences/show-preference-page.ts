import { tooMany } from '@lettergate/http/rate-limit'
import type { Handler } from '../../engine/exchange.ts'
import { answerRecipient, sendPreferencePage, type PreferenceOptions } from './preference-exchange.ts'

/** The hosted preference page. Opening it changes nothing. */
export const showPreferencePage =
  (options: PreferenceOptions): Handler =>
  (exchange) =>
    answerRecipient(options, exchange, async (token, wait) => {
      if (wait !== null) throw tooMany(wait)
      await sendPreferencePage(options, exchange, { token })
    })
