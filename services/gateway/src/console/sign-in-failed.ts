import type { ServerResponse } from 'node:http'
import { Fault } from '@lettergate/fault'
import { sendHtml, type Handler } from '../engine/exchange.ts'
import { page, pagePolicy } from '../pages/page.ts'

/** Why a browser was not signed in, by the reason in the address of the page that says so. */
export const signInFailures = {
  state: { status: 400, message: 'This sign-in was not started in this browser, took too long, or was used before.' },
  token: { status: 401, message: 'The identity wallet did not confirm who you are.' },
  unavailable: { status: 503, message: 'The sign-in cannot be completed right now. Wait a minute.' },
} as const

const template = '/console/auth/failed'
const failureOf = new Map(Object.entries(signInFailures))

/** Redirects from the address of the callback, which contains a token, to a page that says why the sign-in failed. */
export function showSignInFailed(res: ServerResponse, error: unknown, reference: string): void {
  const reason = error instanceof Fault && failureOf.has(error.reason) ? error.reason : 'unavailable'
  const search = new URLSearchParams({ reason, reference }).toString()
  res.writeHead(303, { Location: `${template}?${search}`, 'Cache-Control': 'no-store' }).end()
}

const signInFailed: Handler = ({ req, res, correlationId }) => {
  const query = new URLSearchParams(req.url!.split('?')[1])
  const reason = query.get('reason') ?? ''
  const failure = failureOf.get(reason)
  if (!failure) throw new Fault('not_found', 'path', 'There is nothing at this address.')
  const reference = /^[0-9a-f-]{36}$/.exec(query.get('reference') ?? '')?.[0] ?? correlationId
  const html = page({
    title: 'The sign-in failed',
    paragraphs: [failure.message],
    links: [
      {
        href: '/console/auth/sign-in',
        text: 'Sign in again',
        about: 'If you came from a page of the console in this tab, you come back to it.',
      },
      { href: '/console', text: 'Console', about: 'If you are signed in already.' },
    ],
    notes: [`Reference for support: \`${reference}\``],
  })
  res.setHeader('X-Error-Reason', reason)
  sendHtml(res, failure.status, html, pagePolicy)
}

export const signInFailedRoute = { method: 'GET', template, handler: signInFailed }
