import { LettergateError } from '@lettergate/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

export const meKey = ['me'] as const

/** A request that the session no longer authenticates ends the session of every open page. */
const noticeExpiry = (error: unknown): void => {
  if (error instanceof LettergateError && error.failure.status === 401) queries.setQueryData(meKey, null)
}

/** The answers of the service. The client repeats failed requests itself, so that no query is repeated here. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeExpiry }),
  mutationCache: new MutationCache({ onError: noticeExpiry }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: 'always' },
    mutations: { retry: false },
  },
})
