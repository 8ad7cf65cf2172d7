import { dataOf, type CallOptions, type Result } from '@lettergate/client'
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import type { Pages } from '../parts/paged-table.tsx'
import { readPageAgain, type ListPage } from './list-pages.ts'
import { sendAsMe } from './use-me.ts'

type Key = readonly unknown[]

/** The answer of a read. `everyMs` reads it again while the page is visible. */
export const useAnswer = <Output>(
  key: Key,
  read: (options: CallOptions) => Promise<Result<Output>>,
  { everyMs, enabled = true }: { everyMs?: number | false; enabled?: boolean } = {},
): UseQueryResult<Output> =>
  useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => dataOf(await read({ signal })),
    refetchInterval: everyMs ?? false,
    enabled,
  })

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
      const readAt = async (cursor: string | undefined) => dataOf(await read(cursor ? { cursor } : {}, { signal }))
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
    refetchInterval: ({ state }) => everyMs(state.data?.pages ?? []),
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

/** A change. Afterwards everything that the page shows is read again, and `done` is said for some seconds; `failed` is said if no form says it. `onFailed` runs also after the form is gone. */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Result<Output>>,
  onDone?: (output: Output, input: Input) => void,
  { onFailed, ...says }: { done?: string; failed?: string; onFailed?: (error: Error) => void } = {},
): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (input: Input) => dataOf(await sendAsMe(() => change(input))),
    meta: says,
    ...(onFailed && { onError: onFailed }),
    onSuccess: async (output, input) => {
      onDone?.(output, input)
      // An answer on its way may be older than the change; a first one would not be asked for again.
      await queries.cancelQueries()
      await queries.invalidateQueries()
    },
  })
}
