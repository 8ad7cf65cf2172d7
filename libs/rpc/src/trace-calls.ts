import type { DescMethod } from '@bufbuild/protobuf'
import type { Metadata } from '@grpc/grpc-js'
import { SpanKind, isTraced, openSpan, traced, type Carrier, type OpenSpan } from '@lettergate/service/tracing'

const nameOf = (method: DescMethod) => `${method.parent.typeName}/${method.name}`
const attributesOf = (method: DescMethod) => ({
  'rpc.system': 'grpc',
  'rpc.service': method.parent.typeName,
  'rpc.method': method.name,
})

/**
 * Opens the CLIENT span of a call and tells the other side of it. A call that belongs to no trace (a poll, a probe) begins
 * none, and neither does its server.
 */
export function openCall(method: DescMethod, target: string, metadata: Metadata): Pick<OpenSpan, 'end'> {
  if (!isTraced()) return { end: () => undefined }
  const [address, port] = target.split(':')
  const open = openSpan(nameOf(method), {
    kind: SpanKind.CLIENT,
    attributes: { ...attributesOf(method), 'server.address': address, 'server.port': Number(port) },
  })
  for (const [key, value] of Object.entries(open.carrier)) metadata.set(key, value)
  return open
}

/** Runs an operation inside of the SERVER span of its call, in the trace of the caller. */
export function servedCall<T>(method: DescMethod, metadata: Metadata, work: () => Promise<T>): Promise<T> {
  const parent: Carrier = {}
  for (const key of ['traceparent', 'tracestate']) {
    const value = metadata.get(key)[0]
    if (typeof value === 'string') parent[key] = value
  }
  if (!parent.traceparent) return work()
  return traced(nameOf(method), { kind: SpanKind.SERVER, parent, attributes: attributesOf(method) }, work)
}
