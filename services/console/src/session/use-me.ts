import { dataOf, type IdentityResponse } from '@lettergate/client'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { api, keepCsrfToken } from './clients.ts'
import { meKey } from './queries.ts'

/** The signed-in user, or null without a session. Asked again when the window gets the focus, so that tabs agree. */
export const useMe = (): UseQueryResult<IdentityResponse | null> =>
  useQuery({
    queryKey: meKey,
    queryFn: async ({ signal }) => {
      const result = await api.getMe({}, { signal })
      if (!result.ok && result.status === 401) return null
      const me = dataOf(result)
      keepCsrfToken(me.csrf_token)
      return me
    },
    staleTime: 60_000,
  })

/** Whether the user may change platform gates and read the audit log. */
export const administersPlatform = (me: IdentityResponse): boolean => me.user.platform_role !== null
