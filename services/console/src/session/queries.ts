import { LettergateError } from '@lettergate/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

export const meKey = ['me'] as const

/** A request that the session no longer authenticates ends the session of every open page. */
const noticeExpiry = (error: unknown): void => {
  if (error instanceof LettergateError && error.failure.status === 401) queries.setQueryData(meKey, null)
}

/** More pages of one list are not read again because the user comes back to the tab. */
const pagesReadAgainMax = 5

/** Whether coming back to the tab reads an answer again, so that two tabs agree. */
const readsAgain = ({ state: { data } }: { state: { data?: unknown } }): 'always' | boolean => {
  const pages = (data as { pages?: unknown } | undefined)?.pages
  return Array.isArray(pages) && pages.length > pagesReadAgainMax ? false : 'always'
}

/** The answers of the service. The client repeats failed requests itself, so that no query is repeated here. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeExpiry }),
  mutationCache: new MutationCache({ onError: noticeExpiry }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: readsAgain },
    mutations: { retry: false },
  },
})
