import { browserSession, LettergateError, openApi } from '@lettergate/client'
import { openConsole } from '@lettergate/client/console'
import { backgroundHeaders } from './user-input.ts'

/** For one attempt of a read, of four. `LateAnswer` says meanwhile that there is no answer yet. */
export const readTimeoutMs = 15_000

let csrfToken: string | null = null
/** Keeps the token that each change carries; it stays in memory. */
export const keepCsrfToken = (token: string | null): void => {
  csrfToken = token
}

const session = browserSession(() => csrfToken)
const options = {
  baseUrl: location.origin,
  credential: (method: string) => ({ ...session(method), ...backgroundHeaders() }),
}

/** The public API and the operations of the console, with the session of this browser. */
export const api = openApi(options)
export const consoleApi = openConsole(options)

/** Ends the session. Throws if it may go on. */
export async function signOut(): Promise<void> {
  const correlationId = crypto.randomUUID()
  const headers = { 'x-csrf-token': csrfToken ?? '', 'x-correlation-id': correlationId }
  const answer = await fetch('/console/auth/sign-out', { method: 'POST', headers }).catch(() => null)
  // 401: it had ended before.
  if (answer?.ok || answer?.status === 401) return
  throw new LettergateError({
    ok: false,
    status: answer?.status ?? 0,
    reason: answer?.headers.get('x-error-reason') ?? 'unreachable',
    message: 'Try again. On a machine that others use, close the browser too.',
    correlationId: answer?.headers.get('x-correlation-id') ?? correlationId,
  })
}
