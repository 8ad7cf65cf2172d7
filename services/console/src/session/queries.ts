import { LettergateError } from '@lettergate/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { sayDone, sayFailed, takeBack } from '../parts/toasts.tsx'

export const meKey = ['me'] as const

/** A request that the session no longer authenticates ends the session of every open page. */
const noticeExpiry = (error: unknown): void => {
  if (error instanceof LettergateError && error.failure.status === 401) queries.setQueryData(meKey, null)
}

const notReadAgain = 'This page could not be read again, and may be old'

/** The answers of the service. The client repeats failed requests itself, so that no query is repeated here. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      noticeExpiry(error)
      // A first answer or a next page that is missing is said in its place.
      if (query.state.data === undefined || query.state.fetchMeta?.fetchMore || queries.getQueryData(meKey) === null)
        return
      sayFailed(notReadAgain, error, () => void queries.refetchQueries({ type: 'active' }))
    },
    onSuccess: () => takeBack(notReadAgain),
  }),
  mutationCache: new MutationCache({
    onError(error, _input, _context, { meta }) {
      noticeExpiry(error)
      if (typeof meta?.['failed'] === 'string') sayFailed(meta['failed'], error)
    },
    onSuccess(_answer, _input, _context, { meta }) {
      if (typeof meta?.['done'] === 'string') sayDone(meta['done'])
    },
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: 'always' },
    mutations: { retry: false },
  },
})
