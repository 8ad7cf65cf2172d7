import { browserSession, openApi } from '@lettergate/client'
import { openConsole } from '@lettergate/client/console'

let csrfToken: string | null = null
/** Keeps the token that each change carries; it stays in memory. */
export const keepCsrfToken = (token: string | null): void => {
  csrfToken = token
}

const options = { baseUrl: location.origin, credential: browserSession(() => csrfToken) }

/** The public API and the operations of the console, with the session of this browser. */
export const api = openApi(options)
export const consoleApi = openConsole(options)

/** Ends the session. The answer is ignored: the next request shows whether it ended. */
export async function signOut(): Promise<void> {
  await fetch('/console/auth/sign-out', { method: 'POST', headers: { 'x-csrf-token': csrfToken ?? '' } })
}
