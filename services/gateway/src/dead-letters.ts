import type {
  DeadLetters,
  ListDeadLettersRequest,
  ListDeadLettersResponse,
} from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { cursorAfter, parseLimit } from '@lettergate/database/page'
import type { ServedDeadLetters } from '@lettergate/events'
import { listName } from '@lettergate/events/dead-letters/list-dead-letters'
import { Fault } from '@lettergate/fault'
import type { CallScope } from '@lettergate/service'
import type { Local } from './engine/rpcs.ts'

type Rpc = keyof typeof DeadLetters.method

/** The dead letters of one service, in this or another process. */
export type DeadLettersOfOne = { [K in Rpc]: (scope: CallScope, request: never) => Promise<object> }

/** The dead letters of this process, called without the network. */
export const deadLettersHere = ({ operations, ctxOf }: ServedDeadLetters): DeadLettersOfOne => ({
  listDeadLetters: async (scope, request) => operations.listDeadLetters(ctxOf(scope), request),
  getDeadLetter: async (scope, request) => operations.getDeadLetter(ctxOf(scope), request),
  replayDeadLetter: async (scope, request) => operations.replayDeadLetter(ctxOf(scope), request),
  discardDeadLetter: async (scope, request) => operations.discardDeadLetter(ctxOf(scope), request),
})

/**
 * The dead letters of every service as one proto service: a request goes to the service that it names, and a list without a
 * service goes to all of them. Such a list fails when one service is down, because an incomplete list would look complete.
 */
export const deadLettersOfAll =
  (services: Readonly<Record<string, DeadLettersOfOne>>) =>
  (rpc: string): Local =>
  async (scope, request) => {
    const { service } = request as Partial<ListDeadLettersRequest>
    const ask = (one: DeadLettersOfOne) => one[rpc as Rpc](scope, request as never)
    if (service !== undefined) {
      const one = services[service]
      if (!one) throw new Fault('not_found', 'service', 'There is no such service.')
      return ask(one)
    }
    const limit = parseLimit((request as Partial<ListDeadLettersRequest>).limit)
    const pages = await Promise.all(Object.values(services).map(ask))
    return newestOf(pages as ListDeadLettersResponse[], limit)
  }

/** Merges the pages of all services, each newest first. Ids are UUIDv7, so their order is the order of time. */
export function newestOf(pages: readonly Pick<ListDeadLettersResponse, 'deadLetters' | 'nextCursor'>[], limit: number) {
  const found = pages.flatMap(({ deadLetters }) => deadLetters).sort((a, b) => (a.id < b.id ? 1 : -1))
  const deadLetters = found.slice(0, limit)
  const isLast = found.length <= limit && pages.every(({ nextCursor }) => nextCursor === undefined)
  return isLast ? { deadLetters } : { deadLetters, nextCursor: cursorAfter(listName, deadLetters.at(-1)!.id) }
}
