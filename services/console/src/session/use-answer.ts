import { dataOf, LettergateError, type CallOptions, type Result } from '@lettergate/client'
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  type InfiniteData,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { useLocation, useRouter } from 'wouter'
import { isGone } from '../parts/failed-reads.tsx'
import type { Pages } from '../parts/paged-table.tsx'
import { sayDone, sayFailed } from '../parts/toasts.tsx'
import { readTimeoutMs } from './clients.ts'
import { readPageAgain, type ListPage } from './list-pages.ts'
import { meKey, queries } from './queries.ts'
import { isStillOf, sendAsMe, userOfPage } from './use-me.ts'

type Key = readonly unknown[]

/** A page behind the sign-in asks for nothing. */
const inSession = (ms: number | false) => (queries.getQueryData(meKey) === null ? false : ms)

/** The answer of a read, none if the service says that it is not there any more. `everyMs` reads it again while the page is visible. */
export function useAnswer<Output>(
  key: Key,
  read: (options: CallOptions) => Promise<Result<Output>>,
  { everyMs, enabled = true }: { everyMs?: number | false; enabled?: boolean } = {},
): UseQueryResult<Output> {
  const answer = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => dataOf(await read({ signal, timeoutMs: readTimeoutMs })),
    refetchInterval: () => inSession(everyMs ?? false),
    enabled,
  })
  // A page is drawn again only for what was read of its answer. A dialog that opens later reads these, which may have changed before.
  void [answer.error, answer.errorUpdateCount]
  return isGone(answer.error) ? ({ ...answer, data: undefined } as UseQueryResult<Output>) : answer
}

const textsOf = (key: Key) => key.filter((part) => typeof part === 'string').join('\n')

/**
 * A list in pages that follow a cursor. Other filters, the parts of the key that are no texts, leave the rows as they are
 * until their answer arrives, so that an open dialog of a row stays open. After a change the first page and those in the
 * window are read again, and each other one when it comes into the window.
 */
export function usePages<Output extends ListPage>(
  key: Key,
  read: (page: { cursor?: string }, options: CallOptions) => Promise<Result<Output>>,
  /** how soon the pages are read again, because something in them is under way */
  {
    everyMs = () => false,
    enabled = true,
  }: { everyMs?: (pages: readonly Output[]) => number | false; enabled?: boolean } = {},
): Pages<Output> {
  const window = useRef({ from: 0, to: Infinity })
  const outdated = useRef(new Set<string>())
  const query = useInfiniteQuery<Output, Error, InfiniteData<Output, string | undefined>, Key, string | undefined>({
    queryKey: key,
    queryFn: async ({ client, queryKey, signal, pageParam }) => {
      const readAt = async (cursor: string | undefined) =>
        dataOf(await read(cursor ? { cursor } : {}, { signal, timeoutMs: readTimeoutMs }))
      const known = client.getQueryData<InfiniteData<Output, string | undefined>>(queryKey)
      const index = known?.pageParams.indexOf(pageParam) ?? -1
      if (known === undefined || index < 0) return readAt(pageParam)
      const { from, to } = window.current
      if (pageParam !== undefined && (index < from || index > to)) {
        outdated.current.add(pageParam)
        return known.pages[index]!
      }
      const page = await readPageAgain(known.pages, index, pageParam, readAt)
      if (pageParam !== undefined) outdated.current.delete(pageParam)
      return page
    },
    initialPageParam: undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    refetchInterval: ({ state }) => inSession(everyMs(state.data?.pages ?? [])),
    enabled,
    placeholderData: (rows, before) => (before && textsOf(before.queryKey) === textsOf(key) ? rows : undefined),
  })
  const { data, refetch } = query
  const see = useCallback(
    (from: number, to: number) => {
      window.current = { from, to }
      const params = data?.pageParams.slice(from, to + 1) ?? []
      if (params.some((cursor) => cursor !== undefined && outdated.current.has(cursor)))
        void refetch({ cancelRefetch: false })
    },
    [data, refetch],
  )
  return { ...query, see }
}

export type Change<Input, Output = unknown> = Omit<
  UseMutationResult<Output, Error, Input>,
  'mutate' | 'mutateAsync' | 'error'
> & {
  mutate: (input: Input) => void
  /** not that the session ended: the sign-in says it, and the user can send the change afterwards */
  error: Error | null
}

/**
 * A change, which is not sent again before its answer. Afterwards everything that the page shows is read again, `done` is said for some seconds, and the user goes to
 * the page of the answer. A user who closed the form before stays: `done` is said with a link, or `notDone` with the error. Nothing
 * is said to another user who signed in meanwhile. `removes` is the id of an object that is gone afterwards: what other pages read,
 * and this one if the user leaves it, is deleted, so that the back button does not show the object.
 */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Result<Output>>,
  onDone?: (output: Output, input: Input) => void,
  {
    done,
    notDone,
    goesTo,
    removes,
  }: {
    done?: string | ((output: Output) => string)
    notDone?: string
    goesTo?: (output: Output) => string
    removes?: string | undefined
  } = {},
): Change<Input, Output> {
  const { base } = useRouter()
  const [, go] = useLocation()
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => void (isShown.current = false)
  }, [])
  const isSending = useRef(false)
  const mutation = useMutation({
    mutationFn: async (input: Input) => dataOf(await sendAsMe(() => change(input))),
    onMutate: userOfPage,
    onError(error, _input, sender) {
      if (!isShown.current && notDone && isStillOf(sender)) sayFailed(notDone, error)
    },
    onSuccess: async (output, input, sender) => {
      if (!isStillOf(sender)) return
      const path = goesTo?.(output)
      const said = typeof done === 'function' ? done(output) : done
      if (said) sayDone(said, isShown.current || path === undefined ? undefined : `~${base}${path}`)
      onDone?.(output, input)
      const isLeaving = isShown.current && path !== undefined
      if (isLeaving) go(path)
      if (removes !== undefined)
        queries.removeQueries({
          predicate: (query) => !query.isActive() || (isLeaving && query.queryKey.includes(removes)),
        })
      // An answer on its way may be older than the change; a first one would not be asked for again.
      await queries.cancelQueries()
      await queries.invalidateQueries()
    },
    onSettled: () => void (isSending.current = false),
  })
  // A second Enter key may come before the form is drawn again.
  const mutate = (input: Input) => {
    if (isSending.current) return
    isSending.current = true
    mutation.mutate(input)
  }
  const { error } = mutation
  const hasEnded = error instanceof LettergateError && error.failure.status === 401
  return { ...mutation, mutate, error: hasEnded ? null : error }
}
