import { dataOf, LettergateError, type IdentityResponse, type Result } from '@lettergate/client'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { sayFailed, takeBackAll } from '../parts/toasts.tsx'
import { api, keepCsrfToken, readTimeoutMs } from './clients.ts'
import { meKey, queries } from './queries.ts'

type Me = IdentityResponse | null
const isMe = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === meKey[0]

/** The user who got the answers in memory. */
let reader: string | undefined

/** The signed-in user. Answers that another user of this browser got are removed, and what was said to them. */
async function readMe({ signal }: { signal: AbortSignal }): Promise<Me> {
  const result = await api.getMe({}, { signal, timeoutMs: readTimeoutMs })
  if (!result.ok && result.status === 401) return null
  const me = dataOf(result)
  keepCsrfToken(me.csrf_token)
  const { wallet_user_id: id } = me.user
  if (reader !== undefined && reader !== id) {
    queries.removeQueries({ predicate: (query) => !isMe(query) })
    queries.getMutationCache().clear()
    takeBackAll()
  }
  reader = id
  return me
}

const ofMe = { queryKey: meKey, queryFn: readMe } as const

/** The signed-in user, or null without a session. Asked again when the window gets the focus, so that tabs agree, and after each navigation. */
export const useMe = (): UseQueryResult<Me> => useQuery({ ...ofMe, staleTime: 60_000 })

/** Asks for the session again when the path changes: a page whose answers are in memory may ask nothing itself. */
export function useSessionCheck(path: string): void {
  const checked = useRef(path)
  useEffect(() => {
    if (checked.current === path) return
    checked.current = path
    void queries.prefetchQuery({ ...ofMe, staleTime: 0 })
  }, [path])
}

/** Whether the session of the page still holds. If not, the console asks for a sign-in. */
export const hasSession = async (): Promise<boolean> => (await queries.fetchQuery({ ...ofMe, staleTime: 0 })) !== null

/** The id of the user of the page, undefined without a session. */
export const userOfPage = (): string | undefined => queries.getQueryData<Me>(meKey)?.user.wallet_user_id

/** Whether nobody else signed in since the page belonged to this user. */
export const isStillOf = (user: string | undefined): boolean => [user, undefined].includes(userOfPage())

/**
 * Sends a change. When another tab began a new session, the token of this one is old: the change is sent again with the new
 * token, but only for the same user.
 */
export async function sendAsMe<Output>(change: () => Promise<Result<Output>>): Promise<Result<Output>> {
  const sender = userOfPage()
  const result = await change()
  // 404: the workspace is not one of the other user.
  if (result.ok || (result.status !== 403 && result.status !== 404)) return result
  const now = await queries.fetchQuery({ ...ofMe, staleTime: 0 }).catch(() => undefined)
  if (now === undefined) return result
  if (now !== null && now.user.wallet_user_id === sender) return result.reason === 'csrf_token' ? change() : result
  // The page of the change is gone with its user.
  const message = 'Another user signed in with this browser in the meantime. Look at the page again.'
  const failure = { ...result, status: 412, reason: 'other_user', message }
  if (now !== null) sayFailed('Nothing was changed', new LettergateError(failure))
  return failure
}

/** Whether the user may change platform gates and read the audit log. */
export const administersPlatform = (me: IdentityResponse): boolean => me.user.platform_role !== null
