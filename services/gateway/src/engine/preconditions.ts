import type { Rpc } from './rpcs.ts'

/** Short, because each is one query for one id. */
const timeoutMsMax = 3_000

/**
 * Calls the preconditions of an operation and then its rpc. A precondition is an rpc of another service that gets the parameters
 * of the path and the fields of the body that it knows, returns nothing and refuses with a Fault. They are called in their order,
 * and a failed call refuses too.
 */
export function afterPreconditions(rpc: Rpc, preconditions: readonly Rpc[]): Rpc {
  if (preconditions.length === 0) return rpc
  return {
    convertReply: (reply) => rpc.convertReply(reply),
    convertRequest: (parts) => ({
      own: rpc.convertRequest(parts),
      asked: preconditions.map((precondition) =>
        precondition.convertRequest({ path: parts.path, query: {}, body: parts.body, idempotencyKey: undefined }),
      ),
    }),
    async call(scope, init, timeoutMs) {
      const { own, asked } = init as { own: object; asked: readonly object[] }
      for (const [index, precondition] of preconditions.entries()) {
        await precondition.call(scope, asked[index]!, Math.min(timeoutMs, timeoutMsMax))
      }
      return rpc.call(scope, own, timeoutMs)
    },
  }
}
