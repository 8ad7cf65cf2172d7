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

/** A list in pages that follow a cursor. */
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
      await queries.invalidateQueries()
    },
  })
}
