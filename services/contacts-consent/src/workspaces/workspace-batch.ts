import { microBatch, type Batch } from '@lettergate/batch'
import type { Context, Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Part } from '@lettergate/service'

/** The item of one caller, with a transaction function for its workspace. */
export interface BatchItem<I> {
  workspaceId: string
  tx: Context<object>['tx']
  item: I
}

export type WorkspaceBatch<I, R> = Batch<BatchItem<I>, R> & Part

/** Splits requests into layers without repeated keys. A repeated key goes into a later layer. */
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
 * Batches concurrent items, and runs the items of one workspace in one transaction. `run` answers in order, with an Error for a
 * refused item. If it throws, each item runs again alone, so that one bad item does not fail the others. Items with the same
 * `uniqueKey` run one after another in separate transactions, so that no row is locked for long.
 */
export function workspaceBatch<I, R>(
  run: (em: Em, workspaceId: string, items: readonly I[]) => Promise<(R | Error)[]>,
  { uniqueKey }: { uniqueKey?: (item: I) => string } = {},
): WorkspaceBatch<I, R> {
  async function runGroup(asks: readonly BatchItem<I>[]): Promise<(R | Error)[]> {
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
      const answers = new Map<BatchItem<I>, R | Error>()
      const groups = [...Map.groupBy(asks, (ask) => ask.workspaceId).values()]
      await Promise.all(
        groups.map(async (group) => {
          for (const layer of uniqueKey ? layersOf(group, (ask) => uniqueKey(ask.item)) : [group]) {
            const results = await runGroup(layer)
            for (const [index, ask] of layer.entries()) answers.set(ask, results[index]!)
          }
        }),
      )
      return asks.map((ask) => answers.get(ask)!)
    },
  })
}
