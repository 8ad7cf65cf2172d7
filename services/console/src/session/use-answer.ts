import { dataOf, type CallOptions, type Result } from '@lettergate/client'
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'

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

interface Paged {
  next_cursor: string | null
}

const textsOf = (key: Key) => key.filter((part) => typeof part === 'string').join('\n')

/**
 * A list in pages that follow a cursor. Other filters, the parts of the key that are no texts, leave the rows as they are
 * until their answer arrives, so that an open dialog of a row stays open.
 */
export const usePages = <Output extends Paged>(
  key: Key,
  read: (page: { cursor?: string }, options: CallOptions) => Promise<Result<Output>>,
): UseInfiniteQueryResult<InfiniteData<Output, string | undefined>> =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ signal, pageParam }) =>
      dataOf(await read(pageParam === undefined ? {} : { cursor: pageParam }, { signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: (rows, before) => (before && textsOf(before.queryKey) === textsOf(key) ? rows : undefined),
  })

/** A change. Afterwards everything that the page shows is read again. */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Result<Output>>,
  onDone?: (output: Output, input: Input) => void,
): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (input: Input) => dataOf(await change(input)),
    onSuccess: async (output, input) => {
      onDone?.(output, input)
      // An answer on its way may be older than the change; a first one would not be asked for again.
      await queries.cancelQueries()
      await queries.invalidateQueries()
    },
  })
}
