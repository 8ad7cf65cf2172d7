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
import type { FormFields } from './read-form.ts'

/** One rpc with its compiled converters. */
export interface Rpc {
  convertRequest(parts: RequestParts): object
  convertReply(reply: Message): Record<string, unknown>
  call(scope: CallScope, init: object, timeoutMs: number): Promise<Message>
}

/** An rpc that takes a form with a file: its requests have the bytes of the file in `data`, then one `form`. */
export interface FormRpc {
  convertReply(reply: Message): Record<string, unknown>
  /** Sends the file as fast as the service takes it. If reading the form throws, the call is cancelled without its last request. */
  send(scope: CallScope, form: AsyncGenerator<Buffer, FormFields, undefined>, timeoutMs: number): Promise<Message>
}

type StreamedRemote = (
  scope: CallScope,
  requests: AsyncIterable<object>,
  options: { timeoutMs: number },
) => Promise<Message>
type Remote = (scope: CallScope, init: object, options: { timeoutMs: number }) => Promise<Message>
export type Local = (scope: CallScope, request: Message) => Promise<object>

export interface RpcRegistry {
  /** A service in another process. */
  addRemote(service: DescService, client: object): void
  /** A service of this process, called without the network. */
  addLocal(service: DescService, operationOf: (localName: string) => Local): void
  /** `lettergate.<area>.v1.<Service>/<Rpc>`; undefined when the contracts do not have it. Throws for a message that JSON cannot represent. */
  find(name: string): Rpc | undefined
  /** The same for an rpc with a stream of requests. */
  findForm(name: string): FormRpc | undefined
}

export function rpcRegistry(): RpcRegistry {
  const known = new Map<string, { method: DescMethod; call: Rpc['call'] }>()
  const streamed = new Map<string, { method: DescMethod; remote: StreamedRemote }>()
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
      for (const method of service.methods.filter(({ methodKind }) => methodKind === 'client_streaming')) {
        const remote = (client as Record<string, StreamedRemote>)[method.localName]!
        streamed.set(`${service.typeName}/${method.name}`, { method, remote })
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
    findForm(name) {
      const found = streamed.get(name)
      if (!found) return undefined
      const { method, remote } = found
      const requestsOf = compileForm(method.input)
      return {
        convertReply: compileJson(method.output),
        send: (scope, form, timeoutMs) => remote(scope, requestsOf(form), { timeoutMs }),
      }
    },
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

/** Throws for a message that is not a oneof of `data` (bytes) and `form` (a message with `filename` and the fields of the form). */
function compileForm(desc: DescMessage) {
  const form = desc.fields.find(({ name }) => name === 'form')
  const data = desc.fields.find(({ name }) => name === 'data')
  const part = form?.oneof
  if (form?.fieldKind !== 'message' || !part || data?.oneof !== part)
    throw new Error(`${desc.typeName} has no oneof of data and form`)
  const convert = compileRequest(form.message)
  return async function* requestsOf(read: AsyncGenerator<Buffer, FormFields, undefined>): AsyncGenerator<object> {
    const { fields, filename } = yield* asData(read)
    const body = { ...fields, filename }
    yield {
      [part.localName]: { case: 'form', value: convert({ path: {}, query: {}, body, idempotencyKey: undefined }) },
    }
  }

  async function* asData(read: AsyncGenerator<Buffer, FormFields, undefined>) {
    try {
      for (;;) {
        const next = await read.next()
        if (next.done) return next.value
        yield { [part!.localName]: { case: 'data', value: next.value } }
      }
    } finally {
      await read.return(undefined as never)
    }
  }
}
