import { createHash } from 'node:crypto'
import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import { drain } from '@lettergate/http/drain'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'
import { prefersHtml, sendHtml, type Exchange, type Handler } from '../engine/exchange.ts'
import { preferencePage, preferencePolicy } from './preference-page.ts'
import { languageOf, languages } from './preference-words.ts'
import { clientAddress, tooMany, type RateLimit } from '@lettergate/http/rate-limit'

export interface PreferenceOptions {
  contacts: Pick<Client<typeof ContactsConsent>, 'describePreferenceLink' | 'usePreferenceLink'>
  /** by link */
  limit: RateLimit
  /** by client address, and only of those who come with links that are not ours: each guess is another link */
  forgeries: RateLimit
  trustedProxies: number
}

const scopeOf = (correlationId: string): CallScope => ({
  caller: {
    workspaceId: null,
    organization: null,
    workspace: null,
    actor: 'recipient',
    actorKind: 'recipient',
    authMethod: null,
    role: null,
    platformRole: null,
    correlationId,
  },
  deadline: Infinity,
  signal: new AbortController().signal,
})

const isInvalidToken = (error: unknown) => error instanceof Fault && error.reason === 'invalid_token'

const invalidToken = () =>
  new HttpFault(
    400,
    'invalid_token',
    'This link was not made by this service, or it is not complete. Open it again from the email, and copy all of it.',
  )

/** Four kilobytes are many times a real token; longer ones are nobody's. */
const tokenBytesMax = 4_096

function tokenOf({ params }: Exchange): string {
  const token = params['token'] ?? ''
  if (token.length > tokenBytesMax || token.includes('\u0000') || !token.isWellFormed()) throw invalidToken()
  return token
}

const keyOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** What a token that is not ours gets: the page that says so, until its address has sent too many of them. */
async function refusal(options: PreferenceOptions, { req }: Exchange): Promise<HttpFault> {
  const wait = await options.forgeries.over(clientAddress(req, options.trustedProxies))
  return wait === null ? invalidToken() : tooMany(wait)
}

async function answerPage(options: PreferenceOptions, exchange: Exchange, token: string): Promise<void> {
  const { req, res, correlationId } = exchange
  try {
    const link = await options.contacts.describePreferenceLink(scopeOf(correlationId), { token })
    const language = languageOf(link.locale, req.acceptsLanguages([...languages]))
    res.setHeader('Content-Language', language)
    sendHtml(res, 200, preferencePage({ link, language, token }), preferencePolicy)
  } catch (error) {
    throw isInvalidToken(error) ? await refusal(options, exchange) : error
  }
}

/** The hosted page. Opening it changes nothing. */
export const showPreferencePage =
  (options: PreferenceOptions): Handler =>
  async (exchange) => {
    const token = tokenOf(exchange)
    const wait = await options.limit.over(keyOf(token))
    if (wait !== null) throw tooMany(wait)
    await answerPage(options, exchange, token)
  }

/** Honours the link, whatever the body and however often. Over the limit only tokens that are not ours are turned away. */
export const usePreferenceLink =
  (options: PreferenceOptions): Handler =>
  async (exchange) => {
    const { req, answer, correlationId } = exchange
    const token = tokenOf(exchange)
    const wait = await options.limit.over(keyOf(token))
    const via = req.path.startsWith('/preferences/one-click/') ? 'one_click' : 'preference_page'
    try {
      const { unsubscribed, scope } = await options.contacts.usePreferenceLink(scopeOf(correlationId), { token, via })
      // Nobody needs the body, but a sender that is still writing would not see the answer.
      await drain(req)
      if (!req.complete) exchange.res.setHeader('Connection', 'close')
      if (prefersHtml(req)) await answerPage(options, exchange, token)
      else answer(200, { unsubscribed, scope })
    } catch (error) {
      if (!isInvalidToken(error)) throw error
      throw wait === null ? await refusal(options, exchange) : tooMany(wait)
    }
  }
