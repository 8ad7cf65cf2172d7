import { createHash } from 'node:crypto'
import { parse } from 'node:querystring'
import type { ContactsConsent, Subscription } from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import { clientAddress, tooMany, type RateLimit } from '@lettergate/http/rate-limit'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'
import { preferredLanguage, sendHtml, type Exchange } from '../../engine/exchange.ts'
import { preferencePolicy } from './preference-layout.ts'
import { preferencePage } from './preference-page.ts'
import { chosenLanguage, languageOf, languages } from './preference-words.ts'
import { problemPage, type Problem } from './problem-page.ts'

export interface PreferenceOptions {
  contacts: Pick<
    Client<typeof ContactsConsent>,
    'describePreferenceLink' | 'usePreferenceLink' | 'leaveSubscriptions' | 'describeConfirmation' | 'confirmSignup'
  >
  /** by link */
  limit: RateLimit
  /** by client address, only for invalid links, because each guess is another link */
  forgeries: RateLimit
  trustedProxies: number
}

export const scopeOf = (correlationId: string): CallScope => ({
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

/** Four kilobytes are many times the length of a valid token; longer ones are invalid. */
const tokenBytesMax = 4_096

function tokenOf({ params }: Exchange): string {
  const token = params['token'] ?? ''
  if (token.length > tokenBytesMax || token.includes('\u0000') || !token.isWellFormed()) throw invalidToken()
  return token
}

const keyOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** The answer to an invalid token: its page, or 429 when its address has sent too many of them. */
async function refusal(options: PreferenceOptions, { req }: Exchange): Promise<HttpFault> {
  const wait = await options.forgeries.over(clientAddress(req, options.trustedProxies))
  return wait === null ? invalidToken() : tooMany(wait)
}

function problemOf(error: unknown): { problem: Problem; status: number; reason: string } | undefined {
  if (!(error instanceof Fault)) return { problem: 'down', status: 500, reason: 'internal_error' }
  if (error.reason === 'invalid_token') return { problem: 'invalid', status: 400, reason: error.reason }
  if (error.code === 'resource_exhausted') return { problem: 'busy', status: 429, reason: error.reason }
  if (error.code === 'unavailable') return { problem: 'down', status: 503, reason: error.reason }
  return undefined
}

export const languageInQuery = ({ req }: Exchange) => chosenLanguage(parse(/\?(.*)$/.exec(req.url!)?.[1] ?? '')['lang'])

export const browserLanguage = ({ req }: Exchange) => preferredLanguage(req, languages)

/** The same refusal as a page for the recipient, in their language; errors that only a program can cause stay unchanged. */
function inWords(error: unknown, exchange: Exchange): unknown {
  const found = problemOf(error)
  if (!found) return error
  const language = languageOf(undefined, browserLanguage(exchange), languageInQuery(exchange))
  return new HttpFault(
    found.status,
    found.reason,
    error instanceof Fault ? error.message : 'An internal error happened.',
    {
      headers: { ...(error instanceof HttpFault ? error.headers : {}), 'Content-Language': language },
      page: { html: problemPage(found.problem, language, exchange.correlationId), policy: preferencePolicy },
      cause: error,
    },
  )
}

/**
 * Counts the request by its link, then runs `work`. Requests with invalid tokens are refused and counted by address; over the
 * limit the answer is 429. Every refusal for recipients is a page in their language.
 */
export async function answerRecipient(
  options: PreferenceOptions,
  exchange: Exchange,
  work: (token: string, wait: number | null) => Promise<void>,
): Promise<void> {
  try {
    const token = tokenOf(exchange)
    const wait = await options.limit.over(keyOf(token))
    try {
      await work(token, wait)
    } catch (error) {
      if (!isInvalidToken(error)) throw error
      throw wait === null ? await refusal(options, exchange) : tooMany(wait)
    }
  } catch (error) {
    throw inWords(error, exchange)
  }
}

/** The current page of a link; `left` is the result of a choice that the reader just made. */
export async function sendPreferencePage(
  options: PreferenceOptions,
  exchange: Exchange,
  { token, left }: { token: string; left?: readonly Subscription[] },
): Promise<void> {
  const link = await options.contacts.describePreferenceLink(scopeOf(exchange.correlationId), { token })
  const chosen = languageInQuery(exchange)
  const language = languageOf(link.locale, browserLanguage(exchange), chosen)
  exchange.res.setHeader('Content-Language', language)
  sendHtml(exchange.res, 200, preferencePage({ link, language, chosen, token, left }), preferencePolicy)
}
