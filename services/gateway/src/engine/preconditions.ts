import type { Rpc } from './rpcs.ts'

/** They are small questions, each about one id. */
const timeoutMsMax = 3_000

/**
 * The same rpc, asked only after every precondition let it pass: each is another service's rpc that gets the parameters
 * of the path, answers nothing and refuses with a Fault. They are asked in their order, and not answering is refusing.
 */
export function afterPreconditions(rpc: Rpc, preconditions: readonly Rpc[]): Rpc {
  if (preconditions.length === 0) return rpc
  return {
    convertReply: (reply) => rpc.convertReply(reply),
    convertRequest: (parts) => ({
      own: rpc.convertRequest(parts),
      asked: preconditions.map((precondition) =>
        precondition.convertRequest({ path: parts.path, query: {}, body: {}, idempotencyKey: undefined }),
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
