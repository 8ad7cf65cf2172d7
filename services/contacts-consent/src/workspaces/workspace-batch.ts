import { microBatch, type Batch } from '@lettergate/batch'
import type { Context, Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Part } from '@lettergate/service'

/** One caller's item, with the way to its workspace. */
export interface Ask<I> {
  workspaceId: string
  tx: Context<object>['tx']
  item: I
}

export type WorkspaceBatch<I, R> = Batch<Ask<I>, R> & Part

/** Splits asks so that none of the layers has a key twice; a repeated one comes in a later layer. */
function layersOf<A>(asks: readonly A[], keyOf: (ask: A) => string): A[][] {
  const layers: A[][] = []
  const seen = new Map<string, number>()
  for (const ask of asks) {
    const layer = seen.get(keyOf(ask)) ?? 0
    seen.set(keyOf(ask), layer + 1)
    ;(layers[layer] ??= []).push(ask)
  }
  return layers
}

/**
 * Collects what callers ask at the same moment and answers those of one workspace in one transaction. `run` answers in
 * order, an Error for an item that is refused, and all or nothing; when it throws, each is run again alone, so that
 * nobody suffers for a neighbour's mistake. Items with the same `notTwice` key follow each other in transactions of their own, so that no row is held for long.
 */
export function workspaceBatch<I, R>(
  run: (em: Em, workspaceId: string, items: readonly I[]) => Promise<(R | Error)[]>,
  { notTwice }: { notTwice?: (item: I) => string } = {},
): WorkspaceBatch<I, R> {
  async function runGroup(asks: readonly Ask<I>[]): Promise<(R | Error)[]> {
    const { workspaceId, tx } = asks[0]!
    try {
      const items = asks.map((ask) => ask.item)
      return await tx((em) => run(em, workspaceId, items))
    } catch (error) {
      const isOutage = error instanceof Fault && error.code === 'unavailable'
      if (asks.length > 1 && !isOutage) return (await Promise.all(asks.map((ask) => runGroup([ask])))).flat()
      const failure = error instanceof Error ? error : new Error(String(error))
      return asks.map(() => failure)
    }
  }
  return microBatch({
    maxItems: 200,
    maxDelayMs: 1,
    maxRunning: 4,
    async run(asks) {
      const answers = new Map<Ask<I>, R | Error>()
      const groups = [...Map.groupBy(asks, (ask) => ask.workspaceId).values()]
      await Promise.all(
        groups.map(async (group) => {
          for (const layer of notTwice ? layersOf(group, (ask) => notTwice(ask.item)) : [group]) {
            const results = await runGroup(layer)
            for (const [index, ask] of layer.entries()) answers.set(ask, results[index]!)
          }
        }),
      )
      return asks.map((ask) => answers.get(ask)!)
    },
  })
}
