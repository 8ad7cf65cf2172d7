/** The headers that authenticate a request with this method. */
export type Credential = (method: string) => Record<string, string>

/** A token of the identity wallet, or the credential of a subscription source. */
export const bearer =
  (token: string): Credential =>
  () => ({ authorization: `Bearer ${token}` })

/** The shared key of other services, acting for a known user. It reaches only operations that need `edit_content`. */
export const serviceKey =
  (key: string, userId: string): Credential =>
  () => ({ 'x-api-key': key, 'x-user-id': userId })

/** The session of a browser: its cookie travels by itself, and a change also needs `csrf_token` of `getMe`. */
export const browserSession =
  (csrfToken: () => string | null): Credential =>
  (method) => {
    const headers: Record<string, string> = {}
    const token = method === 'GET' ? null : csrfToken()
    if (token !== null) headers['x-csrf-token'] = token
    return headers
  }
