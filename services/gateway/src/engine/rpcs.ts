import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import { compileJson } from '@lettergate/message-json'
import type { CallScope } from '@lettergate/service'
import { compileRequest, type RequestParts } from './transcode-request.ts'

/** One rpc as an operation needs it: with both converters compiled. */
export interface Rpc {
  convertRequest(parts: RequestParts): object
  convertReply(reply: Message): Record<string, unknown>
  call(scope: CallScope, init: object, timeoutMs: number): Promise<Message>
}

type Remote = (scope: CallScope, init: object, options: { timeoutMs: number }) => Promise<Message>
export type Local = (scope: CallScope, request: Message) => Promise<object>

export interface RpcRegistry {
  /** A service in another process. */
  addRemote(service: DescService, client: object): void
  /** A service of this process, called without a network in between. */
  addLocal(service: DescService, operationOf: (localName: string) => Local): void
  /** `lettergate.<area>.v1.<Service>/<Rpc>`; undefined when the contracts do not have it. Throws when JSON cannot express it. */
  find(name: string): Rpc | undefined
  /** Whether the contracts have it. */
  has(name: string): boolean
}

export function rpcRegistry(): RpcRegistry {
  const known = new Map<string, { method: DescMethod; call: Rpc['call'] }>()
  const unary = (service: DescService) => service.methods.filter((method) => method.methodKind === 'unary')
  return {
    addRemote(service, client) {
      for (const method of unary(service)) {
        const remote = (client as Record<string, Remote>)[method.localName]!
        known.set(`${service.typeName}/${method.name}`, {
          method,
          call: (scope, init, timeoutMs) => remote(scope, init, { timeoutMs }),
        })
      }
    },
    addLocal(service, operationOf) {
      for (const method of unary(service)) {
        const operation = operationOf(method.localName)
        const message = (schema: DescMessage, init: object) => create(schema, init as MessageInitShape<DescMessage>)
        const call: Rpc['call'] = async (scope, init) =>
          message(method.output, await operation(scope, message(method.input, init)))
        known.set(`${service.typeName}/${method.name}`, { method, call })
      }
    },
    has: (name) => known.has(name),
    find(name) {
      const found = known.get(name)
      return (
        found && {
          convertRequest: compileRequest(found.method.input),
          convertReply: compileJson(found.method.output),
          call: found.call,
        }
      )
    },
  }
}
