import { LettergateError } from '@lettergate/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isGone } from '../parts/failed-reads.tsx'
import { sayFailed, takeBack } from '../parts/toasts.tsx'

export const meKey = ['me'] as const

/** A request that the session no longer authenticates ends the session of every open page. */
const noticeExpiry = (error: unknown): void => {
  if (error instanceof LettergateError && error.failure.status === 401) queries.setQueryData(meKey, null)
}

/** The hashes of the reads that failed, and were not answered since. */
const failed = new Set<string>()

const notReadAgain = 'This page could not be read again, and may be old'

/** The answers of the service. The client repeats failed requests itself, so that no query is repeated here. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      noticeExpiry(error)
      // A first answer or a next page that is missing is said in its place.
      if (query.state.data === undefined || query.state.fetchMeta?.fetchMore || queries.getQueryData(meKey) === null)
        return
      // An older answer about it is not shown any more.
      if (isGone(error)) return
      failed.add(query.queryHash)
      sayFailed(notReadAgain, error, { onRetry: () => void queries.refetchQueries({ type: 'active' }) })
    },
    onSuccess(_data, query) {
      failed.delete(query.queryHash)
      for (const hash of failed) if (!queries.getQueryCache().get(hash)?.isActive()) failed.delete(hash)
      if (failed.size === 0) takeBack(notReadAgain)
    },
  }),
  mutationCache: new MutationCache({ onError: noticeExpiry }),
  defaultOptions: {
    // Without a network a request fails at once. It must not wait, and be sent when nobody expects it.
    queries: {
      networkMode: 'always',
      retry: false,
      staleTime: 5_000,
      refetchOnWindowFocus: 'always',
      refetchOnReconnect: 'always',
    },
    // An answer may carry a secret: it is not kept after its form is gone.
    mutations: { networkMode: 'always', retry: false, gcTime: 1_000 },
  },
})
